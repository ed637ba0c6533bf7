# Node 0 stays; node 1 walks away from it, past relays that rest; 2 to 5 move a little.
set at {0 100 150   1 250 150   2 300 100   3 420 160   4 480 120   5 640 180}
foreach k {0 1 2 3 4 5} {
    $node_($k) set X_ [lindex $at [expr 3 * $k + 1]]
    $node_($k) set Y_ [lindex $at [expr 3 * $k + 2]]
    $node_($k) set Z_ 0
}
$ns at 10.0 "$node_(1) setdest 600.0 150.0 10.0"
$ns at 30.0 "$node_(1) setdest 500.0 50.0 0.0"
$ns at 45.0 "$node_(1) setdest 250.0 150.0 8.0"
$ns at 20.0 "$node_(3) setdest 420.0 250.0 2.0"
$ns at 50.0 "$node_(3) setdest 420.0 160.0 3.0"
$ns at 15.0 "$node_(5) setdest 560.0 180.0 1.0"
