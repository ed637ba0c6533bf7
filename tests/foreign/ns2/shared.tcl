# One sink takes from two sources; a source that is connected twice sends to its last peer.
foreach i {0 1 2} {
    set udp_($i) [new Agent/UDP]
    $ns_ attach-agent $node_($i) $udp_($i)
    set cbr_($i) [new Application/Traffic/CBR]
    $cbr_($i) set packetSize_ 256
    $cbr_($i) set interval_ 0.2
    $cbr_($i) attach-agent $udp_($i)
    $ns_ at [expr 1.0 + 0.05 * $i] "$cbr_($i) start"
}
foreach i {3 4} {
    set null_($i) [new Agent/Null]
    $ns_ attach-agent $node_($i) $null_($i)
}
$ns_ connect $udp_(0) $null_(3)
$ns_ connect $udp_(1) $null_(3)
$ns_ connect $udp_(2) $null_(3)
$ns_ connect $udp_(2) $null_(4)
