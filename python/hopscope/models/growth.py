"""Numbers in the rules of congestion controls that their closed forms and their course in time share.

Sources: RFC 9438, sections 4.6 and 5; Kelly, ACM CCR 33(2), 2003; RFC 3649, section 5; Liu, Basar and Srikant,
Performance Evaluation 65, 2008.
"""

#: CUBIC: its C, and the share of the window that a loss leaves.
CUBIC_C, CUBIC_BETA = 0.4, 0.7

#: Scalable: its growth by an acknowledged segment, and the share of the window that a loss takes.
SCALABLE_GROWTH, SCALABLE_CUT = 0.01, 0.125

#: HighSpeed TCP: from this loss on it is Reno.
HIGHSPEED_LOSS = 1e-3

#: Illinois: below this window it is Reno.
ILLINOIS_WINDOW = 15.0
