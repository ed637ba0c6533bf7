# ns-2 side of the comparison: one wireless scenario with greedy TCP NewReno flows and no traces.
#
#   ns ns2.tcl <scenario file> <seconds> <routing> <seed> <stock|trimmed>
#
# The scenario file (written by scenarios.py, the same for every simulator) has one line per node, `node x y`, and one
# per flow, `flow from to start`. Everything else is ns-2's default: WaveLAN radio, 2 Mbit/s, RTS/CTS for every frame,
# queue of 50 packets. Prints `flow <index> <payload bytes received in order>` for each flow.

lassign $argv scenario seconds routing seed headers

set positions {}
set flows {}
set input [open $scenario]
while {[gets $input line] >= 0} {
    switch -- [lindex $line 0] {
        node { lappend positions [lrange $line 1 2] }
        flow { lappend flows [lrange $line 1 3] }
    }
}
close $input

# As distributed every packet carries every header ns-2 knows; "trimmed" keeps only those in use, which is faster.
if {$headers eq "trimmed"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags LL Mac ARP AODV Message
}

ns-random $seed
set ns [new Simulator]
# A wireless node insists on a trace file; with every trace off below nothing but queue drops reaches it.
$ns trace-all [open /dev/null w]
set topography [new Topography]
set width 1
set height 1
foreach position $positions {
    lassign $position x y
    if {$x + 1 > $width} { set width [expr {int($x) + 2}] }
    if {$y + 1 > $height} { set height [expr {int($y) + 2}] }
}
$topography load_flatgrid $width $height
create-god [llength $positions]

$ns node-config -adhocRouting $routing -llType LL -macType Mac/802_11 \
    -ifqType Queue/DropTail/PriQueue -ifqLen 50 -antType Antenna/OmniAntenna \
    -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF

# The defaults of ns-2.35 that matter, written out so that another build measures the same thing.
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 0

set nodes {}
foreach position $positions {
    set node [$ns node]
    $node random-motion 0
    $node set X_ [lindex $position 0]
    $node set Y_ [lindex $position 1]
    $node set Z_ 0.0
    lappend nodes $node
}

set sinks {}
foreach flow $flows {
    lassign $flow from to start
    set tcp [new Agent/TCP/Newreno]
    $tcp set packetSize_ 1460
    $tcp set window_ 32
    set sink [new Agent/TCPSink]
    $ns attach-agent [lindex $nodes $from] $tcp
    $ns attach-agent [lindex $nodes $to] $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    lappend sinks $sink
}

proc finish {} {
    global sinks
    set index 0
    foreach sink $sinks {
        # The sink counts whole IP packets: 1500 bytes a segment after a SYN of 40.
        set segments [expr {([$sink set bytes_] - 40) / 1500}]
        puts "flow $index [expr {$segments > 0 ? int($segments) * 1460 : 0}]"
        incr index
    }
    exit 0
}
$ns at $seconds finish
$ns run
