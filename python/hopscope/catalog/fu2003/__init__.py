"""fu2003: the TCP window, contention drops and buffers in multi-hop 802.11.

Z. Fu, P. Zerfos, H. Luo, S. Lu, L. Zhang, M. Gerla, "The Impact of Multihop Wireless Channel on TCP Throughput and
Loss", IEEE INFOCOM 2003, with the extended report by Z. Fu, P. Zerfos, K. Xu, H. Luo, S. Lu, L. Zhang and M. Gerla,
"On TCP Performance in Multihop Wireless Networks" (UCLA). The study used ns-2 with the CMU wireless extensions.
Published values below are those printed in tables, captions and running text.
"""

from __future__ import annotations

from hopscope.catalog.fu2003.buffers import BUFFERS, TABLE3
from hopscope.catalog.fu2003.defaults import TABLE1
from hopscope.catalog.fu2003.window import FIG2_LEFT, FIG2_MIDDLE, FIG2_RIGHT

ENTRIES = (TABLE1, FIG2_LEFT, FIG2_MIDDLE, FIG2_RIGHT, BUFFERS, TABLE3)
