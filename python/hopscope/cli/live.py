"""``hopscope live FILE``: the scenario on the kernels of this machine, with the engine as its radio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hopscope.cli import options
from hopscope.cli.console import echo, note
from hopscope.errors import InputError, RunFailed

if TYPE_CHECKING:
    from hopscope.live import LiveOptions, Session
    from hopscope.tracing.pick import OneRun

File = Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).")]
Duration = Annotated[str | None, typer.Option("--duration", metavar="TIME", help='End of the run, such as "30s".')]
OnLate = Annotated[
    Literal["warn", "abort"],
    typer.Option("--on-late", help="What to do when real time is missed: say so, or end the run."),
]
NoFifo = Annotated[
    bool, typer.Option("--no-fifo", metavar="", help="Do not ask for SCHED_FIFO; frames are later on a busy machine.")
]
Net = Annotated[
    str | None,
    typer.Option("--net", metavar="NET", help="IPv4 net of the nodes; default: 10.0.0.0/16, unless the host uses it."),
]
Simulated = Annotated[
    bool, typer.Option("--simulated-flows", metavar="", help="Leave the flows in the engine, next to real programs.")
]
Explain = Annotated[
    bool, typer.Option("--explain", metavar="", help="Keep the airtime ledger, and say where the time of nodes went.")
]
Pcap = Annotated[
    Path | None,
    typer.Option(
        "--pcap", metavar="FILE", help="Capture the frames of all radios for Wireshark; .gz and .zst compress."
    ),
]
Watch = Annotated[
    bool, typer.Option("--watch", metavar="", help="Show the run in a browser while it lives; prints the address.")
]
Virtual = Annotated[
    bool,
    typer.Option(
        "--virtual", metavar="", help="In virtual time, inside a kernel of its own: its clock waits for the machine."
    ),
]
LiveOut = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Keep the tables, the logs of programs and the result there."),
]


def command(
    context: typer.Context,
    file: File,
    point: options.Point = "0",
    seed: options.Seed = None,
    set_: options.Set = None,
    duration: Duration = None,
    on_late: OnLate = "warn",
    no_fifo: NoFifo = False,
    net: Net = None,
    simulated_flows: Simulated = False,
    explain: Explain = False,
    pcap: Pcap = None,
    watch: Watch = False,
    out: LiveOut = None,
    virtual: Virtual = False,
    as_json: options.Json = False,
    force: options.Force = False,
    trust: options.Trust = False,
) -> None:
    """Run a scenario on real Linux kernels, programs and routing daemons, with the engine as the radio."""
    from hopscope.live import Session, stored

    stored.check_places(out, pcap, force=force)
    asked = read(
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
    run = chosen(file, point, seed, set_, trust=trust)
    if virtual:
        if watch:
            raise InputError("--watch: a browser cannot look into virtual time; leave out --virtual")
        from hopscope.live import journal
        from hopscope.live.virtual import run as run_inside

        say_removed(journal.recover())
        raise typer.Exit(run_inside(_again(context), run.seed))
    with Session(run, asked) as session:
        announce(session)
        session.start()
        for remark in session.wait():
            note(remark)
        found = session.finish()
    report(session, found, as_json=as_json)


def _again(context: typer.Context) -> list[str]:
    """The words of this command for the run inside: the same, but for what is done here."""
    words = ["live", "--trust"]  # asked here, where somebody can answer
    given: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.name in ("virtual", "trust") or value is None or value is False:
            continue
        if parameter.param_type_name == "argument":
            given.append(str(value))
        elif value is True:
            words.append(parameter.opts[0])
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], str(one)]
    return [*words, "--", *given]


def read(duration: str | None, **values: Any) -> LiveOptions:
    """Reads the options that live and shell have in common.

    Raises:
        InputError: the duration is none.
    """
    from hopscope.live import LiveOptions
    from hopscope.live.options import seconds

    return LiveOptions(seconds(duration, "--duration"), **values)


def chosen(file: Path, point: str, seed: int | None, set_: list[str] | None, *, trust: bool) -> OneRun:
    """The run that is meant.

    Raises:
        InputError: there is no such run.
    """
    from hopscope.cli.trusting import asking
    from hopscope.live import plan

    with asking(trust):
        return plan.chosen(file, point=point, seed=seed, set=options.parse_set(set_))


def announce(session: Any) -> None:
    """Says what the run is, and what of an earlier one was taken away."""
    say_removed(session.removed)
    for remark in session.remarks:
        note(remark)
    net = session.addresses
    note(f"{session.name}: {session.real.nodes} nodes, {net.of(0)} to {net.of(session.real.nodes - 1)}")
    if session.watch is not None:
        note(f"watch it at {session.watch.address}")


def say_removed(removed: list[str]) -> None:
    """Says what of an earlier run was taken away."""
    for one in removed:
        note(f"removed what an earlier run had left: {one}")


def report(session: Session, found: dict[str, Any], *, as_json: bool) -> None:
    """Prints what a run gave: before the table of a simulation whether to trust it, behind it the lateness.

    Raises:
        RunFailed: the capture is not whole.
    """
    if session.options.out is not None:
        note(f"results: {session.options.out}")
    if as_json:
        echo(json.dumps(found))
    else:
        _print(session, found)
    captured = session.captured
    if captured is not None:
        note(captured.sentence())
        if captured.has_failed:
            raise RunFailed("the capture is not whole; the run is")


def _print(session: Session, found: dict[str, Any]) -> None:
    from hopscope.cli import console, table
    from hopscope.live import report as words

    if session.result is not None and found["flows"]:
        table.print_result(console.out(), session.result)
    for line in (words.lateness(found["radio"]), words.books(found["radio"])):
        echo(line)
    if "ledger" in found and session.result is not None:
        from hopscope.cli.explain import print_nodes

        print_nodes(console.out(), session.result.explain())
    echo(words.answer(found))
