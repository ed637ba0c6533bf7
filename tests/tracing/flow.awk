# Throughput, mean delay and loss of one flow from an ns-2 trace in the old wireless format, the way such scripts do it:
# packets are counted where they leave and where they reach an agent, and found again by their number.
#
#   awk -v from=0 -v to=2 -v type=cbr -v header=20 -v seconds=3 -f flow.awk out.tr

$4 == "AGT" && $7 == type && $3 == "_" from "_" && $1 == "s" {
    sent++
    left[$6] = $2
}

$4 == "AGT" && $7 == type && $3 == "_" to "_" && $1 == "r" {
    received++
    delay += $2 - left[$6]
    seq = $(NF - (type == "tcp" ? 3 : 2))
    if (!(seq in seen)) {
        seen[seq] = 1
        bytes += $8 - header
    }
}

END {
    printf "%.9f %.9f %.9f\n", bytes * 8 / seconds / 1000, delay / received * 1000, 100 * (sent - received) / sent
}
