# Two connections, connected crosswise: the numbers of sources and sinks say nothing.
set udp_(0) [new Agent/UDP]
$ns_ attach-agent $node_(0) $udp_(0)
set udp_(1) [new Agent/UDP]
$ns_ attach-agent $node_(1) $udp_(1)
set null_(0) [new Agent/Null]
$ns_ attach-agent $node_(2) $null_(0)
set null_(1) [new Agent/Null]
$ns_ attach-agent $node_(3) $null_(1)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set packetSize_ 512
$cbr_(0) set interval_ 0.25
$cbr_(0) attach-agent $udp_(0)
set cbr_(1) [new Application/Traffic/CBR]
$cbr_(1) set packetSize_ 512
$cbr_(1) set interval_ 0.5
$cbr_(1) attach-agent $udp_(1)
$ns_ connect $udp_(0) $null_(1)
$ns_ connect $udp_(1) $null_(0)
$ns_ at 1.0 "$cbr_(0) start"
$ns_ at 2.1 "$cbr_(1) start"
