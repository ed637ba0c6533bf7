//! Parameters of TCP. A flow has its own copy.

pub use super::controls::CongestionControl;
pub use super::tcp_choices::{
    CubicArithmetic, DoorDetection, Handshake, InitialSsthresh, LossWindow, MdaBusy, Recovery, RouteFailure,
    RttEstimator, SackLosses, SynOptions, TibetSamples, WestwoodSamples,
};
pub use super::tcp_kind::{LossRecovery, TcpKind};
pub use super::undo::{Detection, Undo};
use hopscope_core::config::params::Range;
use hopscope_core::config::section::seconds;
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// Whether segments are spread over time.
    pub enum Pacing {
        /// Where the variant does it: `tcp-ap`, `tcp-bbr` and `tcp-bbr3`.
        Own = "own",
        /// Every variant: by the window and the smoothed round-trip time, unless the variant has its own pace.
        Window = "window",
    }
}

/// Bytes of the timestamps option with its padding (RFC 7323 A).
pub const TIMESTAMPS_OPTION: u32 = 12;

params! {
    /// TCP sender and receiver.
    pub struct TcpConfig {
        /// TCP header.
        header: u32 = 20, "bytes", "RFC 9293 3.1", in Range::within(0.0, 1_000.0);
        /// Connection set-up and tear-down.
        handshake: Handshake = Handshake::ThreeWay, "", "RFC 9293 3.5";
        /// Options of SYN and SYN-ACK, which have to do with `handshake = "three-way"`.
        syn_options: SynOptions = SynOptions::All, "", "RFC 9293 3.7.1, RFC 7323 2, RFC 2018 2",
            when "handshake = three-way";
        /// Initial window in segments; 0 takes the rule of RFC 5681 (2, 3 or 4 by segment size).
        initial_window: u32 = 0, "segments", "RFC 5681 3.1", in Range::within(0.0, 1_000.0);
        /// Start value of ssthresh.
        initial_ssthresh: InitialSsthresh = InitialSsthresh::Unlimited, "", "RFC 5681 3.1";
        /// RTO before the first sample.
        initial_rto: Span = Span::from_secs(1), "s", "RFC 6298 2.1", in Range::above(0.0).up_to(3_600.0);
        /// Lower bound of the RTO.
        min_rto: Span = Span::from_secs(1), "s", "RFC 6298 2.4";
        /// Upper bound of the RTO.
        max_rto: Span = Span::from_secs(60), "s", "RFC 6298 2.5", in Range::above(0.0).up_to(86_400.0);
        /// Clock granularity G.
        clock_granularity: Span = Span::from_millis(1), "s", "a default (RFC 6298 4 asks for 100 ms or finer)",
            in Range::above(0.0).up_to(1.0);
        /// RTT measurement and RTO rules.
        rtt_estimator: RttEstimator = RttEstimator::Rfc6298, "", "RFC 6298";
        /// Limited transmit: a new segment on each of the first two duplicate ACKs.
        limited_transmit: bool = true, "", "RFC 3042", when "flow.recovery = newreno | sack | tahoe | reno";
        /// Factor on every RTO that comes from a measured round-trip time.
        rto_multiplier: u32 = 1, "", "RFC 6298; 5: de Oliveira and Braun 2005", in Range::within(1.0, 1000.0);
        /// Greatest congestion window, of controls that let it grow by ACKs; 0: none. Limited transmit may send beyond
        /// it, as in ns-2 beyond `maxcwnd_`; a limit by `max_window` stops it.
        cwnd_limit: u32 = 0, "segments", "a default; 4: de Oliveira and Braun 2005", in Range::within(0.0, 100_000.0);
        /// Duplicate ACKs that trigger a fast retransmit.
        dupack_threshold: u32 = 3, "ACKs", "RFC 5681 3.2", in Range::within(1.0, 1_000.0),
            when "flow.recovery != rack or route_failure = atcp";
        /// What is halved when a loss is found.
        loss_window: LossWindow = LossWindow::Flight, "", "RFC 5681 equation 4",
            when "flow.control != cubic | vegas | bbr | bbr3";
        /// The halved window is truncated to whole segments (older ns-2).
        integer_reduction: bool = false, "", "ns2-facts item 36", when "flow.control != cubic | vegas | bbr | bbr3";
        /// How losses are found and repaired, of flows that do not choose it by `recovery`; Tahoe, Reno and Vegas are
        /// what they are by their own way.
        loss_recovery: LossRecovery = LossRecovery::Own, "", "RFC 6582, RFC 6675, RFC 8985";
        /// Whether segments are spread over time.
        pacing: Pacing = Pacing::Own, "", "a default";
        /// Pacing by window: rate in slow start over cwnd per SRTT.
        pacing_slow_start: f64 = 2.0, "", "Linux net.ipv4.tcp_pacing_ss_ratio", in Range::within(0.01, 1e3),
            when "pacing = window and flow.control != ap | bbr | bbr3";
        /// Pacing by window: the same in congestion avoidance.
        pacing_avoidance: f64 = 1.2, "", "Linux net.ipv4.tcp_pacing_ca_ratio", in Range::within(0.01, 1e3),
            when "pacing = window and flow.control != ap | bbr | bbr3";
        /// An older word for all rules from `growth_by_ack` to `vegas_clears_no_wrap` together.
        recovery: Recovery = Recovery::Named, "", "RFC 5681, RFC 6582, RFC 6675";
        /// The window grows by a whole segment for each ACK in slow start, and also while it is not in use. Controls
        /// that grow in use only take each ACK by itself, not the round trip.
        growth_by_ack: bool = false, "", "RFC 5681 3.1, RFC 7661; true: ns2-facts item 42", when "recovery = named";
        /// What an ACK that ends slow start acknowledges beyond a segment grows the window by congestion avoidance.
        growth_goes_on: bool = false, "", "RFC 5681 3.1; true: ns-3's TcpNewReno",
            when "flow.control != cubic | vegas | bbr | bbr3";
        /// Every timeout of a segment lowers ssthresh, not the first one only.
        repeated_timeout_cuts: bool = false, "", "RFC 5681 equation 4; true: ns2-facts item 37",
            when "recovery = named and flow.control != cubic | vegas | bbr | bbr3";
        /// A timed segment that is sent again stays timed until a recovery begins.
        times_repetitions: bool = false, "", "RFC 6298 3 (Karn); true: ns2-facts item 36",
            when "recovery = named and timestamps = false";
        /// Without timestamps every segment that is sent once gives a round-trip time, not one at a time; of those that
        /// one ACK acknowledges, the first.
        times_every_segment: bool = false, "", "RFC 6298 4; true: ns-3's TcpSocketBase", when "timestamps = false";
        /// Every ACK of new data ends the back-off of the RTO, also the ACK of a repetition.
        backoff_ends_by_ack: bool = false, "", "RFC 6298 3 and 5 (Karn); true: ns-3's TcpSocketBase";
        /// An idle period longer than the RTO, counted from the last ACK, ends like a timeout with a window of one.
        idle_is_timeout: bool = false, "", "RFC 5681 4.1; true: ns2-facts item 37", when "recovery = named";
        /// Limited transmit works also while data given up by a timeout is sent again.
        limited_after_timeout: bool = false, "", "RFC 3042; true: ns2-facts item 38",
            when "recovery = named and limited_transmit = true";
        /// Repeated ACKs count also while nothing is outstanding, if data waits.
        idle_duplicates_count: bool = false, "", "RFC 5681 2; true: ns2-facts item 38", when "recovery = named";
        /// The first segment may be repeated fast whatever was lost before.
        first_segment_exempt: bool = false, "", "RFC 6582 3.2; true: ns2-facts item 39",
            when "recovery = named and flow.recovery = newreno | reno | tahoe | sack";
        /// Reno: losses of one window start one fast recovery.
        one_recovery_per_window: bool = false, "", "RFC 5681 3.2; true: ns2-facts item 39",
            when "recovery = named and flow.recovery = reno";
        /// A lost SYN lowers ssthresh as lost data does.
        syn_loss_cuts: bool = false, "", "RFC 5681 3.1; true: ns2-facts item 34", when "recovery = named";
        /// Reno and NewReno: the ACK that ends a recovery lets the window grow from where it stands and may burst.
        recovery_end_grows: bool = false, "", "RFC 5681 3.2, RFC 6582 3.2; true: ns2-facts item 40",
            when "recovery = named and flow.recovery = reno | newreno";
        /// NewReno: segments that one ACK releases in a recovery at most; 0: no limit.
        recovery_burst: u32 = 0, "segments", "RFC 6582; 2: ns2-facts item 40",
            when "recovery = named and flow.recovery = newreno";
        /// NewReno: a duplicate ACK counts as a SACK of the next segment above the first outstanding one, and the pipe
        /// decides what may be sent. The count outlives the recovery; a segment that counts as reported and comes to be
        /// the first is taken for lost.
        dupacks_as_sack: bool = false, "", "RFC 6582; true: ns-3's TcpSocketBase and TcpTxBuffer",
            when "flow.recovery = newreno";
        /// SACK: the pipe is counted ACK by ACK, and each hole is repeated once.
        sack_counts_pipe: bool = false, "", "RFC 6675; true: ns2-facts item 41 (Sack1)",
            when "recovery = named and flow.recovery = sack";
        /// Tahoe: duplicates go on being counted over a timeout.
        tahoe_counts_on: bool = false, "", "RFC 5681 3.2; true: ns2-facts item 41",
            when "recovery = named and flow.recovery = tahoe";
        /// Vegas: a fine-grained timeout backs the RTO off.
        vegas_backs_off: bool = false, "", "Brakmo and Peterson 1995; true: ns2-facts item 41",
            when "recovery = named and flow.recovery = vegas";
        /// Vegas: a lost SYN leaves the initial window as it is.
        vegas_keeps_start: bool = false, "", "RFC 5681 3.1; true: ns2-facts item 41",
            when "recovery = named and flow.recovery = vegas";
        /// Vegas: a packet never sent counts as expired, and the window falls to nothing where there is none to return
        /// to.
        vegas_empty_expires: bool = false, "", "Brakmo and Peterson 1995; true: ns2-facts item 41",
            when "recovery = named and flow.recovery = vegas";
        /// Vegas: send times of a run of packets that wraps around the table stay.
        vegas_clears_no_wrap: bool = false, "", "Brakmo and Peterson 1995; true: ns2-facts item 41",
            when "recovery = named and flow.recovery = vegas";
        /// SACK: when data counts as lost.
        sack_losses: SackLosses = SackLosses::Rfc6675, "", "RFC 6675 4; fack: Mathis and Mahdavi 1996, as ns-2.35's Agent/TCP/Linux was measured",
            when "flow.recovery = sack";
        /// Duplicate ACKs restart the retransmission timer, and with timestamps give round-trip times.
        duplicates_are_timed: bool = false, "", "RFC 6298 5.3, RFC 7323 4.1; true: ns-2.35's Agent/TCP/Linux as measured";
        /// ACK policies `linux` and `linux-modern`: shortest time an ACK is held back.
        linux_ack_min: Span = Span::from_millis(40), "s", "Linux include/net/tcp.h, TCP_DELACK_MIN and TCP_ATO_MIN",
            in Range::above(0.0).up_to(10.0), when "flow.ack = linux | linux-modern";
        /// ACK policies `linux` and `linux-modern`: segments acknowledged at once at the start, at most; half the
        /// receiver window in segments if that is less.
        linux_quickacks: u32 = 16, "ACKs", "Linux include/net/tcp.h, TCP_MAX_QUICKACKS", in Range::within(0.0, 1_000.0),
            when "flow.ack = linux | linux-modern";
        /// ACK policy `fixed`: segments that one ACK stands for; at most `max_window`.
        ack_every: u32 = 2, "segments", "RFC 5681 4.2", in Range::within(1.0, 65_535.0), when "flow.ack = fixed";
        /// ACK policy `lda`: segments received from which on one ACK stands for one more.
        lda_steps: Vec<u64> = vec![2, 5, 9], "segments", "a default (Altman and Jimenez 2003, as remembered)",
            when "flow.ack = lda";
        /// ACK policy `ada`: weight of the old average of the time between segments.
        ada_smoothing: f64 = 0.75, "", "a default", in Range::within(0.0, 0.999_999), when "flow.ack = ada";
        /// ACK policy `ada`: mean times between segments that end a burst.
        ada_beta: f64 = 1.2, "", "a default (Singh and Kankipati 2004 could not be read)", in Range::within(0.01, 1e3),
            when "flow.ack = ada";
        /// ACK policy `ada`: longest time an ACK is held back from the first segment on.
        ada_deferment: Span = Span::from_millis(500), "s", "a default (RFC 9293 3.8.6.3 allows as much)",
            in Range::within(0.001, 60.0), when "flow.ack = ada";
        /// ACK policies `daa`, `daap` and `mda`: largest delay window; at most `max_window`.
        daa_most: u32 = 4, "segments", "de Oliveira and Braun 2005, as cited", in Range::within(1.0, 65_535.0),
            when "flow.ack = daa | daap | mda";
        /// ACK policies `daa`, `daap` and `mda`: growth of the delay window per segment until it is full for the first
        /// time.
        daa_growth: f64 = 0.3, "segments", "de Oliveira and Braun 2005, as cited", in Range::within(0.001, 1e3),
            when "flow.ack = daa | daap | mda";
        /// ACK policies `daa`, `daap` and `mda`: weight of the old average of the time between segments.
        daa_smoothing: f64 = 0.75, "", "a default (de Oliveira and Braun 2005, as remembered)",
            in Range::within(0.0, 0.999_999), when "flow.ack = daa | daap | mda";
        /// ACK policies `daa`, `daap` and `mda`: mean times between segments, beyond two, that an ACK is held back.
        daa_tolerance: f64 = 0.2, "", "a default (de Oliveira and Braun 2005, as remembered)", in Range::within(0.0, 1e3),
            when "flow.ack = daa | daap | mda";
        /// ACK policies `daa`, `daap` and `mda`: shortest time an ACK is held back.
        daa_least_wait: Span = Span::from_millis(10), "s", "a default", when "flow.ack = daa | daap | mda";
        /// ACK policies `daa`, `daap` and `mda`: longest time an ACK is held back.
        daa_longest_wait: Span = Span::from_millis(500), "s", "a default", in Range::within(0.001, 60.0),
            when "flow.ack = daa | daap | mda";
        /// ACK policy `mda`: collision probability of the path from which on it counts as busy.
        mda_threshold: f64 = 0.2, "", "a default (armaghani2008.fig4-3 publishes no value)", in Range::within(0.0, 1.0),
            when "flow.ack = mda";
        /// ACK policy `mda`: the threshold is that of each hop, so that long paths are allowed more.
        mda_per_hop: bool = false, "", "a contrast of this project", when "flow.ack = mda";
        /// ACK policy `mda`: the delay window on a busy path.
        mda_busy: MdaBusy = MdaBusy::Reset, "", "a reading (armaghani2008: fewer ACKs delayed in heavy traffic)",
            when "flow.ack = mda";
        /// ACK policy `mda`: growth of the delay window per segment on a busy path with `mda_busy = "grow"`, once it
        /// was full.
        mda_regrowth: f64 = 0.5, "segments", "a default (armaghani2008 publishes no value)", in Range::within(0.001, 1e3),
            when "flow.ack = mda and mda_busy = grow";
        /// ACK policy `mda`: bytes that data packets carry for what they learn on their way.
        path_option: u32 = 4, "bytes", "a default (an option of RFC 791 3.1: type, length and 16 bits)",
            in Range::within(0.0, 40.0), when "flow.ack = mda | external";
        /// ACK policy `dca`: segments that one ACK stands for over 1 to 3 hops; at most the sender's window.
        dca_short: u32 = 10, "segments", "a default (no limit but the window is cited)", in Range::within(1.0, 65_535.0),
            when "flow.ack = dca";
        /// ACK policy `dca`: the same over 4 to 9 hops.
        dca_medium: u32 = 5, "segments", "Chen et al. 2008, as remembered", in Range::within(1.0, 65_535.0),
            when "flow.ack = dca";
        /// ACK policy `dca`: the same over more hops.
        dca_long: u32 = 3, "segments", "Chen et al. 2008, as remembered", in Range::within(1.0, 65_535.0),
            when "flow.ack = dca";
        /// ACK policy `iat-window`: the delay window at the start and after a loss, and shortest times between segments
        /// from which on the window grows by a whole one.
        iat_lambda: f64 = 3.0, "segments", "code for ns-3 (bizuki/TCP-AAD, 2024)", in Range::within(1.0, 1e3),
            when "flow.ack = iat-window";
        /// ACK policy `iat-window`: weight of the shortest time between segments in the wait, against the last one.
        iat_alpha: f64 = 0.75, "", "code for ns-3 (bizuki/TCP-AAD, 2024)", in Range::within(0.0, 1.0),
            when "flow.ack = iat-window";
        /// ACK policy `tack`: segments that one ACK stands for at least.
        tack_segments: u32 = 2, "segments", "Li et al. 2020 (L)", in Range::within(1.0, 65_535.0),
            when "flow.ack = tack";
        /// ACK policy `tack`: ACKs in a least round-trip time at most.
        tack_beta: f64 = 4.0, "ACKs", "Li et al. 2020", in Range::within(0.01, 1e6), when "flow.ack = tack";
        /// ACK policy `quic`: segments that may wait for an ACK.
        quic_threshold: u32 = 1, "segments", "draft-ietf-quic-ack-frequency 4", in Range::within(0.0, 65_535.0),
            when "flow.ack = quic";
        /// ACK policy `quic`: segments above a gap that are reported at once; 0: none is.
        quic_reordering: u32 = 1, "segments", "draft-ietf-quic-ack-frequency 4", in Range::within(0.0, 65_535.0),
            when "flow.ack = quic";
        /// ACK policy `asym`: segments that one ACK stands for at most; no more than `max_window`.
        asym_most: u32 = 5, "segments", "ns-2.35 (maxdelack_ of TCPSink/Asym)", in Range::within(1.0, 65_535.0),
            when "flow.ack = asym";
        /// With any ACK policy, an ACK stands for half of what the sender may have in flight at most.
        ack_guard: bool = false, "", "RFC 5681 4.2 knows none; ns-2's TCPSink/Asym has it", when "flow.ack != every";
        /// Bytes that data segments carry to say what the sender may have in flight, where `ack` or `ack_guard` asks
        /// for it.
        window_option: u32 = 4, "bytes", "a default (RFC 9293 3.1: kind, length and 16 bits)", in Range::within(0.0, 40.0),
            when "flow.ack = dca | iat-window | asym | external or ack_guard = true";
        /// Rate at which the receiving application reads, from a buffer of `max_window` packets; 0: it reads nothing;
        /// "off": it reads at once.
        read_rate: Option<u64> = None, "bit/s", "RFC 9293 3.8.6", in Range::within(0.0, 1e12);
        /// SACK blocks per ACK at most.
        max_sack_blocks: u32 = 3, "blocks", "RFC 2018 3", in Range::within(1.0, 3.0),
            when "flow.recovery = sack | rack";
        /// Bytes of the SACK option beyond its blocks (kind, length, padding).
        sack_option_base: u32 = 4, "bytes", "RFC 2018 3", in Range::within(0.0, 100.0),
            when "flow.recovery = sack | rack";
        /// The receiver reports data that arrived twice in the first SACK block; "own": with recovery `rack`, with ACK
        /// policy `linux-modern`, and where `undo` asks for it.
        dsack: Option<bool> = None, "", "RFC 2883, RFC 8985 4 (RECOMMENDED with RACK)", when "flow.recovery = sack | rack";
        /// Recoveries that turn out to be needless are undone.
        undo: Undo = Undo::Own, "", "RFC 3522 3.2, RFC 3708, RFC 4015 3.1, RFC 9438 4.9 (MAY); Linux",
            when "flow.recovery = sack | rack or timestamps = true";
        /// Explicit congestion notification: marked packets halve the window as a loss would.
        ecn: bool = false, "", "RFC 3168";
        /// Every segment carries the timestamps option (12 bytes), and every ACK of new data gives a round-trip time.
        timestamps: bool = false, "", "RFC 7323";
        /// Tick of the clock in the timestamps option.
        timestamp_clock: Span = Span::from_millis(1), "s", "RFC 7323 5.4 (1 ms to 1 s)", in Range::within(1e-6, 1.0),
            when "timestamps = true";
        /// Proportional rate reduction: a recovery by SACK or RACK-TLP comes down to the cut window over a round trip.
        prr: bool = false, "", "RFC 9937", when "flow.recovery = sack | rack";
        /// Rate halving: a recovery by SACK lets out a segment for every second one that arrives, until what is in
        /// flight has come down to the cut window; in place of `prr`.
        rate_halving: bool = false, "", "RFC 6937 1 (of Linux before PRR); true: ns-2.35's Agent/TCP/Linux as measured",
            when "flow.recovery = sack";
        /// RACK-TLP: least time from a segment to its tail-loss probe, which else comes after two smoothed round-trip
        /// times.
        probe_min: Span = Span::from_millis(10), "s", "a default (draft-dukkipati-tcpm-tcp-loss-probe-01; RFC 8985 7.2: none)",
            in Range::within(0.0, 60.0), when "flow.recovery = rack";
        /// F-RTO: after a timeout new data shows whether anything was lost at all; not together with RACK-TLP.
        frto: bool = false, "", "RFC 5682 2.1", when "flow.recovery != rack";
        /// What the sender does when its node learns that the route has failed.
        route_failure: RouteFailure = RouteFailure::Ignore, "", "RFC 9293 3.9.2.2 (soft errors do not end a connection)";
        /// Route failure `elfn`: time between probes.
        elfn_probe: Span = Span::from_secs(2), "s", "Holland and Vaidya 1999, as remembered", in Range::within(0.001, 3_600.0),
            when "route_failure = elfn and routing.protocol != static";
        /// Route failure `elfn`: an ACK of new data that was under way when the route failed ends the standby, not only
        /// that of a probe.
        elfn_any_ack: bool = false, "", "Holland and Vaidya 1999, as cited",
            when "route_failure = elfn and routing.protocol != static";
        /// Route failure `tcp-f`: longest time without a route, after which it is a timeout.
        tcp_f_timer: Span = Span::from_secs(30), "s", "a default (Chandran et al. 2001 could not be read)",
            in Range::within(0.001, 3_600.0), when "route_failure = tcp-f and routing.protocol != static";
        /// Fixed RTO: of timeouts in a row only the first doubles the RTO.
        fixed_rto: bool = false, "", "RFC 6298 5.5; true: Dyer and Boppana 2001, as cited";
        /// TCP-DOOR: packets that overtake each other indicate a new route. The window stays as it is for a while, and
        /// what was cut shortly before is restored.
        door: bool = false, "", "Wang and Zhang 2002, as cited";
        /// TCP-DOOR: what is looked at.
        door_detection: DoorDetection = DoorDetection::Both, "", "a default (Wang and Zhang 2002 compare both ends)",
            when "door = true";
        /// TCP-DOOR: how long nothing is cut and nothing grows (T1).
        door_hold: f64 = 1.0, "round trips", "a default (not published)", in Range::within(0.0, 1e3),
            when "door = true";
        /// TCP-DOOR: how long ago a cut may have been to be undone (T2).
        door_recover: f64 = 2.0, "round trips", "a default (not published)", in Range::within(0.0, 1e3),
            when "door = true";
        /// TCP-DOOR: bytes of the option with the number of a segment (2) or of a duplicate (1), with kind, length and
        /// padding.
        door_option: u32 = 4, "bytes", "RFC 9293 3.2 (kind and length); zhang2006 (2 and 1 bytes)", in Range::within(0.0, 40.0),
            when "door = true";
        /// Vegas: lower bound of the backlog.
        vegas_alpha: f64 = 1.0, "packets", "ns2-facts item 41", when "flow.control = vegas";
        /// Vegas: upper bound of the backlog.
        vegas_beta: f64 = 3.0, "packets", "ns2-facts item 41", when "flow.control = vegas";
        /// Vegas: backlog that ends slow start.
        vegas_gamma: f64 = 1.0, "packets", "ns2-facts item 41", when "flow.control = vegas";
        /// Segments of the Vegas sender carry their headers on the air; ns-2.35's Vegas agent leaves them out and sends
        /// its SYN at full packet size.
        vegas_headers: bool = true, "", "ns-2.35 behaviour, measured for this project", when "flow.control = vegas";
        /// Veno: backlog from which on a loss means congestion.
        veno_beta: f64 = 3.0, "packets", "Fu and Liew 2003", in Range::within(0.0, 1e6), when "flow.control = veno";
        /// Westwood: what gives a bandwidth sample.
        westwood_samples: WestwoodSamples = WestwoodSamples::Rtt, "", "Grieco and Mascolo 2004; ack: Mascolo et al. 2001, zhang2006",
            when "flow.control = westwood";
        /// Westwood+: shortest time a bandwidth sample is taken over; a round trip if that is longer.
        westwood_interval: Span = Span::from_millis(50), "s", "Linux net/ipv4/tcp_westwood.c",
            in Range::within(1e-9, 60.0), when "flow.control = westwood and westwood_samples = rtt";
        /// Westwood+: weight of the old value in each of the two bandwidth filters.
        westwood_filter: f64 = 0.875, "", "Linux net/ipv4/tcp_westwood.c", in Range::within(0.0, 0.999_999),
            when "flow.control = westwood and westwood_samples = rtt";
        /// Westwood with a sample for each ACK: time constant of the filter; half of it without an ACK is a sample of
        /// nothing.
        westwood_time_constant: Span = Span::from_millis(500), "s", "Mascolo et al. 2001 (zhang2006 gives no filter)",
            in Range::within(1e-3, 60.0), when "flow.control = westwood and westwood_samples = ack";
        /// TIBET: weight of the old averages of packet length and time between packets.
        tibet_alpha: f64 = 0.99, "", "zhang2006", in Range::within(0.0, 0.999_999), when "flow.control = tibet";
        /// TIBET: which packets it averages.
        tibet_samples: TibetSamples = TibetSamples::Sent, "", "zhang2006 3.2 (both)", when "flow.control = tibet";
        /// FAST: packets each flow keeps queued.
        fast_alpha: f64 = 2.0, "packets", "a default (published ones are for wide-area links, 100 and more)",
            in Range::within(0.1, 1e6), when "flow.control = fast";
        /// FAST: share of the way to its target that the window goes at an update.
        fast_gamma: f64 = 0.5, "", "Wei et al. 2006", in Range::within(0.001, 1.0), when "flow.control = fast";
        /// CUBIC: aggressiveness C.
        cubic_c: f64 = 0.4, "segments/s^3", "RFC 9438 4.1", in Range::within(1e-6, 1e6), when "flow.control = cubic";
        /// CUBIC: share of the window kept after a loss.
        cubic_beta: f64 = 0.7, "", "RFC 9438 4.6", in Range::within(0.01, 0.999), when "flow.control = cubic";
        /// CUBIC: a flow that loses before its plateau lowers it.
        cubic_fast_convergence: bool = true, "", "RFC 9438 4.7", when "flow.control = cubic";
        /// CUBIC: a loss leaves `cubic_beta` of cwnd, not of FlightSize.
        cubic_cuts_cwnd: bool = false, "", "RFC 9438 4.6 (both); true: ns-3's TcpCubic",
            when "flow.control = cubic and cubic_arithmetic = exact";
        /// CUBIC: slow start ends when the round-trip time rises (HyStart++).
        cubic_hystart: bool = true, "", "RFC 9406", when "flow.control = cubic and cubic_arithmetic = exact";
        /// CUBIC: in what numbers it reckons; `whole` knows neither HyStart++ nor idle periods.
        cubic_arithmetic: CubicArithmetic = CubicArithmetic::Exact, "", "RFC 9438; whole: Linux 2.6.22 (version 2.1 of its module)",
            when "flow.control = cubic";
        /// Scalable TCP: growth of the window for each segment acknowledged.
        scalable_growth: f64 = 0.01, "segments", "Kelly 2003", in Range::within(1e-6, 1.0),
            when "flow.control = scalable";
        /// Scalable TCP: share of the window that a loss takes.
        scalable_cut: f64 = 0.125, "", "Kelly 2003", in Range::within(0.001, 0.9), when "flow.control = scalable";
        /// Scalable TCP: window up to which it is Reno (lwnd).
        scalable_window: f64 = 16.0, "segments", "Kelly 2003", in Range::within(0.0, 1e6),
            when "flow.control = scalable";
        /// HighSpeed TCP: window up to which it is Reno (Low_Window).
        highspeed_low_window: f64 = 38.0, "segments", "RFC 3649 5", in Range::within(1.0, 1e5),
            when "flow.control = highspeed";
        /// HighSpeed TCP: window that the response function reaches at a loss rate of 10^-7 (High_Window).
        highspeed_high_window: f64 = 83_000.0, "segments", "RFC 3649 5", in Range::within(2.0, 1e7),
            when "flow.control = highspeed";
        /// HighSpeed TCP: share of the window that a loss takes there (High_Decrease).
        highspeed_decrease: f64 = 0.1, "", "RFC 3649 5", in Range::within(0.01, 0.5), when "flow.control = highspeed";
        /// H-TCP: time after a loss in which the window grows as Reno's (Delta_L).
        htcp_low_speed: Span = Span::from_secs(1), "s", "draft-leith-tcp-htcp-06 2.1", in Range::within(0.0, 60.0),
            when "flow.control = htcp";
        /// Illinois: growth per round trip at the largest queueing delay.
        illinois_alpha_min: f64 = 0.3, "segments", "Liu et al. 2008", in Range::within(0.001, 1e3),
            when "flow.control = illinois";
        /// Illinois: growth per round trip without queueing delay.
        illinois_alpha_max: f64 = 10.0, "segments", "Liu et al. 2008", in Range::within(0.001, 1e3),
            when "flow.control = illinois";
        /// Illinois: share of the window taken by a loss without queueing delay.
        illinois_beta_min: f64 = 0.125, "", "Liu et al. 2008", in Range::within(0.0, 0.9),
            when "flow.control = illinois";
        /// Illinois: share of the window taken by a loss at the largest queueing delay.
        illinois_beta_max: f64 = 0.5, "", "Liu et al. 2008", in Range::within(0.0, 0.9),
            when "flow.control = illinois";
        /// Illinois: window below which it is Reno (W_thresh).
        illinois_window: f64 = 15.0, "segments", "Liu et al. 2008; Linux net/ipv4/tcp_illinois.c",
            in Range::within(0.0, 1e6), when "flow.control = illinois";
        /// TCP-AP: bit rate of the links; 0 takes the radio's `data_rate`.
        ap_link_rate: u64 = 0, "bit/s", "ElRakabawy et al. 2005 (an input of the scheme)", in Range::within(0.0, 1e12),
            when "flow.control = ap";
        /// TCP-AP: weight of the old average of the four-hop delay.
        ap_alpha: f64 = 0.7, "", "ElRakabawy et al. 2005, agent for ns-2", in Range::within(0.0, 0.999_999),
            when "flow.control = ap";
        /// TCP-AP: samples that the variation of the delay is taken over.
        ap_history: u32 = 50, "samples", "ElRakabawy et al. 2005, agent for ns-2", in Range::within(1.0, 10_000.0),
            when "flow.control = ap";
        /// TCP-AP: time between segments before the first sample.
        ap_first_spacing: Span = Span::from_millis(50), "s", "ElRakabawy et al. 2005, agent for ns-2",
            in Range::within(0.0, 60.0), when "flow.control = ap";
        /// How long the end that closed first stays in TIME-WAIT.
        time_wait: Span = Span::from_secs(60), "s", "RFC 9293 3.4.2 (2 MSL, MSL shortened: a default)",
            in Range::within(0.0, 86_400.0), when "handshake = three-way";
    }
}

impl TcpConfig {
    /// The parameters with the older word `recovery` carried out.
    pub fn resolved(&self) -> TcpConfig {
        let mut tcp = self.clone();
        match self.recovery {
            Recovery::Named => {}
            Recovery::Rfc => tcp.set_recovery_rules(false),
            Recovery::Ns2 => tcp.set_recovery_rules(true),
        }
        tcp
    }

    /// What does not hold between parameters; `key` names one in full.
    pub fn check(&self, key: impl Fn(&str) -> String) -> Vec<BuildError> {
        let mut found = BuildErrors::default();
        found.require(self.min_rto <= self.max_rto, key("min_rto"), || {
            format!("found {} s; it must not exceed max_rto, {} s", seconds(self.min_rto), seconds(self.max_rto))
        });
        let pairs = [
            ("illinois_alpha_min", self.illinois_alpha_min, "illinois_alpha_max", self.illinois_alpha_max),
            ("illinois_beta_min", self.illinois_beta_min, "illinois_beta_max", self.illinois_beta_max),
            ("highspeed_low_window", self.highspeed_low_window, "highspeed_high_window", self.highspeed_high_window),
        ];
        for (low, least, high, most) in pairs {
            found.require(least < most, key(low), || format!("found {least}; less than {high} ({most}) is allowed"));
        }
        found.require(self.daa_least_wait <= self.daa_longest_wait, key("daa_least_wait"), || {
            let (least, longest) = (self.daa_least_wait.as_secs(), self.daa_longest_wait.as_secs());
            format!("found {least} s; at most daa_longest_wait ({longest} s) is allowed")
        });
        found.require(!(self.prr && self.rate_halving), key("rate_halving"), || {
            "found true; with prr = true only false is allowed: each has its own way down to the cut window".to_string()
        });
        found.require(self.lda_steps.windows(2).all(|pair| pair[0] < pair[1]), key("lda_steps"), || {
            format!("found {:?}; each step must be more than the one before", self.lda_steps)
        });
        found.require(self.vegas_alpha <= self.vegas_beta, key("vegas_alpha"), || {
            format!("found {}; it must not exceed vegas_beta, {}", self.vegas_alpha, self.vegas_beta)
        });
        found.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parameters_out_of_their_ranges_are_reported_at_once() {
        let tcp = TcpConfig {
            fast_gamma: 0.0,
            cubic_beta: f64::NAN,
            ap_history: 10_001,
            timestamp_clock: Span(999),
            ap_first_spacing: Span::from_secs(61),
            ..TcpConfig::default()
        };
        let mut found = Vec::new();
        tcp.outside("tcp", &mut found);
        let keys: Vec<&str> = found.iter().map(|error| error.key.as_str()).collect();
        assert_eq!(
            keys,
            ["tcp.timestamp_clock", "tcp.fast_gamma", "tcp.cubic_beta", "tcp.ap_history", "tcp.ap_first_spacing"]
        );
        assert!(found[1].message.contains("at least 0.001 and at most 1"), "{}", found[1].message);
    }
}
