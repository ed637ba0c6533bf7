"""afrakhteh2005: TCP and UDP over chains of one to six hops that do not move, UDP experiments.

V. Afrakhteh, M.A.Sc. thesis, Concordia University, July 2005 (ns-2.27, AODV). Published values are those of the
running text; the curves are not printed as numbers. The thesis leaves control rate, PLCP rate and the byte count of
its throughput open, so its UDP experiments run under every candidate and the report says which ones fit.
"""

from __future__ import annotations

from hopscope.catalog.afrakhteh2005.beside_tcp import EXP07
from hopscope.catalog.afrakhteh2005.udp import EXP06, EXP08

ENTRIES = (EXP06, EXP07, EXP08)
