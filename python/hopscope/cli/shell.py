"""``hopscope shell FILE``: a scenario on real kernels, held open, with a prompt at each of its nodes."""

from __future__ import annotations

import sys

from hopscope.cli import live, options
from hopscope.cli.console import note


def command(
    file: live.File,
    point: options.Point = "0",
    seed: options.Seed = None,
    set_: options.Set = None,
    duration: live.Duration = None,
    on_late: live.OnLate = "warn",
    no_fifo: live.NoFifo = False,
    net: live.Net = None,
    simulated_flows: live.Simulated = False,
    explain: live.Explain = False,
    pcap: live.Pcap = None,
    watch: live.Watch = False,
    out: live.LiveOut = None,
    force: options.Force = False,
    trust: options.Trust = False,
) -> None:
    """Hold a scenario open on real Linux kernels, with a prompt at each node."""
    from hopscope.live import Session, stored
    from hopscope.live.control import Control
    from hopscope.live.prompt import Prompt

    stored.check_places(out, pcap, force=force)
    asked = live.read(
        duration,
        on_late=on_late,
        fifo=not no_fifo,
        net=net,
        simulated_flows=simulated_flows,
        explain=explain,
        pcap=pcap,
        watch=watch,
        force=force,
        out=out,
    )
    run = live.chosen(file, point, seed, set_, trust=trust)
    with Session(run, asked, endless=True) as session:
        live.announce(session)
        session.start()
        control = Control(session)
        try:
            note("a command runs at the node of the prompt; help says what else there is; Ctrl-D ends")
            Prompt(session, sys.stdin).serve()
        finally:
            control.close()
        found = session.finish()
    live.report(session, found, as_json=False)
