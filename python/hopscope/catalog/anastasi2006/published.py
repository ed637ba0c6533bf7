"""anastasi2006, Tables 1 to 4: the numbers of the testbed as printed, mean with smallest and largest replica."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A published mean with its smallest and largest replica."""

    mean: float
    low: float
    high: float


CBR = "3-hop-UDP"
"""The 3-hop chain with a CBR flow beside it."""

Row = tuple[Cell, Cell, Cell, Cell]
"""Windows of 2, 3, 4 and 32 segments."""

AODV_THROUGHPUT: dict[str, Row] = {
    "1-hop": (Cell(1387.5, 1382, 1392), Cell(1455.8, 1463, 1467), Cell(1479.4, 1446, 1507), Cell(1508.7, 1500, 1512)),
    "2-hop": (Cell(441.2, 390, 533), Cell(538.2, 432, 677), Cell(553.9, 524, 626), Cell(526, 448, 559)),
    "3-hop": (Cell(343.6, 225, 412), Cell(397.8, 334.9, 453), Cell(377.46, 274, 425), Cell(363.6, 261, 422)),
    CBR: (Cell(229, 194, 259), Cell(260.7, 243, 304), Cell(244, 152, 366), Cell(258, 175, 375)),
}
"""Table 1, kbit/s. The mean of 1-hop at 3 is printed below its own smallest replica; smallest and largest of 2-hop at 3
are printed the other way round."""

AODV_RETRANSMISSIONS: dict[str, Row] = {
    "1-hop": (Cell(0, 0, 0), Cell(0, 0, 0), Cell(0, 0, 0), Cell(0, 0, 0)),
    "2-hop": (Cell(2.3, 0.98, 3.4), Cell(1.3, 0.25, 2.58), Cell(1.84, 0.81, 2.33), Cell(2.16, 1.25, 3.62)),
    "3-hop": (Cell(1.57, 0.65, 2.85), Cell(1.12, 0.5, 1.7), Cell(1.8, 1.25, 2.9), Cell(4.58, 3.3, 6.4)),
    CBR: (Cell(5.1, 3.9, 6.3), Cell(3.9, 2.2, 4.7), Cell(4.5, 1.3, 6.7), Cell(4.4, 2.1, 7)),
}
"""Table 2, per cent."""

OLSR_THROUGHPUT: dict[str, Row] = {
    "1-hop": (Cell(1369.13, 1331, 1396), Cell(1456, 1428, 1471), Cell(1473.6, 1439, 1503), Cell(1523.9, 1518, 1531)),
    "2-hop": (Cell(627.3, 581, 650), Cell(676.3, 616, 705), Cell(698.4, 668, 719), Cell(696.5, 638, 723)),
    "3-hop": (Cell(213.4, 126, 330), Cell(282.1, 130, 390), Cell(229.9, 83, 351), Cell(275.5, 131, 438)),
}
"""Table 3, kbit/s."""

OLSR_RETRANSMISSIONS: dict[str, Row] = {
    "1-hop": (Cell(0, 0, 0), Cell(0, 0, 0), Cell(0, 0, 0), Cell(0, 0, 0)),
    "2-hop": (Cell(0, 0, 0), Cell(0.07, 0, 0.22), Cell(0, 0, 0), Cell(0, 0, 0)),
    "3-hop": (Cell(1.09, 0.56, 2.33), Cell(1.12, 0.19, 2.47), Cell(1.45, 0.72, 2.86), Cell(1.87, 0.61, 2.53)),
}
"""Table 4, per cent."""
