"""Additive increase, multiplicative decrease, and a congestion control that listens to the delay."""

import hopscope as hs


class Aimd(hs.CongestionControl):
    """AIMD with other constants; with these it is NewReno."""

    increase = 1.0  # segments per round trip
    decrease = 0.5  # share of the window that is kept

    def on_ack(self, flow):
        if not flow.window_limited:
            return None
        if flow.cwnd < flow.ssthresh:
            return flow.cwnd + min(flow.acked, 1.0)
        return flow.cwnd + self.increase / flow.cwnd

    def on_loss(self, flow):
        return max(self.decrease * flow.in_flight, 2.0)


class Gentle(Aimd):
    """A loss on a radio link says little about congestion."""

    decrease = 0.875


class Backlog(hs.CongestionControl):
    """Keeps one to three packets queued, by the delay."""

    def on_ack(self, flow):
        return None

    def on_rtt(self, flow):
        if flow.in_recovery:
            return None
        queued = flow.cwnd * (1 - flow.min_rtt_s / flow.rtt_s)
        step = 1 if queued < 1 else -1 if queued > 3 else 0
        return max(flow.cwnd + step / flow.cwnd, 2.0)
