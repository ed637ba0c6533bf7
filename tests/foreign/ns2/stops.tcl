# Stops, later starts, and limits of packets.
for {set i 0} {$i < 3} {incr i} {
    set udp_($i) [new Agent/UDP]
    $ns_ attach-agent $node_($i) $udp_($i)
    set null_($i) [new Agent/Null]
    $ns_ attach-agent $node_([expr $i + 3]) $null_($i)
    $ns_ connect $udp_($i) $null_($i)
    set cbr_($i) [new Application/Traffic/CBR]
    $cbr_($i) set packetSize_ 500
    $cbr_($i) set interval_ 0.1
    $cbr_($i) attach-agent $udp_($i)
}
# 101 packets: the sum of 100 gaps stays below 10 s.
$ns_ at 0.0 "$cbr_(0) start"
$ns_ at 10.0 "$cbr_(0) stop"
# 20 packets, and 5 more.
$ns_ at 1.03 "$cbr_(1) start"
$ns_ at 3.0 "$cbr_(1) stop"
$ns_ at 12.03 "$cbr_(1) start"
$ns_ at 12.5 "$cbr_(1) stop"
# 7 packets, and one for the second start.
$cbr_(2) set maxpkts_ 7
$ns_ at 5.05 "$cbr_(2) start"
$ns_ at 9.05 "$cbr_(2) start"
