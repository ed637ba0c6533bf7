"""afrakhteh2005: TCP and UDP over chains of one to six hops that do not move, all thirteen experiments.

V. Afrakhteh, M.A.Sc. thesis, Concordia University, July 2005 (ns-2.27, AODV). Published values are those of the
running text; the curves are not printed as numbers. The thesis leaves control rate, PLCP rate and the byte count of
its throughput open, so its experiments run under candidate settings and the report says which ones fit.
"""

from __future__ import annotations

from hopscope.catalog.afrakhteh2005.beside_tcp import EXP07
from hopscope.catalog.afrakhteh2005.buffers import EXP05
from hopscope.catalog.afrakhteh2005.competing import EXP13
from hopscope.catalog.afrakhteh2005.errors import EXP09, EXP10
from hopscope.catalog.afrakhteh2005.errors_versions import EXP11
from hopscope.catalog.afrakhteh2005.packet_size import EXP02
from hopscope.catalog.afrakhteh2005.pairs import EXP12
from hopscope.catalog.afrakhteh2005.tcp_hops import EXP01, EXP03
from hopscope.catalog.afrakhteh2005.udp import EXP06, EXP08
from hopscope.catalog.afrakhteh2005.versions import EXP04

ENTRIES = (EXP01, EXP02, EXP03, EXP04, EXP05, EXP06, EXP07, EXP08, EXP09, EXP10, EXP11, EXP12, EXP13)
