//! Words that users bring from ns-2, ns-3, INET, Mininet-WiFi and the literature, each with our name.
//!
//! One table behind every "did you mean". A name of ours is a `key`, a `value` of a key, a `metric`, or an `option` of the
//! command; several stand in the order in which they are meant.

/// Their words, separated by spaces, and our names, separated by `|`. Case, `_`, `-`, `.` and `::` are not compared.
const TABLE: &[(&str, &str)] = &[
    // Metrics.
    (
        "throughput thruput tput bitrate receivedrate avg_throughput mean_throughput rxthroughput",
        "metric throughput_kbps",
    ),
    ("goodput_mbps appthroughput", "metric goodput_kbps"),
    (
        "pdr delivery_ratio packet_delivery_ratio pdf delivery_fraction packet_delivery_fraction prr reception_ratio",
        "metric loss_pct",
    ),
    (
        "plr packet_loss_ratio packet_loss lossratio lossrate packetloss lost_ratio per_flow_loss loss_ratio packet_loss_rate packetlossrate loss_percentage drop_rate drop_ratio dropratio",
        "metric loss_pct",
    ),
    ("lostpackets droppedpackets dropped", "metric lost_packets"),
    (
        "latency e2e_delay end_to_end_delay endtoenddelay average_delay avg_delay mean_delay delaysum delay one_way_delay owd",
        "metric delay_ms|key wire.N.delay",
    ),
    ("p95_delay delay_p95 delay95", "metric delay_p95_ms"),
    ("p99_delay delay_p99 tail_latency delay99", "metric delay_p99_ms"),
    ("median_delay p50_delay", "metric delay_p50_ms"),
    ("jittersum delay_variation ipdv pdv", "metric jitter_ms"),
    ("rtt round_trip_time avg_rtt srtt_ mean_rtt", "metric mean_rtt_ms"),
    (
        "fairness fairness_index jain_index jains_index jfi jains_fairness_index jain_fairness_index jains_fairness",
        "metric network.jain",
    ),
    (
        "aggregate_throughput total_throughput sum_throughput system_throughput network_throughput capacity",
        "metric network.aggregate_kbps",
    ),
    (
        "overhead routing_overhead normalized_routing_load nrl routing_load control_overhead control_packets normalized_routing_overhead normalised_routing_load routing_control_overhead",
        "metric network.routing_packets|key flow.N.jitter",
    ),
    (
        "route_discovery_latency discovery_latency route_discovery_time route_acquisition_latency route_acquisition_delay route_setup_time",
        "metric network.discovery_ms",
    ),
    (
        "channel_utilization channel_utilisation channel_busy_time busy_time channel_load utilization airtime air_time",
        "metric node.N.airtime_s",
    ),
    ("route_breaks link_breaks linkbreaks link_breakages broken_links", "metric network.link_failures"),
    ("congestion_window cwnd_ mean_window avg_cwnd average_cwnd cwin congestionwindow", "metric mean_cwnd"),
    ("hopcount avg_hops path_length hop_count numhops", "metric mean_hops|key topology.hops"),
    ("rtos timeouts_count nrto num_timeouts rto_count", "metric timeouts"),
    ("retransmissions retransmits nrexmit nrexmitpack retrans", "metric retransmitted_packets"),
    ("fct flow_completion_time completion_time download_time transfer_time", "metric completion_s"),
    ("txpackets tx_packets packets_sent numsent", "metric sent_packets"),
    ("rxpackets rx_packets packets_received numreceived", "metric received_packets"),
    ("rxbytes rx_bytes bytes_received", "metric received_bytes"),
    ("queuelength queue_length qlen queue_size_mean avg_queue", "metric node.N.queue_mean|key mac.queue"),
    ("collisions retries mac_collisions numcollision numretry", "metric node.N.mac_retries"),
    ("ifq_drops queue_overflow buffer_drops", "metric node.N.queue_drops"),
    ("pesq voice_quality opinion_score", "metric mos"),
    ("outage_duration outage_time longest_gap", "metric longest_outage_s"),
    // Runs.
    ("rngrun rngseed seed_set rng run_number runs replications repeat repetitions nruns numruns", "key seeds|key seed"),
    (
        "simtime stop simulation_time simulationtime sim_time_limit stoptime stop_time val_stop runtime sim_duration totaltime",
        "key duration|key flow.N.stop",
    ),
    ("warmup_period warm_up warmuptime transient", "key warmup"),
    ("simulator mode behaviour behavior", "key profile"),
    // Radio.
    (
        "csrange cs_thresh csthresh carrier_sense_range sense_range sensing_range sensingrange csthreshold energydetectionthreshold ccaedthreshold ccamode1threshold cca_threshold ccasensitivity sensitivity_cs detectionrange",
        "key radio.cs_range",
    ),
    (
        "rxthresh rx_range rx_thresh rxrange transmission_range transmissionrange txrange communication_range commrange range receptionrange rxsensitivity communicationrange maxcommdist",
        "key radio.tx_range",
    ),
    ("interferencerange inter_range interf_range", "key radio.interference_range"),
    ("cpthresh capture_thresh capturethreshold capture", "key radio.capture_threshold"),
    ("pt txpower tx_power_dbm txpowerstart txpowerend transmitterpower transmit_power power", "key radio.tx_power"),
    ("freq channel_frequency centerfrequency carrierfrequency", "key radio.frequency"),
    (
        "noisefigure rxnoisefigure noise thermal_noise noise_power backgroundnoise noise_th noise_threshold noisefloor",
        "key radio.noise_floor",
    ),
    ("pathlossexponent pathloss_exponent exponent alpha_pathloss beta_ exp_loss", "key radio.path_loss_exponent"),
    ("exp", "key radio.path_loss_exponent|value flow.N.app=on-off"),
    ("std_db shadowing_std shadowingdeviation sigma std_dev stddb", "key radio.shadowing_sigma"),
    ("nakagami nakagami_fading m0 m1", "key radio.nakagami_m|value radio.fading=nakagami"),
    (
        "rate datarate datarate_ phy_rate datamode bit_rate linkrate wifi_rate data_mode",
        "key radio.data_rate|key flow.N.rate|key wire.N.rate",
    ),
    ("basicrate control_rate controlmode controlrate nonunicastmode ctrl_rate", "key radio.basic_rate"),
    ("tworay tworayground two_ray_ground tworaygroundpropagationlossmodel", "value radio.propagation=two-ray"),
    (
        "freespace free_space freespacepathloss propagation_friis friispropagationlossmodel",
        "value radio.propagation=friis",
    ),
    (
        "logdistance log_distance_path_loss logdistancepropagationlossmodel lognormal",
        "value radio.propagation=log-distance",
    ),
    ("propmodel propagation_model proptype path_loss pathloss pathlosstype", "key radio.propagation"),
    ("rician rayleighfading rayleigh_fading", "value radio.fading=rayleigh"),
    ("ber bit_error_rate", "key radio.error.ber"),
    (
        "fer frame_error_rate packet_error_rate error_rate per_ errormodel error_model rate_error",
        "key radio.error.per|key radio.error",
    ),
    ("gilbert gilbertelliot elliott gilbert_elliot twostatemarkov burst", "value radio.error.kind=gilbert-elliott"),
    ("wifi_standard standard_wifi phymode opmode phytype wifi wifistandard", "key radio.preset|key radio.phy"),
    (
        "802.11b 80211b ieee80211b wifi_phy_standard_80211b hr-dsss dsssrate11mbps dsss-11M b11",
        "value radio.preset=hr-dsss-11M",
    ),
    ("dsss-5.5M dsssrate5_5mbps", "value radio.preset=hr-dsss-5.5M"),
    ("dsssrate2mbps dsss2 hr-dsss-2M", "value radio.preset=dsss-2M"),
    ("dsssrate1mbps dsss1 hr-dsss-1M", "value radio.preset=dsss-1M"),
    (
        "802.11a 80211a ieee80211a wifi_phy_standard_80211a ofdmrate54mbps ofdm",
        "value radio.preset=ofdm-54M|value radio.phy=ofdm",
    ),
    ("ofdmrate6mbps", "value radio.preset=ofdm-6M"),
    (
        "802.11g 80211g ieee80211g wifi_phy_standard_80211g erpofdmrate54mbps erp g54",
        "value radio.preset=erp-ofdm-54M|value radio.phy=erp-ofdm",
    ),
    ("802.11 80211 wavelan lucent 914mhz legacy wavelan2m", "value radio.preset=wavelan-2M"),
    ("sinrmodel cumulative additive interferencehelper snir sir", "value radio.interference=sinr"),
    ("protocol_model disk diskmodel unitdisk unit_disk", "value radio.interference=range"),
    ("gt gr antennagain rxgain txgain antenna_gain_db", "key radio.antenna_gain"),
    ("l_ systemloss", "key radio.system_loss"),
    ("z_ antennaheight heightabovez height", "key radio.antenna_height"),
    ("fadingmodel fadingtype", "key radio.fading"),
    // MAC.
    ("rts rtscts rts_cts rtsctsthreshold rtsthreshold rts_thresh use_rts rts_cts_threshold", "key mac.rts_threshold"),
    ("cwmin cw_minimum mincw cwmindata contention_window minimum_cw", "key mac.cw_min"),
    ("cwmax maxcw cwmaxdata", "key mac.cw_max"),
    ("slottime slot_time", "key mac.slot"),
    ("sifs_time sifstime", "key mac.sifs"),
    ("shortretrylimit ssrc maxssrc short_retry", "key mac.short_retry_limit"),
    ("longretrylimit slrc maxslrc long_retry", "key mac.long_retry_limit"),
    ("retrylimit maxretries max_retries mac_retries frameretries", "key mac.retry_limit|key mac.short_retry_limit"),
    ("fragmentationthreshold frag_threshold fragthreshold fragment_threshold", "key mac.fragmentation_threshold"),
    (
        "ifqlen ifq ifqlen_ ifq_len queue_limit queuesize queue_size maxsize buffer buffer_size buffersize queuelimit framecapacity packetcapacity qlimit limit queue_in_bytes ifq_length txqueuelen max_queue_size",
        "key mac.queue|key wire.N.queue",
    ),
    (
        "stationmanager wifimanager remotestationmanager ratemanager rate_adaptation rate_algorithm ratecontrol autorate",
        "key mac.rate_control",
    ),
    ("constantrate constantratewifimanager constant", "value mac.rate_control=fixed"),
    ("arfwifimanager", "value mac.rate_control=arf"),
    ("aarfwifimanager aarf-cd amrr onoe", "value mac.rate_control=aarf"),
    ("minstrelwifimanager", "value mac.rate_control=minstrel"),
    ("minstrelhtwifimanager minstrelht minstrel_ht rc80211_minstrel_ht", "value mac.rate_control=minstrel-ht"),
    ("idealwifimanager oracle", "value mac.rate_control=ideal"),
    ("adaptive_pacing", "value mac.link=pacing"),
    ("linkred link_red l-red", "value mac.link=lred"),
    ("neighborhood_red neighborhoodred", "value mac.link=nred"),
    ("fqcodel fq_codel fqcodelqueuedisc sfqcodel sfq", "value mac.link=fq-codel"),
    ("aql airtime_queue_limit airtimequeuelimit txq_limit aql_txq_limit byte_queue_limit bql", "key mac.airtime_limit"),
    ("droptail drop_tail fifo pfifo pfifo_fast", "value mac.link=plain"),
    ("aqm qdisc queuedisc queue_type queuetype link_layer iftype", "key mac.link"),
    ("minthresh thresh minth_ minth min_th", "key link.red_min"),
    ("maxthresh maxth max_th", "key link.red_max"),
    ("linterm maxp max_p", "key link.red_max_p"),
    ("qweight q_weight qw wq", "key link.red_weight"),
    ("codeltarget target_delay target", "key link.codel_target"),
    // Topology and movement.
    ("line linear lineartopology string row", "value topology.kind=chain"),
    ("mesh lattice gridpositionallocator gridlayout matrix", "value topology.kind=grid"),
    ("hidden hidden_terminal hiddenterminal hidden_node exposed exposed_terminal", "value topology.kind=chain"),
    (
        "uniform_random randomtopology uniformrandom randomdisc randomrectangle randomrectanglepositionallocator",
        "value topology.kind=random",
    ),
    ("circle circular", "value topology.kind=ring"),
    ("dumbbell bottleneck pointtopoint p2p ethernet csma", "value topology.kind=wired"),
    (
        "single tree hub single_switch hotspot infrastructure bss accesspoint ap",
        "value topology.kind=star|value topology.kind=access",
    ),
    ("listpositionallocator coordinates manual fixed_positions", "value topology.kind=positions"),
    (
        "nn numnodes num_nodes nnodes n_nodes nodecount numberofnodes number_of_nodes numhosts stations nsta numsta",
        "key topology.nodes|key topology.hops",
    ),
    ("distance node_distance deltax delta spacing_m step_size gap separation nodedistance", "key topology.spacing"),
    ("numhops nhops number_of_hops", "key topology.hops"),
    ("scenariofile sc movement_file", "key mobility.path|key topology.path"),
    (
        "rwp waypoint randomwaypoint randomwaypointmobilitymodel randomwaypointmobility random_way_point",
        "value mobility.model=random-waypoint",
    ),
    ("randomwalk2d randomwalk2dmobilitymodel brownian", "value mobility.model=random-walk"),
    ("gaussmarkov gaussmarkovmobilitymodel gauss_markov_mobility", "value mobility.model=gauss-markov"),
    ("manhattangrid manhattan_grid", "value mobility.model=manhattan"),
    ("rpgm reference_point_group group_mobility", "value mobility.model=group"),
    ("setdest ns2mobilityhelper bonnmotion tracemobility", "value mobility.model=file"),
    (
        "stationary constantposition constantpositionmobilitymodel stationarymobility nomobility",
        "value mobility.model=static",
    ),
    ("maxspeed max_speed speedmax vmax max_v", "key mobility.speed_max"),
    ("minspeed min_speed vmin min_v", "key mobility.speed_min"),
    ("pausetime pause_time waittime", "key mobility.pause"),
    ("mobilitymodel mobility_model mobilitytype movement", "key mobility.model"),
    (
        "bounds field playground constraintarea field_size width val_x val_y area_size",
        "key topology.area|key mobility.area",
    ),
    // Routing.
    ("adhocrouting rp routing_protocol routingprotocol routingalgorithm routetype", "key routing.protocol"),
    ("aodvuu aodv-uu aodvrouting aodvhelper", "value routing.protocol=aodv"),
    ("linkqualitylevel linkqualityalgorithm etx", "key routing.olsr.metric|key routing.metric"),
    ("olsrd olsrhelper olsrv1 unik-olsr um-olsr", "value routing.protocol=olsr"),
    ("babeld rfc8966 babelhelper", "value routing.protocol=babel"),
    (
        "batman batman-adv batman_adv batadv batman-iv bat_iv",
        "value routing.protocol=batman_iv|value routing.protocol=batman_v",
    ),
    ("batman-v bat_v", "value routing.protocol=batman_v"),
    ("dsrhelper dsragent dsrrouting", "value routing.protocol=dsr"),
    ("meshhelper dot11s 80211s 802.11s ieee80211s open80211s hwmpprotocol meshpoint", "value routing.protocol=hwmp"),
    ("dsdvhelper dsdvrouting", "value routing.protocol=dsdv"),
    (
        "nix nixvector global globalrouting ipv4globalrouting shortest shortest_path noah dumbagent configurator ospf",
        "value routing.protocol=static",
    ),
    (
        "hello_interval_ hellointerval hello",
        "key routing.aodv.hello_interval|key routing.olsr.hello_interval|key routing.babel.hello_interval",
    ),
    ("tcinterval tc_interval_", "key routing.olsr.tc_interval"),
    (
        "orig_interval originatorinterval",
        "key routing.batman_iv.originator_interval|key routing.batman_v.originator_interval",
    ),
    ("hoppenalty hop_penalty_", "key routing.batman_iv.hop_penalty|key routing.batman_v.hop_penalty"),
    ("activeroutetimeout", "key routing.aodv.active_route_timeout"),
    ("allowedhelloloss", "key routing.aodv.allowed_hello_loss"),
    ("netdiameter network_diameter", "key routing.aodv.net_diameter"),
    ("maxbeaconloss", "key routing.hwmp.max_beacon_loss"),
    ("maxpacketfailure", "key routing.hwmp.max_packet_failures"),
    ("dot11meshhwmpactivepathtimeout", "key routing.hwmp.active_path_timeout"),
    // Flows.
    (
        "window window_ maxwindow rwnd rcvbufsize rcvbuf advertisedwindow receiver_window rwin rcv_wnd wnd",
        "key flow.N.max_window",
    ),
    (
        "packetsize packetsize_ packet_size mss segmentsize segment_size segsize payload payloadsize payload_size messagelength pktsize packet_bytes",
        "key flow.N.packet",
    ),
    ("interval interval_ sendinterval packet_interval inter_arrival", "key flow.N.rate"),
    ("random_ randomize jitter_random randomness", "key flow.N.jitter"),
    ("ontime on_time burst_time bursttime burst_time_", "key flow.N.on"),
    ("offtime off_time idle_time idletime idle_time_", "key flow.N.off"),
    ("maxburst max_burst burst_limit paced pacing_enabled enablepacing", "key tcp.pacing"),
    ("cwnd_max maxcwnd maxcwnd_", "key tcp.cwnd_limit"),
    ("traffic traffic_type application apptype apps", "key flow.N.app"),
    (
        "ftp bulksend bulksendapplication bulksendhelper greedy iperf saturated infinite tcpsessionapp backlogged",
        "value flow.N.app=bulk",
    ),
    ("onoff onoffapplication onoffhelper exponential exponentialtraffic pareto", "value flow.N.app=on-off"),
    ("constantbitrate constant_bit_rate udpclient udpecho udpbasicapp udp_client ping", "value flow.N.app=cbr"),
    ("voip g711 telephony voipapp", "value flow.N.app=voice"),
    ("maxbytes filesize file_size sendbytes totalbytes", "key flow.N.bytes"),
    ("maxpkts maxpackets numpackets packetcount", "key flow.N.packets"),
    ("src source sender srcnode source_node srcaddr client", "key flow.N.from"),
    ("dst dest destination sink receiver destnode server destaddress dstaddr", "key flow.N.to"),
    ("starttime start_time begin starttime_ tstart at_start", "key flow.N.start"),
    ("endtime end_time end stop_at tend", "key flow.N.stop|key duration"),
    ("numflows nflows num_flows num_connections mc nconn parallel streams number_of_flows", "key flow.N.copies"),
    (
        "tcptype tcp_type tcpvariant tcp_variant sockettype agent protocol_type transport_protocol transporttype",
        "key flow.N.transport",
    ),
    (
        "tcpalgorithmclass congestion_control congestioncontrol cc cca congestion tcp_congestion_control algorithm",
        "key flow.N.control",
    ),
    (
        "tcp/newreno newreno tcpnewreno agent/tcp/newreno tcplinuxreno",
        "value flow.N.transport=tcp-newreno|value flow.N.control=newreno",
    ),
    ("reno tcpreno agent/tcp/reno", "value flow.N.transport=tcp-reno"),
    ("tahoe tcptahoe agent/tcp", "value flow.N.transport=tcp-tahoe"),
    ("sack tcpsack agent/tcp/sack1 sack1 fullsack", "value flow.N.transport=tcp-sack"),
    ("vegas tcpvegas agent/tcp/vegas", "value flow.N.transport=tcp-vegas|value flow.N.control=vegas"),
    ("cubic tcpcubic bic tcpbic", "value flow.N.transport=tcp-cubic|value flow.N.control=cubic"),
    (
        "westwood tcpwestwood tcpwestwoodplus westwood+ westwoodplus",
        "value flow.N.transport=tcp-westwood|value flow.N.control=westwood",
    ),
    ("veno tcpveno", "value flow.N.transport=tcp-veno|value flow.N.control=veno"),
    ("bbr tcpbbr bbrv1 bbr1", "value flow.N.transport=tcp-bbr|value flow.N.control=bbr"),
    ("bbrv2 bbrv3 bbr2", "value flow.N.transport=tcp-bbr3|value flow.N.control=bbr3"),
    ("htcp tcphtcp", "value flow.N.transport=tcp-htcp|value flow.N.control=htcp"),
    ("illinois tcpillinois", "value flow.N.transport=tcp-illinois|value flow.N.control=illinois"),
    ("highspeed hstcp tcphighspeed", "value flow.N.transport=tcp-highspeed|value flow.N.control=highspeed"),
    ("scalable stcp tcpscalable", "value flow.N.transport=tcp-scalable|value flow.N.control=scalable"),
    ("tcpsocketfactory", "value flow.N.transport=tcp"),
    ("udpsocketfactory agent/udp udpapp", "value flow.N.transport=udp"),
    (
        "delack delayed_ack delayedack delayedacksenabled tcpsink/delack delack_ dack",
        "key flow.N.ack|value flow.N.ack=delayed",
    ),
    ("delackcount delacktimeout delack_timeout delayed_ack_timeout tcpdelackmin", "key flow.N.ack_delay"),
    ("minrto minrto_ rto_min rtomin min_rto_", "key tcp.min_rto"),
    ("maxrto maxrto_ rto_max", "key tcp.max_rto"),
    ("initialcwnd initial_cwnd initcwnd iw windowinit windowinit_ init_cwnd", "key tcp.initial_window"),
    ("ssthresh initialssthresh initial_ss_thresh init_ssthresh", "key tcp.initial_ssthresh"),
    ("numdupacks numdupacks_ dupthresh retxthresh retxthreshold dupack tcprexmtthreshold", "key tcp.dupack_threshold"),
    ("limited_xmit limitedtransmit singledup", "key tcp.limited_transmit"),
    ("timestamp tstamp ts timestamps_ timestampsupport", "key tcp.timestamps"),
    ("usesack sackenabled sack_enable loss_detection", "key flow.N.recovery|key tcp.loss_recovery"),
    ("useecn ecn_ ecnmode", "key tcp.ecn|key link.ecn"),
    ("tcptick tcptick_ tick clockgranularity clock_tick", "key tcp.clock_granularity"),
    ("bandwidth bw link_bandwidth bottleneck_bw", "key wire.N.rate|key radio.data_rate"),
    ("propagation_delay link_delay_ wire_delay netem_delay", "key wire.N.delay"),
    ("ttl_ defaultttl", "key net.ttl"),
];

/// Names of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A dotted key; N stands for a number.
    Key(&'static str),
    /// A key and the value that it takes.
    Value(&'static str, &'static str),
    /// A metric.
    Metric(&'static str),
}

/// What a word of others means here, first what is meant most.
pub fn meant(word: &str) -> Vec<Meaning> {
    let found = named(word);
    // As written first: `tcpsink/delack` stands in the table, its last part alone means less.
    if found.is_empty() { named(bare(word)) } else { found }
}

/// A word without what its tool puts around it: `ns3::TcpVegas`, `Agent/UDP`, `opt(nn)`, `**.mac.queueSize`.
pub fn bare(word: &str) -> &str {
    let inner = word.split_once('(').map_or(word, |(_, inner)| inner.trim_end_matches(')'));
    let inner = inner.split(',').next().unwrap_or(inner); // linear,5
    inner.rsplit([':', '/', '.']).next().unwrap_or(inner)
}

fn named(word: &str) -> Vec<Meaning> {
    let wanted = plain(word);
    // A word may stand in several lines; all of its meanings count, in the order of the table.
    let is_it = |theirs: &str| theirs.split(' ').any(|other| plain(other) == wanted);
    let ours = TABLE.iter().filter(|(theirs, _)| is_it(theirs)).flat_map(|(_, ours)| ours.split('|'));
    ours.filter_map(|name| {
        let (kind, name) = name.split_once(' ')?;
        Some(match (kind, name.split_once('=')) {
            ("value", Some((key, value))) => Meaning::Value(key, value),
            ("metric", _) => Meaning::Metric(name),
            _ => Meaning::Key(name),
        })
    })
    .collect()
}

/// Every word of the table with what it means.
pub fn all() -> Vec<(&'static str, Vec<Meaning>)> {
    TABLE.iter().flat_map(|(theirs, _)| theirs.split(' ')).map(|word| (word, meant(word))).collect()
}

/// A word without what writings differ in.
pub fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric() || *c == '+').flat_map(char::to_lowercase).collect()
}

impl Meaning {
    /// The last part of the name, as it stands in a table or a list of choices.
    pub fn last(self) -> &'static str {
        match self {
            Meaning::Key(name) | Meaning::Metric(name) => name.rsplit('.').next().unwrap_or(name),
            Meaning::Value(_, value) => value,
        }
    }

    /// The whole name.
    pub fn whole(self) -> String {
        match self {
            Meaning::Key(name) | Meaning::Metric(name) => name.to_string(),
            Meaning::Value(key, value) => format!("{key} = \"{value}\""),
        }
    }

    /// The name in a message.
    pub fn shown(self) -> String {
        match self {
            Meaning::Metric(name) => format!("the metric {name}"),
            Meaning::Key(_) | Meaning::Value(..) => self.whole(),
        }
    }
}
