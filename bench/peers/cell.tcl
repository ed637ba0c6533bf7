# ns-2.35 on a cell of afrakhteh2005 (studies/afrakhteh2005/reference.csv): a chain over AODV with one TCP or CBR flow, or two.
#
#   ns cell.tcl hops seed seconds spacing basic_rate plcp_rate rts_threshold queue version payload cbr_kbps error_rate \
#     vegas_alpha vegas_beta cbr_random second(none|tcp|udp) from2 to2 start2 tcp_from tcp_to
#
# Writes the agents' trace to standard output: delay is from sending to receiving a copy, jitter the mean difference of
# successive delays, loss the share of copies not received, throughput the payload of distinct segments.
lassign $argv hops seed seconds spacing basic plcp rts queue version packet cbr per alpha beta random second from2 to2 start2 tcpfrom tcpto
remove-all-packet-headers
add-packet-header IP TCP Flags LL Mac ARP AODV Message RTP
ns-random $seed
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ $basic
Mac/802_11 set PLCPDataRate_ $plcp
Mac/802_11 set RTSThreshold_ $rts
set ns [new Simulator]
$ns trace-all [open /dev/stdout w]
set topo [new Topography]
$topo load_flatgrid [expr {$hops*$spacing+10}] 10
create-god [expr {$hops+1}]
if {$per > 0} {
proc UniformErr {} {
    global per
    set err [new ErrorModel]
    $err unit pkt
    $err set rate_ $per
    $err ranvar [new RandomVariable/Uniform]
    $err drop-target [new Agent/Null]
    return $err
}
$ns node-config -IncomingErrProc UniformErr
}
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen $queue \
 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] \
 -topoInstance $topo -agentTrace ON -routerTrace OFF -macTrace OFF -movementTrace OFF
for {set i 0} {$i<=$hops} {incr i} {
 set n($i) [$ns node]; $n($i) random-motion 0
 $n($i) set X_ [expr {$i*$spacing+1}]; $n($i) set Y_ 1; $n($i) set Z_ 0
}
if {$cbr > 0 && $second eq "none"} {
 set a [new Agent/UDP]; $a set packetSize_ 1480; set s [new Agent/Null]
 $ns attach-agent $n(0) $a; $ns attach-agent $n($hops) $s; $ns connect $a $s
 set c [new Application/Traffic/CBR]; $c set packetSize_ 1480; $c set rate_ ${cbr}kb; $c set random_ $random
 $c attach-agent $a; $ns at 0.0 "$c start"
} else {
 array set kinds {Tahoe Agent/TCP Reno Agent/TCP/Reno NewReno Agent/TCP/Newreno SACK Agent/TCP/Sack1 Vegas Agent/TCP/Vegas DACK Agent/TCP/Newreno SACK+DACK Agent/TCP/Sack1}
 array set sinks {Tahoe Agent/TCPSink Reno Agent/TCPSink NewReno Agent/TCPSink SACK Agent/TCPSink/Sack1 Vegas Agent/TCPSink DACK Agent/TCPSink/DelAck SACK+DACK Agent/TCPSink/Sack1/DelAck}
 set a [new $kinds($version)]; $a set window_ 20
 $a set packetSize_ $packet
 if {$version eq "Vegas"} { $a set packetSize_ [expr {$packet+40}]; $a set v_alpha_ $alpha; $a set v_beta_ $beta }
 set s [new $sinks($version)]
 catch {$s set interval_ 200ms}
 $ns attach-agent $n($tcpfrom) $a; $ns attach-agent $n($tcpto) $s; $ns connect $a $s
 set f [new Application/FTP]; $f attach-agent $a; $ns at 0.0 "$f start"
}
if {$second eq "udp"} {
 set u [new Agent/UDP]; $u set packetSize_ 1480; set z [new Agent/Null]
 $ns attach-agent $n($from2) $u; $ns attach-agent $n($to2) $z; $ns connect $u $z
 set c [new Application/Traffic/CBR]; $c set packetSize_ 1480; $c set rate_ ${cbr}kb; $c set random_ $random
 $c attach-agent $u; $ns at $start2 "$c start"
}
if {$second eq "tcp"} {
 set u [new Agent/TCP/Newreno]; $u set window_ 20; $u set packetSize_ 1460; set z [new Agent/TCPSink]
 $ns attach-agent $n($from2) $u; $ns attach-agent $n($to2) $z; $ns connect $u $z
 set g [new Application/FTP]; $g attach-agent $u; $ns at $start2 "$g start"
}
$ns at $seconds "exit 0"
$ns run
