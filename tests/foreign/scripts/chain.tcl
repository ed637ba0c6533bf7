# A chain of five nodes: one TCP over AODV, in the usual shape of an ns-2 script.
# ======================================================================
set val(chan)   Channel/WirelessChannel    ;# channel type
set val(prop)   Propagation/TwoRayGround   ;# radio-propagation model
set val(netif)  Phy/WirelessPhy            ;# network interface type
set val(mac)    Mac/802_11                 ;# MAC type
set val(ifq)    Queue/DropTail/PriQueue    ;# interface queue type
set val(ll)     LL                         ;# link layer type
set val(ant)    Antenna/OmniAntenna        ;# antenna model
set val(ifqlen) 50                         ;# max packets in queue
set val(nn)     5                          ;# number of nodes
set val(rp)     AODV                       ;# routing protocol
set val(x)      1200
set val(y)      400
set val(stop)   60.0

Mac/802_11 set dataRate_ 2Mb
Agent/TCP set packetSize_ 1460

set ns_ [new Simulator]
set tracefd [open trace.tr w]
$ns_ trace-all $tracefd
set namtrace [open trace.nam w]
$ns_ namtrace-all-wireless $namtrace $val(x) $val(y)

set topo [new Topography]
$topo load_flatgrid $val(x) $val(y)
create-god $val(nn)

$ns_ node-config -adhocRouting $val(rp) \
    -llType $val(ll) \
    -macType $val(mac) \
    -ifqType $val(ifq) \
    -ifqLen $val(ifqlen) \
    -antType $val(ant) \
    -propType $val(prop) \
    -phyType $val(netif) \
    -channelType $val(chan) \
    -topoInstance $topo \
    -agentTrace ON \
    -routerTrace OFF \
    -macTrace OFF \
    -movementTrace OFF

for {set i 0} {$i < $val(nn)} {incr i} {
    set node_($i) [$ns_ node]
    $node_($i) random-motion 0
    $node_($i) set X_ [expr 100.0 + 200.0 * $i]
    $node_($i) set Y_ 200.0
    $node_($i) set Z_ 0.0
    $ns_ initial_node_pos $node_($i) 20
}

set tcp [new Agent/TCP/Newreno]
$tcp set class_ 2
$tcp set window_ 8
set sink [new Agent/TCPSink]
$ns_ attach-agent $node_(0) $tcp
$ns_ attach-agent $node_(4) $sink
$ns_ connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns_ at 5.0 "$ftp start"

for {set i 0} {$i < $val(nn)} {incr i} {
    $ns_ at $val(stop) "$node_($i) reset"
}
proc finish {} {
    global ns_ tracefd namtrace
    $ns_ flush-trace
    close $tracefd
    close $namtrace
    exit 0
}
$ns_ at $val(stop) "finish"
puts "Starting Simulation..."
$ns_ run
