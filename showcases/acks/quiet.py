"""Two ACK policies: one ACK for so many segments, and one that listens to the MAC."""

import hopscope as hs


class Fixed(hs.AckPolicy):
    """One ACK for d segments in order; with these the engine's "fixed"."""

    d = 3

    def on_data(self, receiver):
        if not receiver.in_order or receiver.held >= self.d:
            return 0, self.d  # at once
        return None, self.d  # when more has come, or after ack_delay


class Quiet(hs.AckPolicy):
    """The fewer collisions on the path, the more segments for one ACK."""

    reads_path = True
    most = 4.0
    wait = 0.1

    def __init__(self):
        self.d = 1.0

    def on_data(self, receiver):
        if not receiver.in_order:
            self.d = 2.0
            return 0, self.d
        self.d = min(self.d + 0.5, 1 + (self.most - 1) * receiver.non_collision)
        return (0 if receiver.held >= int(self.d) else self.wait), self.d

    def on_timer(self, receiver):
        self.d = 2.0
        return None, self.d
