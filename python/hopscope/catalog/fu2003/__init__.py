"""fu2003: the TCP window, contention drops and buffers in multi-hop 802.11.

Z. Fu, P. Zerfos, H. Luo, S. Lu, L. Zhang, M. Gerla, "The Impact of Multihop Wireless Channel on TCP Throughput and
Loss", IEEE INFOCOM 2003, with the extended report by Z. Fu, P. Zerfos, K. Xu, H. Luo, S. Lu, L. Zhang and M. Gerla,
"On TCP Performance in Multihop Wireless Networks" (UCLA). The study used ns-2 with the CMU wireless extensions.
Published values below are those printed in tables, captions and running text.
"""

from __future__ import annotations

from hopscope.catalog.fu2003.buffers import BUFFERS, TABLE3
from hopscope.catalog.fu2003.cures import FIG10_LEFT, FIG10_MIDDLE, FIG10_RIGHT, TABLE4, TABLE5, TABLE6
from hopscope.catalog.fu2003.defaults import TABLE1
from hopscope.catalog.fu2003.drop_model import FIG7
from hopscope.catalog.fu2003.flows import CROSS_WINDOW, GRID_WINDOW, RANDOM_WINDOW, TABLE2
from hopscope.catalog.fu2003.loss import FIG5_LEFT, FIG5_MIDDLE, FIG5_RIGHT, FIG6, SEC43
from hopscope.catalog.fu2003.pacing import FIG8_LEFT, FIG8_RIGHT, FIG9_LEFT, FIG9_MIDDLE, FIG9_RIGHT
from hopscope.catalog.fu2003.sensitivity import SENSITIVITY
from hopscope.catalog.fu2003.testbed import FIG3
from hopscope.catalog.fu2003.vegas import VEGAS
from hopscope.catalog.fu2003.window import FIG2_LEFT, FIG2_MIDDLE, FIG2_RIGHT

ENTRIES = (
    TABLE1,
    FIG2_LEFT,
    FIG2_MIDDLE,
    FIG2_RIGHT,
    FIG3,
    TABLE2,
    CROSS_WINDOW,
    GRID_WINDOW,
    RANDOM_WINDOW,
    BUFFERS,
    TABLE3,
    FIG5_LEFT,
    FIG5_MIDDLE,
    FIG5_RIGHT,
    SEC43,
    FIG6,
    FIG7,
    FIG8_LEFT,
    FIG8_RIGHT,
    FIG9_LEFT,
    FIG9_MIDDLE,
    FIG9_RIGHT,
    FIG10_LEFT,
    FIG10_MIDDLE,
    FIG10_RIGHT,
    TABLE4,
    TABLE5,
    TABLE6,
    VEGAS,
    SENSITIVITY,
)
