# Units, defaults, and a gap that is set before the size.
Agent/UDP set packetSize_ 1200
Application/Traffic/CBR set rate_ 64Kb
proc flow {from to start} {
    global ns_ node_
    set udp [new Agent/UDP]
    $ns_ attach-agent $node_($from) $udp
    set null [new Agent/Null]
    $ns_ attach-agent $node_($to) $null
    $ns_ connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr attach-agent $udp
    $ns_ at $start "$cbr start"
    return $cbr
}
# 210 bytes at 64 kbit/s.
set plain [flow 0 1 1.01]
set megabit [flow 1 2 1.52]
$megabit set rate_ 0.05mb
$megabit set packetSize_ 1200
set kilobit [flow 2 3 2.03]
$kilobit set rate_ 50k
$kilobit set packetSize_ 600
set gap [flow 3 4 2.533]
$gap set packetSize_ 300
$gap set interval_ 40ms
# The gap is kept as the rate of 210 bytes: 0.4 s.
set early [flow 4 5 3.05]
$early set interval_ 0.2
$early set packetSize_ 420
