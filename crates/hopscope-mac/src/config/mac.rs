//! Parameters of the 802.11 DCF and the interface queue.

use crate::ppdu::MAX_PPDU;
use hopscope_core::config::params::Range;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// How the extended inter-frame space is kept.
    pub enum EifsRule {
        /// After a frame received in error EIFS replaces DIFS; a correct frame ends it.
        ReplacesDifs = "replaces-difs",
        /// EIFS is written into the NAV at the end of the errored frame and DIFS follows it; nothing ends it early.
        Nav = "nav",
        /// No EIFS.
        Off = "off",
    }
}

choice! {
    /// The rate of the ACK within EIFS.
    pub enum EifsRate {
        /// The lowest mandatory rate of the PHY: 1 Mbit/s after a long preamble for DSSS, HR/DSSS and ERP-OFDM, 6 Mbit/s for
        /// OFDM.
        LowestMandatory = "lowest-mandatory",
        /// The lowest of `basic_rate` and `response_rates`, after the preamble in use.
        LowestUsed = "lowest-used",
        /// That of the PLCP preamble, whatever rates frames have: 1 Mbit/s for DSSS and HR/DSSS (2 Mbit/s where `plcp_bits_1m`
        /// is 0), 6 Mbit/s for OFDM and ERP-OFDM.
        Plcp = "plcp",
    }
}

choice! {
    /// Which TXOP limits the access categories have where `edca_txop` gives none.
    pub enum TxopTable {
        /// IEEE 802.11-2020 table 9-155, OFDM PHY: 2.528 ms background and best effort, 4.096 ms video, 2.080 ms voice.
        Y2020 = "802.11-2020",
        /// IEEE 802.11-2016 and Linux: none background and best effort, 3.008 ms video, 1.504 ms voice.
        Y2016 = "802.11-2016",
        /// ns-3.44: none background and best effort, 4.096 ms video, 2.080 ms voice.
        Ns3 = "ns-3.44",
        /// None: one frame exchange for each access.
        None = "none",
    }
}

choice! {
    /// What protects a frame that is longer than `rts_threshold` from stations around its transmitter, and its receiver.
    pub enum Protection {
        /// RTS and CTS: the stations around both hear that the medium is reserved. Without a CTS no data frame goes.
        RtsCts = "rts-cts",
        /// A CTS to its own transmitter, once in a TXOP: the stations around the transmitter hear it, and nothing is awaited.
        CtsToSelf = "cts-to-self",
    }
}

choice! {
    /// What follows an exchange that fails after another one of the same TXOP.
    pub enum TxopRecovery {
        /// PIFS recovery: the TXOP goes on where the medium stays idle for PIFS, as long as its next exchange fits.
        Pifs = "pifs",
        /// The TXOP is over: a back-off follows with a doubled window.
        Backoff = "backoff",
    }
}

choice! {
    /// When the MPDUs of an A-MPDU go up.
    pub enum AmpduRelease {
        /// Together, at the end of the PPDU.
        Ppdu = "ppdu",
        /// Each at its own end: all but the last find the medium busy, and what they cause to be sent draws a back-off.
        Mpdu = "mpdu",
    }
}

choice! {
    /// How Block Ack agreements come about.
    pub enum BlockAckSetup {
        /// Agreements are there from the first packet on, and cost no frame.
        Given = "given",
        /// An ADDBA request and its response set each of them up.
        Addba = "addba",
    }
}

choice! {
    /// What follows an A-MPDU that no Block Ack has answered.
    pub enum MissingBlockAck {
        /// A Block Ack request, whose answer says what is to be sent again.
        Request = "request",
        /// The MPDUs again.
        Resend = "resend",
    }
}

choice! {
    /// What keeps a NAV that was set by an RTS, if it comes within NAVTimeout.
    pub enum NavConfirmation {
        /// Any frame that is sensed: it begins within that time.
        Carrier = "carrier",
        /// PHY-RXSTART.indication: a frame that holds the receiver, and whose preamble and PLCP header have come by then.
        RxStart = "rx-start",
    }
}

choice! {
    /// When a station gives up waiting for a CTS or an ACK.
    pub enum ResponseTimeout {
        /// After SIFS, a slot and the PHY's receive-start delay, unless a frame is then being received.
        RxStart = "rx-start",
        /// After SIFS and the whole response, plus twice `timeout_margin`.
        FullFrame = "full-frame",
    }
}

choice! {
    /// When a station answers an RTS.
    pub enum CtsRule {
        /// When its NAV is idle.
        NavIdle = "nav-idle",
        /// When NAV and physical carrier sense are idle.
        MediumIdle = "medium-idle",
    }
}

choice! {
    /// What a station does whose back-off ends at an instant when the medium is busy.
    pub enum BusyAtExpiry {
        /// It transmits: it cannot have sensed the other frame in time.
        Transmit = "transmit",
        /// It doubles the contention window and draws a new back-off.
        DoubleCw = "double-cw",
    }
}

choice! {
    /// Whose failures the retry limits count.
    pub enum Counting {
        /// Each packet has counts of its own from 0; a CTS or the end of another packet does not touch them. Counts of the
        /// station decide when the contention window is reset.
        Packet = "packet",
        /// The station has one short and one long count: a CTS resets the short one, and what one packet leaves, the next
        /// inherits. The contention window is reset when a packet is given up.
        Station = "station",
    }
}

choice! {
    /// Which received data frame repeats one received before, and is thrown away.
    pub enum Duplicates {
        /// One with the Retry bit whose numbers are those of the last frame of its sender.
        RetryBit = "retry-bit",
        /// One whose numbers are those of the last frame of its sender.
        Sequence = "sequence",
    }
}

choice! {
    /// What the estimate of a node's collision probability is made from.
    pub enum CollisionSignal {
        /// Data frames without ACK over data frames sent; broadcasts, which nobody acknowledges, count as sent.
        DataRetries = "data",
        /// Failed attempts, RTS and data frames alike, over attempts.
        AllRetries = "rts",
        /// The share of time in which the stations that can decode this one have been on the air; frames at once count each.
        BusyTime = "busy",
    }
}

choice! {
    /// How long the estimate remembers.
    pub enum CollisionMemory {
        /// An average that forgets by `collision_weight` with each attempt (busy time: with each look).
        Ewma = "ewma",
        /// The last `collision_window` attempts.
        Window = "window",
    }
}

choice! {
    /// Which packet draws a back-off, if none is pending.
    pub enum BackoffDraw {
        /// Every one that is not sent at once: one that found the medium busy, or was interrupted within DIFS.
        Deferred = "deferred",
        /// Only one that found the medium busy when it was handed down. Another, if interrupted, waits for DIFS again.
        FoundBusy = "found-busy",
    }
}

choice! {
    /// How a station finds the rate of its data frames.
    pub enum RateControlKind {
        /// They go at `data_rate`.
        Fixed = "fixed",
        /// Auto rate fallback: up after successes in a row, down after failures (Kamerman and Monteban 1997).
        Arf = "arf",
        /// Adaptive ARF: the same, slower to try again a rate that has failed at once (Lacage, Manshaei and Turletti 2004).
        Aarf = "aarf",
        /// The rate of most throughput of late, others sampled now and then (Linux mac80211). For rates before 802.11n.
        Minstrel = "minstrel",
        /// The same for the modes of HT, VHT and HE, by MPDUs acknowledged.
        MinstrelHt = "minstrel-ht",
        /// An oracle for HT, VHT and HE: the fastest mode for the ratio at which the receiver heard the last data PPDU.
        Ideal = "ideal",
    }
}

choice! {
    /// The rules of `rate_control = "minstrel-ht"`.
    pub enum MinstrelHtVariant {
        /// Linux before 5.12: samples by a count of MPDUs, in the order of a table.
        Linux = "linux",
        /// Linux from 5.12 on: samples by the clock, from lists of few rates, and a filter of second order.
        Linux512 = "linux-5.12",
        /// ns-3.44: as Linux before 5.12, but rates are compared as if nothing were aggregated, and whole PPDUs are samples.
        Ns3 = "ns-3.44",
    }
}

choice! {
    /// The modes that `rate_control = "minstrel-ht"` chooses from.
    pub enum RateGroups {
        /// Every MCS with up to `spatial_streams`, at `channel_width` and `guard_interval`.
        Streams = "streams",
        /// Narrower PPDUs and longer guard intervals as well, as Linux and ns-3 have them.
        All = "all",
    }
}

choice! {
    /// How the longer back-off of adaptive pacing passes.
    pub enum PacingClock {
        /// Counted down like the back-off itself, only while the medium is idle.
        Backoff = "backoff",
        /// By the clock.
        Wall = "wall",
    }
}

params! {
    /// 802.11 DCF and interface queue.
    pub struct MacConfig {
        /// Slot time.
        slot: Span = Span::from_micros(20), "s", "IEEE 802.11-2020 table 15-5", in Range::above(0.0).up_to(0.01);
        /// Short inter-frame space.
        sifs: Span = Span::from_micros(10), "s", "IEEE 802.11-2020 table 15-5", in Range::above(0.0).up_to(0.01);
        /// Smallest contention window.
        cw_min: u32 = 31, "slots", "IEEE 802.11-2020 table 15-5", in Range::within(1.0, 65_535.0);
        /// Largest contention window.
        cw_max: u32 = 1023, "slots", "IEEE 802.11-2020 table 15-5", in Range::within(1.0, 65_535.0);
        /// Unicast frames longer than this use RTS/CTS (bytes of the MAC frame); off disables it.
        rts_threshold: Option<u32> = Some(0), "bytes", "fu2003.table1";
        /// The PLCP preamble and header count as bytes of the frame (24 if long) where it is compared with `rts_threshold`.
        rts_counts_plcp: bool = false, "", "ns2-facts item 24", when "rts_threshold != off";
        /// Attempts of frames counted by the short retry counter (RTS, and data without RTS).
        short_retry_limit: u32 = 7, "attempts", "IEEE 802.11-2020 dot11ShortRetryLimit", in Range::within(1.0, 1e6),
            when "retry_limit = off or retry_counting = packet and cw_reset_failures = off";
        /// Attempts of data frames sent after RTS/CTS.
        long_retry_limit: u32 = 4, "attempts", "IEEE 802.11-2020 dot11LongRetryLimit", in Range::within(1.0, 1e6),
            when "qos = false and rts_threshold != off and retry_limit = off or qos = false and rts_threshold != off and retry_counting = packet and cw_reset_failures = off";
        /// Attempts of a packet, RTS and data frames together, in place of the two limits above; off leaves those.
        retry_limit: Option<u32> = None, "attempts", "ns3-cells rule 10 (7 there)", in Range::within(1.0, 1e6);
        /// Whose failures the retry limits count.
        retry_counting: Counting = Counting::Packet, "", "IEEE 802.11-2020 10.3.4.4",
            when "qos = false and retry_limit = off or qos = false and cw_reset_failures = off";
        /// Failures in a row, over all packets, after which the contention window is reset, in place of the rule of
        /// `retry_counting`; off leaves that.
        cw_reset_failures: Option<u32> = None, "failures", "ns3-cells rule 10 (8 there)", in Range::within(1.0, 1e6);
        /// MAC header and FCS of a data frame.
        data_header: u32 = 28, "bytes", "IEEE 802.11-2020 9.3.2.1 (three addresses)", in Range::within(0.0, 1_000.0);
        /// LLC/SNAP header between MAC header and network packet.
        llc_header: u32 = 8, "bytes", "RFC 1042", in Range::within(0.0, 1_000.0);
        /// Largest packet the MAC takes, LLC header included.
        max_msdu: u32 = 2304, "bytes", "IEEE 802.11-2020 9.2.4.7.1", in Range::within(1.0, 1e6);
        /// Unicast frames longer than this go in fragments (bytes of the MAC frame); off leaves them whole.
        fragmentation_threshold: Option<u32> = None, "bytes", "IEEE 802.11-2020 dot11FragmentationThreshold",
            in Range::within(256.0, 8_000.0);
        /// A packet in fragments that has not come completely after this time is given up by its receiver.
        receive_lifetime: Span = Span::from_micros(524_288), "s", "IEEE 802.11-2020 dot11MaxReceiveLifetime (512 TU)",
            in Range::above(0.0).up_to(60.0), when "fragmentation_threshold != off";
        /// Interface queue length.
        queue: u32 = 50, "packets", "fu2003.table1", in Range::within(1.0, 1e6);
        /// Places of the interface queue that are never taken: ns-2.35 drops the packet that would fill the last one.
        /// One place always remains.
        queue_reserve: u32 = 0, "packets", "ns-2.35 behaviour, measured for this project";
        /// Back-off is drawn from 0..=CW; otherwise from 0..CW-1.
        backoff_includes_cw: bool = true, "", "IEEE 802.11-2020 10.3.3";
        /// A frame that finds the medium idle for DIFS and no back-off pending is sent at once.
        immediate_access: bool = true, "", "IEEE 802.11-2020 10.3.4.2", when "nonfreezing_defer = false";
        /// Which packet draws a back-off, if none is pending.
        backoff_draw: BackoffDraw = BackoffDraw::Deferred, "", "IEEE 802.11-2020 10.3.4.2";
        /// A back-off follows a frame dropped at the retry limit.
        backoff_after_drop: bool = true, "", "IEEE 802.11-2020 10.3.3";
        /// A back-off that starts on an idle medium first waits an inter-frame space of its own; otherwise idle time that
        /// has passed counts.
        ifs_from_start: bool = false, "", "IEEE 802.11-2020 10.3.4.3";
        /// What happens when the back-off ends while the medium is busy.
        busy_at_expiry: BusyAtExpiry = BusyAtExpiry::Transmit, "", "IEEE 802.11-2020 10.3.4.3";
        /// A frame that begins within this time before the end of a station's back-off comes too late to be sensed.
        cca_delay: Span = Span::from_micros(5), "s", "IEEE 802.11-2020 table 15-5 (aRxTxTurnaroundTime)";
        /// A slot counts as passed when a frame begins so little before its end: two propagation delays and the one along both,
        /// each rounded to a nanosecond, part stations in line that begin with the same slot.
        slot_rounding: Span = Span(2), "s", "a default: the rounding of this engine; ns-2 has its own";
        /// How the extended inter-frame space is kept.
        eifs: EifsRule = EifsRule::ReplacesDifs, "", "IEEE 802.11-2020 10.3.2.3.7";
        /// The rate of the ACK within EIFS.
        eifs_rate: EifsRate = EifsRate::LowestMandatory, "", "IEEE 802.11-2020 10.3.7 (AckTxTime)",
            when "eifs != off";
        /// A NAV set by an RTS is reset when no frame follows it in time.
        nav_reset: bool = true, "", "IEEE 802.11-2020 10.3.2.4", when "rts_threshold != off";
        /// Which frame keeps such a NAV.
        nav_confirmed_by: NavConfirmation = NavConfirmation::Carrier, "", "a default; IEEE 802.11-2020 10.3.2.4: rx-start",
            when "nav_reset = true";
        /// When a station gives up waiting for a response.
        response_timeout: ResponseTimeout = ResponseTimeout::RxStart, "", "IEEE 802.11-2020 10.3.2.9";
        /// Allowance for one propagation delay in `response_timeout = "full-frame"`.
        timeout_margin: Span = Span::from_micros(2), "s", "ns2-facts item 17", in Range::within(0.0, 1e-3),
            when "response_timeout = full-frame";
        /// When an RTS is answered.
        cts_rule: CtsRule = CtsRule::NavIdle, "", "IEEE 802.11-2020 10.3.2.9", when "rts_threshold != off";
        /// After a CTS the data frame is sent only if NAV and carrier sense are idle; otherwise the RTS is repeated
        /// with a doubled window.
        data_needs_idle: bool = false, "", "ns2-facts item 22", when "rts_threshold != off";
        /// Which received data frame counts as a repetition.
        duplicates: Duplicates = Duplicates::RetryBit, "", "IEEE 802.11-2020 10.3.2.14";
        /// With RTS/CTS in use, data is accepted only from the station the CTS was sent to.
        data_needs_cts: bool = false, "", "ns2-facts item 25", when "rts_threshold != off";
        /// Duration fields are rounded to whole microseconds.
        duration_whole_us: bool = true, "", "IEEE 802.11-2020 9.3.1.2 to 9.3.2.1";
        /// What a node's estimate of its collision probability is made from, which packets of `ack = "mda"` gather.
        collision_signal: CollisionSignal = CollisionSignal::DataRetries, "",
            "armaghani2008 (retransmitted over transmitted packets)", when "flow.ack = mda | external";
        /// How long that estimate remembers.
        collision_memory: CollisionMemory = CollisionMemory::Ewma, "", "a default (not published)",
            when "flow.ack = mda | external";
        /// Attempts that `collision_memory = "window"` holds.
        collision_window: u32 = 20, "attempts", "a default (not published)", in Range::within(1.0, 100_000.0),
            when "flow.ack = mda | external and collision_memory = window";
        /// Weight of a new attempt in `collision_memory = "ewma"`.
        collision_weight: f64 = 0.05, "", "a default (not published)", in Range::within(1e-6, 1.0),
            when "flow.ack = mda | external and collision_memory = ewma";
        /// How a station finds the rate of its data frames, for each neighbour apart. RTS and broadcast frames stay at
        /// `basic_rate`.
        rate_control: RateControlKind = RateControlKind::Fixed, "", "a default";
        /// Rates that it chooses from. Empty: all rates of the PHY up to `data_rate`.
        rates: Vec<u64> = Vec::new(), "bit/s", "a default", when "rate_control = arf | aarf | minstrel";
        /// Data frames acknowledged in a row after which the next faster rate is tried.
        arf_successes: u32 = 10, "frames", "Kamerman and Monteban 1997", in Range::within(1.0, 1e6),
            when "rate_control = arf | aarf";
        /// Attempts since the count began after which a success leads up, whatever failed between.
        arf_attempts: u32 = 15, "frames", "ns-3.44 (a time in Kamerman and Monteban 1997)", in Range::within(1.0, 1e6),
            when "rate_control = arf | aarf";
        /// By what both counts grow when the first frame at a faster rate fails.
        aarf_factor: f64 = 2.0, "", "Lacage, Manshaei and Turletti 2004", in Range::within(1.0, 1e3), when "rate_control = aarf";
        /// How far `arf_successes` grows.
        aarf_most: u32 = 50, "frames", "Lacage, Manshaei and Turletti 2004", in Range::within(1.0, 1e6),
            when "rate_control = aarf";
        /// Time between two looks at what the rates have carried.
        minstrel_interval: Span = Span::from_millis(100), "s", "Linux mac80211", in Range::above(0.0).up_to(1e3),
            when "rate_control = minstrel";
        /// Packets in a hundred that sample another rate.
        minstrel_sampling: u32 = 10, "%", "Linux mac80211", in Range::within(0.0, 100.0), when "rate_control = minstrel";
        /// Weight of the past in the average share of frames acknowledged.
        minstrel_weight: f64 = 0.75, "", "Linux mac80211", in Range::within(0.0, 1.0), when "rate_control = minstrel";
        /// Length of the frame that rates are compared by.
        minstrel_bytes: u32 = 1200, "bytes", "Linux mac80211", in Range::within(1.0, 8_000.0),
            when "rate_control = minstrel";
        /// The rules of `rate_control = "minstrel-ht"`.
        minstrel_ht: MinstrelHtVariant = MinstrelHtVariant::Linux512, "", "a default", when "rate_control = minstrel-ht";
        /// The modes that it chooses from.
        minstrel_ht_groups: RateGroups = RateGroups::Streams, "", "a default; Linux and ns-3: all",
            when "rate_control = minstrel-ht";
        /// Share of wrong bits at the threshold of a mode.
        ideal_ber: f64 = 1e-5, "probability", "a default; ns-3: 1e-6", in Range::within(1e-12, 0.1), when "rate_control = ideal";
        /// QoS station: EDCA in place of the DCF, QoS data frames, and Block Ack where `ampdu` is on.
        qos: bool = false, "", "IEEE 802.11-2020 10.23.2";
        /// AIFSN of the access categories, in the order background, best effort, video, voice. Empty: 7, 3, 2, 2.
        edca_aifsn: Vec<u32> = Vec::new(), "slots", "IEEE 802.11-2020 table 9-155", in Range::within(2.0, 15.0), when "qos = true";
        /// Smallest contention windows of the access categories, in the same order. Empty: `cw_min`, `cw_min`, and half and a
        /// quarter of it.
        edca_cw_min: Vec<u32> = Vec::new(), "slots", "IEEE 802.11-2020 table 9-155", in Range::within(0.0, 65_535.0), when "qos = true";
        /// Largest contention windows, in the same order. Empty: `cw_max`, `cw_max`, `cw_min`, and half of it.
        edca_cw_max: Vec<u32> = Vec::new(), "slots", "IEEE 802.11-2020 table 9-155", in Range::within(0.0, 65_535.0), when "qos = true";
        /// TXOP limits in the same order; 0 is one frame exchange for each access. Empty: those of `edca_txop_table`. The Duration
        /// field, of 16 bits, announces what is left of one.
        edca_txop: Vec<u32> = Vec::new(), "us", "IEEE 802.11-2020 table 9-155", in Range::within(0.0, 32_767.0), when "qos = true";
        /// Which table of TXOP limits holds.
        edca_txop_table: TxopTable = TxopTable::Y2016, "", "Linux mac80211 and the tables of before 2020", when "qos = true";
        /// What goes before frames longer than `rts_threshold`.
        protection: Protection = Protection::RtsCts, "", "IEEE 802.11-2020 10.3.2.9 and 10.27", when "qos = true and rts_threshold != off";
        /// What follows an exchange of a TXOP that fails; a back-off always follows the first one.
        txop_recovery: TxopRecovery = TxopRecovery::Pifs, "", "a default; IEEE 802.11-2020 10.23.2.8 allows both; ns-3.44",
            when "qos = true";
        /// Most bytes of an A-MPDU; off sends each MPDU alone.
        ampdu: Option<u32> = Some(65_535), "bytes", "IEEE 802.11-2020 10.12.2", in Range::within(100.0, 6_500_631.0),
            when "qos = true and radio.ppdu_format = ht | vht | he";
        /// Most bytes of an A-MSDU, which carries several packets for one station in one MPDU; off: each has its own.
        amsdu: Option<u32> = None, "bytes", "IEEE 802.11-2020 9.2.4.7.1 (3839 or 7935)", in Range::within(100.0, 11_398.0),
            when "qos = true";
        /// MPDUs that may be under way to one receiver: the buffer size of a Block Ack agreement.
        block_ack_window: u32 = 64, "MPDUs", "IEEE 802.11-2020 9.4.1.13", in Range::within(1.0, 256.0),
            when "qos = true and ampdu != off";
        /// How these agreements come about.
        block_ack_setup: BlockAckSetup = BlockAckSetup::Given, "", "a default; IEEE 802.11-2020 10.25.2 has ADDBA frames",
            when "qos = true and ampdu != off";
        /// The response to an ADDBA request has to come so long after the ACK of the request.
        addba_response_timeout: Span = Span::from_millis(5), "s", "ns-3.44; dot11ADDBAResponseTimeout of IEEE 802.11-2020: 1 s",
            in Range::above(0.0).up_to(10.0), when "block_ack_setup = addba";
        /// After a request in vain a station sends MPDUs with ordinary ACKs so long, before it asks again.
        addba_retry_interval: Span = Span::from_millis(200), "s", "ns-3.44", in Range::above(0.0).up_to(3600.0),
            when "block_ack_setup = addba";
        /// Longest PPDU of data.
        longest_ppdu: Span = MAX_PPDU, "s", "IEEE 802.11-2020 table 19-25 (aPPDUMaxTime)",
            in Range::above(0.0).up_to(0.005_484), when "qos = true and radio.ppdu_format = ht | vht | he";
        /// What follows an A-MPDU without a Block Ack.
        missing_block_ack: MissingBlockAck = MissingBlockAck::Request, "", "IEEE 802.11-2020 10.25.6.7",
            when "qos = true and ampdu != off";
        /// Attempts of an MPDU under a Block Ack agreement; off: until `msdu_lifetime` ends.
        mpdu_retry_limit: Option<u32> = Some(7), "attempts", "IEEE 802.11-2020 10.23.2.12", in Range::within(1.0, 1e6),
            when "qos = true and ampdu != off";
        /// After this time in the MAC a packet is given up, whether it was sent or not; off: never.
        msdu_lifetime: Option<u32> = None, "TU", "IEEE 802.11-2020 dot11EDCATableMSDULifetime", in Range::within(1.0, 60_000.0),
            when "qos = true";
        /// Airtime of one neighbour that the queue of a driver holds for an access category, as long as the station holds less than
        /// `airtime_threshold` in all; off: there is no such queue, and packets leave their flow queues when a PPDU takes them.
        airtime_limit: Option<u32> = None, "us", "a default; Linux (airtime queue limits): 12000", in Range::within(1.0, 1e7),
            when "qos = true and mac.link = fq-codel";
        /// The same where the station holds more.
        airtime_limit_low: u32 = 5_000, "us", "Linux", in Range::within(1.0, 1e7),
            when "qos = true and mac.link = fq-codel and airtime_limit != off";
        /// Airtime in the queues of the driver, all neighbours and access categories together, from which `airtime_limit_low` holds.
        airtime_threshold: u32 = 24_000, "us", "Linux", in Range::within(0.0, 1e8),
            when "qos = true and mac.link = fq-codel and airtime_limit != off";
        /// When the MPDUs of an A-MPDU go up.
        ampdu_release: AmpduRelease = AmpduRelease::Ppdu, "", "a default", when "qos = true and ampdu != off";
        /// A packet waits so long in the reordering buffer for those before it; off: until the window moves.
        reorder_timeout: Option<u32> = None, "ms", "a default; Linux: 100 ms", in Range::within(1.0, 60_000.0),
            when "qos = true and ampdu != off";
        /// A frame handed to an idle MAC waits on a timer that does not freeze (older simulators); busy at its end doubles
        /// the window.
        nonfreezing_defer: bool = false, "", "ns2-facts item 21";
    }
}

/// Bytes of the QoS Control field, which a QoS data frame has besides (IEEE 802.11-2020 9.2.4.5).
pub const QOS_CONTROL: u32 = 2;

impl MacConfig {
    /// Bytes of a data frame around its LLC header and packet: MAC header and FCS.
    pub fn data_overhead(&self) -> u32 {
        self.data_header + if self.qos { QOS_CONTROL } else { 0 }
    }
}
