# 11 Mbit/s, other thresholds, no RTS: two saturating senders in free space, and one TCP with delayed ACKs.
Phy/WirelessPhy set Pt_ 0.1
Phy/WirelessPhy set freq_ 2.4e9
Phy/WirelessPhy set RXThresh_ 1.0e-10
Phy/WirelessPhy set CSThresh_ 2.5e-11
Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 2Mb
Mac/802_11 set RTSThreshold_ 3000
Agent/UDP set packetSize_ 1500
Application/Traffic/CBR set packetSize_ 1000
set ns_ [new Simulator]
set f [open trace.tr w]
$ns_ trace-all $f
set topo [new Topography]
$topo load_flatgrid 500 500
create-god 4
$ns_ node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 20 \
    -antType Antenna/OmniAntenna -propType Propagation/FreeSpace -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo -agentTrace ON -routerTrace OFF -macTrace OFF
foreach {k x y} {0 100 100 1 200 100 2 100 200 3 200 200} {
    set n($k) [$ns_ node]
    $n($k) set X_ $x
    $n($k) set Y_ $y
}
foreach {k from to} {1 0 1 2 2 3} {
    set udp($k) [new Agent/UDP]
    $ns_ attach-agent $n($from) $udp($k)
    set null($k) [new Agent/Null]
    $ns_ attach-agent $n($to) $null($k)
    $ns_ connect $udp($k) $null($k)
    set cbr($k) [new Application/Traffic/CBR]
    $cbr($k) set rate_ 3mb
    $cbr($k) attach-agent $udp($k)
    $ns_ at [expr 40.0 + 0.0137 * $k] "$cbr($k) start"
    $ns_ at 60.0 "$cbr($k) stop"
}
set tcp [$ns_ create-connection TCP/Reno $n(1) TCPSink/DelAck $n(2) 0]
$tcp set window_ 12
set ftp [$tcp attach-source FTP]
$ns_ at 62.0 "$ftp start"
$ns_ at 75.0 "$ftp stop"
$ns_ at 80.0 "exit 0"
$ns_ run
