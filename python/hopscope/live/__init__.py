"""A scenario on real Linux kernels: a network namespace for each node, and the engine as the radio between them.

Nothing of this is imported by a simulation.  :mod:`.session` puts the parts together; :mod:`.journal` names what a run
is about to make, so that the next start removes what a dead run left.
"""

from hopscope.live.options import LiveOptions
from hopscope.live.session import Session

__all__ = ["LiveOptions", "Session"]
