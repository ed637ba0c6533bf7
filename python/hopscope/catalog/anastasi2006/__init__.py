"""anastasi2006: TCP over AODV and OLSR on a static indoor chain, measured and simulated.

G. Anastasi, E. Ancillotti, M. Conti, A. Passarella, "Experimental Analysis of TCP Performance in Static Multi-hop Ad
Hoc Networks" (book chapter). The study measured a chain of laptops and simulated it with ns-2.28. Published values
below are those of its tables and running text; its figures are only drawn.
"""

from __future__ import annotations

from hopscope.catalog.anastasi2006.detection import FIG8, FIG9, FIG10
from hopscope.catalog.anastasi2006.protocols import SEC44
from hopscope.catalog.anastasi2006.simulated import DACK, FIG3_LEFT, FIG3_RIGHT
from hopscope.catalog.anastasi2006.testbed import FIG4, FIG5, FIG6, FIG7, FIG11, TABLE1, TABLE2, TABLE3, TABLE4

ENTRIES = (
    FIG3_LEFT,
    FIG3_RIGHT,
    FIG4,
    FIG5,
    FIG6,
    FIG7,
    DACK,
    FIG8,
    FIG9,
    FIG10,
    FIG11,
    TABLE1,
    TABLE2,
    TABLE3,
    TABLE4,
    SEC44,
)
