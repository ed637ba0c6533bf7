"""How many packets a path should carry: optimal windows of chain, cross and grid, and the bound of the path's product.

Sources: Fu et al., "On TCP Performance in Multihop Wireless Networks" (fu2003); Chen, Xue and Nahrstedt, "On Setting
TCP's Congestion Window Limit in Mobile Ad Hoc Networks", IEEE ICC 2003.
"""

from __future__ import annotations

import math

from hopscope.models.arguments import at_least, within

#: Share of the round-trip hop count that packets of one flow can use over 802.11, Chen et al. 2003.
PIPE_SHARE = 0.2

#: Nodes four hops apart can send at the same time; Fu et al., section 3 and Li et al., MobiCom 2001.
REUSE_HOPS = 4


def optimal_window_chain(hops: int) -> float:
    """Returns the window with the best throughput of one flow over a chain, in packets: W* = h/4.

    Nodes four hops apart send at the same time, so the chain carries C/4; a packet crosses it in h packet times
    (acknowledgements are neglected), and W* is their product.  Source: fu2003, section 3.

    Args:
        hops: length of the chain.

    Raises:
        ValueError: for fewer than one hop.
    """
    return at_least("hops", hops, 1) / REUSE_HOPS


def optimal_window_cross(hops: int) -> int:
    """Returns the best window of each of two crossing flows, in packets: ceil((h + 4) / 8).

    The eight links around the crossing exclude one another, so each flow gets C/8, and a packet needs h + 4 packet
    times.  Source: fu2003, section 3.

    Args:
        hops: length of each line; the derivation needs 4 or more, so that all eight links exist.

    Raises:
        ValueError: for fewer than four hops.
    """
    return math.ceil((at_least("hops", hops, 4) + 4) / 8)


def optimal_window_grid(hops: int, form: str = "appendix") -> int:
    """Returns the best window of each of four flows that cross a grid, two in each direction, in packets.

    The source prints two forms that differ: ceil((h + 9) / 14) in the appendix, where it is derived (14 slots for the
    four flows, a packet needs h - 5 + 14 packet times), and ceil((h + 5) / 10) in the main text.  Both give 2 at the
    12 hops of its experiment.  Source: fu2003, section 3 and appendix.

    Args:
        hops: length of each flow's path; the derivation needs 5 or more.
        form: ``appendix`` or ``text``.

    Raises:
        ValueError: for fewer than five hops or another form.
    """
    at_least("hops", hops, 5)
    if form == "appendix":
        return math.ceil((hops + 9) / 14)
    if form == "text":
        return math.ceil((hops + 5) / 10)
    raise ValueError(f'form is "{form}"; it must be "appendix" or "text"')


def pipe_bound(hops: int, share: float = 1.0) -> float:
    """Returns the upper bound of a path's bandwidth-delay product in packets: ``share`` times the round-trip hop count.

    With at most one packet on each link at a time (``share = 1``) the product of any MAC is at most N = 2h packets,
    forward and return path together.  Over 802.11 the links near one another exclude each other; Chen et al. 2003 give
    about N/5 (:data:`PIPE_SHARE`).

    Args:
        hops: length of the path one way.
        share: share of the round-trip hop count, above 0 and at most 1.

    Raises:
        ValueError: for fewer than one hop or a share outside (0, 1].
    """
    return within("share", share, 0, 1, open_low=True) * 2 * at_least("hops", hops, 1)
