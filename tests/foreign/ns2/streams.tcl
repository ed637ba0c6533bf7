# TCP: windows, sizes, kinds, a stop, and a number of packets.
set tcp_(0) [$ns_ create-connection TCP $node_(0) TCPSink $node_(1) 0]
$tcp_(0) set window_ 4
$tcp_(0) set packetSize_ 512
set ftp_(0) [$tcp_(0) attach-source FTP]
$ns_ at 1.0 "$ftp_(0) start"
$ns_ at 6.0 "$ftp_(0) stop"
set tcp_(1) [new Agent/TCP/Newreno]
$ns_ attach-agent $node_(2) $tcp_(1)
set sink_(1) [new Agent/TCPSink/DelAck]
$ns_ attach-agent $node_(3) $sink_(1)
$ns_ connect $tcp_(1) $sink_(1)
set ftp_(1) [new Application/FTP]
$ftp_(1) attach-agent $tcp_(1)
$ns_ at 7.0 "$ftp_(1) start"
$ns_ at 12.0 "$ftp_(1) stop"
set tcp_(2) [new Agent/TCP/Sack1]
$ns_ attach-agent $node_(4) $tcp_(2)
set sink_(2) [new Agent/TCPSink/Sack1]
$ns_ attach-agent $node_(5) $sink_(2)
$ns_ connect $tcp_(2) $sink_(2)
set ftp_(2) [new Application/FTP]
$ftp_(2) attach-agent $tcp_(2)
$ns_ at 14.0 "$ftp_(2) produce 300"
