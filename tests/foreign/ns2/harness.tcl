# Runs a traffic file among six nodes, and writes what its agents receive: ns harness.tcl FILE SECONDS TRACE
set ns_ [new Simulator]
set trace [open [lindex $argv 2] w]
$ns_ trace-all $trace
set topo [new Topography]
$topo load_flatgrid 400 400
create-god 6
Mac/802_11 set dataRate_ 2Mb
$ns_ node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo -agentTrace ON -routerTrace OFF -macTrace OFF
foreach {i x y} {0 100 100 1 150 100 2 200 100 3 100 150 4 150 150 5 200 150} {
    set node_($i) [$ns_ node]
    $node_($i) random-motion 0
    $node_($i) set X_ $x
    $node_($i) set Y_ $y
    $node_($i) set Z_ 0
}
source [lindex $argv 0]
$ns_ at [lindex $argv 1] "flush $trace; exit 0"
$ns_ run
