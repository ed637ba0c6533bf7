# Nodes that move, and CBR that stops: the movement stands in a file of its own.
set opt(nn) 6
set opt(end) 80
set ns [new Simulator]
set trace [open trace.tr w]
$ns trace-all $trace
set topo [new Topography]
$topo load_flatgrid 800 300
set god [create-god $opt(nn)]
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ 1Mb
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 30 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo -agentTrace ON -routerTrace OFF -macTrace OFF
for {set i 0} {$i < $opt(nn)} {incr i} {
    set node_($i) [$ns node]
    $node_($i) random-motion 0
}
source walk.movement.tcl

proc stream {from to size gap begin end} {
    global ns node_
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $ns attach-agent $node_($from) $udp
    $ns attach-agent $node_($to) $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $size
    $cbr set interval_ $gap
    $cbr attach-agent $udp
    $ns at $begin "$cbr start"
    $ns at $end "$cbr stop"
}
stream 0 1 512 0.1 2.0 70.0
stream 2 3 256 0.25 5.3 60.0
stream 4 5 800 200ms 8.7 75.0

$ns at $opt(end) "$ns flush-trace; close $trace; $ns halt"
$ns run
