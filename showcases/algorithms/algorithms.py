"""CUBIC, BBR, Vegas and a DCTCP-like control as classes: what the engine has, written by a user."""

import hopscope as hs


class Cubic(hs.CongestionControl):
    """CUBIC (RFC 9438) without HyStart++: the engine's with ``tcp.cubic_hystart = false``."""

    c = 0.4  # segments/s^3
    beta = 0.7

    def __init__(self):
        self.w_max = self.cwnd_prior = self.k = self.w_est = 0.0
        self.epoch = self.idle_since = None
        self.flat_start = True

    def start_epoch(self, flow):
        self.epoch = flow.now_s
        self.w_est = flow.cwnd
        if self.flat_start or self.w_max < flow.cwnd:
            self.w_max, self.k, self.flat_start = flow.cwnd, 0.0, False
        else:
            self.k = ((self.w_max - flow.cwnd) / self.c) ** (1 / 3)

    def w_cubic(self, t):
        return self.c * (t - self.k) ** 3 + self.w_max

    def on_ack(self, flow):
        if not flow.window_limited:
            if self.idle_since is None:
                self.idle_since = flow.now_s
            return None
        if self.idle_since is not None and self.epoch is not None:
            self.epoch += flow.now_s - self.idle_since  # the epoch stands still while the window is not in use
        self.idle_since = None
        cwnd = flow.cwnd
        if cwnd < flow.ssthresh:
            return cwnd + min(flow.acked, 1.0)
        if self.epoch is None:
            self.start_epoch(flow)
        t = flow.now_s - self.epoch
        alpha = 1.0 if self.w_est >= self.cwnd_prior else 3.0 * (1.0 - self.beta) / (1.0 + self.beta)
        self.w_est += alpha * flow.acked / cwnd
        if self.w_cubic(t) < self.w_est:
            return max(cwnd, self.w_est)
        target = min(max(self.w_cubic(t + (flow.srtt_s or 0.0)), cwnd), 1.5 * cwnd)
        return cwnd + (target - cwnd) / cwnd

    def reduce(self, flow):
        gives_way = flow.cwnd < self.w_max
        self.w_max = flow.cwnd * (1.0 + self.beta) / 2.0 if gives_way else flow.cwnd
        self.cwnd_prior = flow.cwnd
        self.epoch = self.idle_since = None
        return max(flow.in_flight * self.beta, 2.0)

    def on_loss(self, flow):
        self.flat_start = False
        return self.reduce(flow)

    def on_timeout(self, flow):
        flow.ssthresh = flow.ssthresh if flow.repeated else self.reduce(flow)
        self.flat_start = True
        return 1.0


class Vegas(hs.CongestionControl):
    """Vegas (Brakmo and Peterson 1995): one to three packets queued, looked at once per round trip."""

    alpha = 1.0
    beta = 3.0
    gamma = 1.0

    def __init__(self):
        self.base = float("inf")
        self.total, self.count = 0.0, 0
        self.round_end = 0.0
        self.growing = True

    def on_every_ack(self, flow):
        if flow.new_rtt_s is not None:
            self.base = min(self.base, flow.new_rtt_s)
            self.total += flow.new_rtt_s
            self.count += 1
        if flow.in_recovery or flow.acked == 0.0 or flow.delivered < self.round_end or self.count == 0:
            return None
        self.round_end = flow.delivered + flow.in_flight
        rtt, self.total, self.count = self.total / self.count, 0.0, 0
        queued = flow.cwnd * (1.0 - self.base / rtt)
        if flow.cwnd < flow.ssthresh:
            self.growing = not self.growing  # slow start doubles in every other round trip
            if queued > self.gamma:
                flow.ssthresh = 2.0
                return max(flow.cwnd * 7 / 8, 2.0)
            return 2.0 * flow.cwnd if self.growing and flow.window_limited else None
        step = 1.0 if queued < self.alpha else -1.0 if queued > self.beta else 0.0
        return max(flow.cwnd + step, 2.0)

    def on_ack(self, flow):
        return None

    def on_loss(self, flow):
        flow.ssthresh = 2.0
        return max(0.75 * flow.in_flight, 2.0)

    def on_timeout(self, flow):
        flow.ssthresh = max(flow.in_flight / 2.0, 2.0)
        return 2.0


class Dctcp(hs.CongestionControl):
    """The window is cut by half of the share of marked segments (as DCTCP, RFC 8257), over the ECN of RFC 3168."""

    gain = 1.0 / 16.0

    def __init__(self):
        self.share = 1.0
        self.seen = self.marked = 0.0
        self.round_end = 0.0

    def on_every_ack(self, flow):
        self.seen += flow.newly_delivered
        if flow.ece:
            self.marked += flow.newly_delivered
        if flow.delivered >= self.round_end and self.seen > 0.0:
            self.share += self.gain * (self.marked / self.seen - self.share)
            self.seen = self.marked = 0.0
            self.round_end = flow.delivered + flow.in_flight

    def on_loss(self, flow):
        if flow.marked:
            return max(flow.cwnd * (1.0 - self.share / 2.0), 2.0)
        return max(flow.in_flight / 2.0, 2.0)


class Bbr(hs.CongestionControl):
    """BBR version 1 (Cardwell et al. 2016) as the engine has it."""

    high_gain = 2.885
    cycle = (1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)

    def __init__(self):
        self.mode = "startup"
        self.rates = [0.0] * 10
        self.bandwidth = 0.0  # segments per second, the largest of ten round trips
        self.rounds = 0
        self.round_end = 0.0
        self.least = None
        self.least_at = 0.0
        self.full_bandwidth, self.full_rounds, self.full = 0.0, 0, False
        self.phase, self.phase_since = 0, 0.0
        self.probe_end, self.probe_round = None, False
        self.prior_cwnd = 0.0
        self.recovery_round = None
        self.rate = 0.0
        self.initial = None

    def inflight(self, gain):
        return 0.0 if self.least is None else gain * self.bandwidth * self.least

    def take_rate(self, flow):
        prior = flow.prior_delivered
        if prior is None:
            return False
        new_round = prior >= self.round_end
        if new_round:
            self.round_end = flow.delivered
            self.rounds += 1
            self.rates[self.rounds % 10] = 0.0
            self.bandwidth = max(self.rates)
        rate = flow.sample_delivered / flow.interval_s
        if rate > self.rates[self.rounds % 10] and (rate >= self.bandwidth or not flow.app_limited):
            self.rates[self.rounds % 10] = rate
            self.bandwidth = max(self.bandwidth, rate)
        return new_round

    def advance(self, flow, in_flight):
        if self.mode != "cycle" or self.least is None:
            return
        over = flow.now_s - self.phase_since > self.least
        gain = self.cycle[self.phase]
        if gain > 1.0:
            over = over and (flow.in_recovery or in_flight >= self.inflight(gain))
        elif gain < 1.0:
            over = over or in_flight <= self.inflight(1.0)
        if over:
            self.phase, self.phase_since = (self.phase + 1) % 8, flow.now_s

    def check_full(self, flow):
        if self.full or flow.app_limited:
            return
        if self.bandwidth >= 1.25 * self.full_bandwidth:
            self.full_bandwidth, self.full_rounds = self.bandwidth, 0
            return
        self.full_rounds += 1
        self.full = self.full_rounds >= 3

    def enter_cycle(self, now):
        drawn = self.random.randrange(7)
        self.mode, self.phase, self.phase_since = "cycle", 0 if drawn == 0 else drawn + 1, now

    def take_rtt(self, flow, cwnd, new_round, in_flight):
        now = flow.now_s
        expired = self.least is not None and now - self.least_at > 10.0
        rtt = flow.new_rtt_s
        if rtt is not None and (expired or self.least is None or rtt <= self.least):
            self.least, self.least_at = rtt, now
        if expired and self.mode != "probe":
            self.mode, self.prior_cwnd, self.probe_end = "probe", cwnd, None
        if self.mode != "probe":
            return cwnd
        if self.probe_end is None:
            if in_flight <= 4.0:
                self.probe_end, self.probe_round, self.round_end = now + 0.2, False, flow.delivered
            return cwnd
        self.probe_round = self.probe_round or new_round
        if self.probe_round and now >= self.probe_end:
            self.least_at, self.probe_end = now, None
            cwnd = max(cwnd, self.prior_cwnd)
            if self.full:
                self.enter_cycle(now)
            else:
                self.mode = "startup"
        return cwnd

    def on_every_ack(self, flow):
        cwnd = flow.cwnd
        in_flight = flow.in_flight
        if self.initial is None:
            self.initial = cwnd
        if self.rate == 0.0 and flow.new_rtt_s is not None:
            self.rate = self.high_gain * self.initial / max(flow.new_rtt_s, 1e-6)
        new_round = self.take_rate(flow)
        self.advance(flow, in_flight)
        if new_round:
            self.check_full(flow)
        if self.mode == "startup" and self.full:
            self.mode = "drain"
        if self.mode == "drain" and self.least is not None and in_flight <= self.inflight(1.0):
            self.enter_cycle(flow.now_s)
        cwnd = self.take_rtt(flow, cwnd, new_round, in_flight)
        mode = self.mode
        if mode == "cycle":
            pace, gain = self.cycle[self.phase], 2.0
        elif mode == "startup":
            pace = gain = self.high_gain
        elif mode == "drain":
            pace, gain = 1.0 / self.high_gain, self.high_gain
        else:
            pace = gain = 1.0
        rate = 0.99 * pace * self.bandwidth
        if self.full or rate > self.rate:
            self.rate = rate
        cwnd = self.window(flow, cwnd, gain, in_flight)
        return cwnd, self.rate if self.rate > 0.001 else None

    def window(self, flow, cwnd, gain, in_flight):
        delivered = flow.newly_delivered
        if self.recovery_round is not None and flow.in_recovery and self.rounds <= self.recovery_round:
            cwnd = max(cwnd, in_flight + delivered)  # packet conservation
        elif self.recovery_round is not None and not flow.in_recovery:
            self.recovery_round = None
            cwnd = max(cwnd, self.prior_cwnd)
        elif self.least is not None:
            quanta = 3.0 if self.rate * flow.packet < 150_000.0 else 6.0
            target = self.inflight(gain) + quanta
            if self.full:
                cwnd = min(cwnd + delivered, target)
            elif cwnd < target or flow.delivered < self.initial:
                cwnd += delivered
        else:
            cwnd += delivered
        cwnd = max(cwnd, 4.0)
        return min(cwnd, 4.0) if self.mode == "probe" else cwnd

    def on_ack(self, flow):
        return None

    def on_loss(self, flow):
        if flow.marked:
            return None
        if self.recovery_round is None:
            self.prior_cwnd = flow.cwnd
        self.recovery_round = self.rounds
        return min(max(flow.in_flight, 4.0), flow.cwnd)

    def on_timeout(self, flow):
        if self.recovery_round is None:
            self.prior_cwnd = flow.cwnd
        self.recovery_round = None
        return 1.0
