"""``hopscope run FILE``: run a scenario, print its table, store its results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out
from hopscope.cli.trusting import asking
from hopscope.errors import InputError, PartialResult, RunFailed, counted, ranges

if TYPE_CHECKING:
    from hopscope.campaign.capture import Captures
    from hopscope.campaign.cluster import Cluster
    from hopscope.results import Failure, Result
    from hopscope.results.captured import Choice
    from hopscope.scenario import Scenario
    from hopscope.tracing.ns2 import Ns2Files

#: More captures than these are not named one by one.
MAX_CAPTURES = 8


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    seeds: options.Seeds = None,
    set_: options.Set = None,
    sweep: options.Sweep = None,
    jobs: options.Jobs = None,
    out_: options.Out = None,
    as_json: options.Json = False,
    quick: options.Quick = False,
    no_progress: options.NoProgress = False,
    shard: options.Shard = None,
    dask: options.Dask = None,
    trace_ns2: options.TraceNs2 = None,
    ns2_format: options.Ns2Format = "old",
    trust: options.Trust = False,
    pcap: Annotated[
        Path | None, typer.Option("--pcap", metavar="DIR", help="Write a capture of every run, for Wireshark.")
    ] = None,
    node: options.PcapNode = None,
    flow: options.PcapFlow = None,
    radio: options.PcapRadio = False,
    host: options.PcapHost = False,
    lost: options.PcapLost = False,
    monitor: options.PcapMonitor = False,
    compress: Annotated[
        Literal["gz", "zst"] | None, typer.Option("--compress", help="Compress the captures with gzip or zstd.")
    ] = None,
    force: options.Force = False,
    metrics: options.Metrics = None,
    sort: options.Sort = None,
    descending: options.Descending = False,
    write: options.Write = None,
) -> None:
    """Run a scenario."""
    from hopscope.campaign.nearby import default_out
    from hopscope.cli import table
    from hopscope.reporting import listing
    from hopscope.running.runner import COMMAND_SEEDS, prepare, run_scenarios

    choice = options.parse_choice(node, flow, radio=radio, host=host, lost=lost, monitor=monitor)
    if pcap is not None and trace_ns2 is not None:
        raise InputError("--pcap and --trace-ns2: a run writes one of them; start it once for each")
    if force and trace_ns2 is None and pcap is None:
        raise InputError("--force: replaces what --pcap or --trace-ns2 writes; found neither")
    if pcap is None and (radio or host or compress or choice != options.parse_choice(None, None)):
        raise InputError(
            "--node, --flow, --radio, --host, --lost, --monitor and --compress say what --pcap DIR writes; found none"
        )
    if dask is not None and (jobs or pcap or trace_ns2):
        raise InputError("--dask: --jobs, --pcap and --trace-ns2 are for runs on this machine; leave them out")
    if as_json and (metrics or sort or descending or write):
        raise InputError("--json prints every metric; --metric, --sort, --descending and --write are for tables")
    table.check_files(write)
    listing.check_names(metrics or [])
    part = options.parse_shard(shard)
    with asking(trust):
        scenario = prepare(
            file,
            seeds=seeds,
            set=options.parse_set(set_),
            quick=quick,
            origin="--seeds",
            usual_seeds=COMMAND_SEEDS,
            sweep=options.parse_sweep(sweep),
            swept_by="--sweep",
        )
    captures = None if pcap is None else _captures(scenario, pcap, choice, force=force, compress=compress)
    traces = None if trace_ns2 is None else _traces(scenario, trace_ns2, ns2_format, force=force)
    folder = out_ or default_out(scenario)
    with nullcontext() if dask is None else _cluster(dask) as workers:
        announce([scenario], jobs if workers is None else workers.slots or 1)
        [result] = run_scenarios(
            [scenario],
            jobs=jobs,
            store=folder,
            progress=not no_progress,
            shard=part,
            executor=workers,
            captures=captures,
            traces=traces,
        )
    if as_json:
        typer.echo(json.dumps(result.to_json()))
    else:
        try:
            _report(result, metrics, write, sort=sort, descending=descending)
        except InputError as error:
            raise InputError(f"{error}; the runs are kept in {folder}") from error
    note(f"results: {folder}")
    note_other_runs(folder)
    for reported in [] if traces is None else traces.reported():
        note(reported)
    if part is not None:
        have = sum(len(point.runs) for point in result.points)
        note(f"shard {part[0]}/{part[1]}: the store holds {have} of {len(scenario.points) * scenario.seeds} runs")
    if captures is not None:
        _report_captures(captures)
    report_failures(result)
    if captures is not None and any(one.has_failed for one in captures.written.values()):
        raise RunFailed("a capture is not whole; the runs are, and are kept")


def _report(
    result: Result, metrics: list[str] | None, write: list[Path] | None, *, sort: str | None, descending: bool
) -> None:
    """The table of a result: the usual one, or that of chosen metrics, in the terminal or as files."""
    from hopscope.cli import table
    from hopscope.reporting import listing

    if write:
        table.write_files([result], write, metrics, sort=sort, descending=descending)
    elif metrics or sort:
        table.print_listing(out(), [result], listing.chosen([result], metrics), sort=sort, descending=descending)
    else:
        table.print_result(out(), result)


def _captures(scenario: Scenario, folder: Path, choice: Choice, *, force: bool, compress: str | None) -> Captures:
    """The captures of a campaign, in a folder that is there now."""
    from hopscope.campaign.capture import Captures
    from hopscope.campaign.plan import make_plan
    from hopscope.io.files import make_way

    choice.check(scenario, "--")
    captures = Captures(folder, choice, force=force, ending=f".{compress}" if compress else "")
    captures.check(make_plan([scenario]).unique())
    make_way(f"--pcap {folder}", folder / "point-0.pcapng")
    return captures


def _traces(scenario: Scenario, folder: Path, style: options.Ns2Format, *, force: bool) -> Ns2Files:
    """The traces of a campaign, as ns-2 writes them."""
    from hopscope.tracing.ns2 import Ns2Files

    return Ns2Files(folder, scenario, style=style, force=force)


def _cluster(address: str) -> AbstractContextManager[Cluster]:
    """The workers of the scheduler that `--dask` names."""
    from hopscope.campaign.cluster import cluster

    return cluster(address, "--dask")


def _report_captures(captures: Captures) -> None:
    """Names captures on standard error: a few one by one."""
    written = sorted(captures.written.values(), key=lambda one: str(one.path))
    odd = [one for one in written if not one.is_whole or not one.packets]
    for one in written if len(written) <= MAX_CAPTURES else odd:
        note(one.sentence())
    if len(written) > MAX_CAPTURES:
        note(f"{len(written)} captures: {captures.folder}")


def announce(scenarios: list[Scenario], jobs: int | None) -> None:
    """Says on standard error what an unusually large campaign will cost."""
    from hopscope.campaign.cost import estimate
    from hopscope.campaign.execute import default_jobs
    from hopscope.campaign.plan import make_plan

    runs = make_plan(scenarios).unique()
    cost = estimate(runs, jobs or default_jobs())
    if cost.is_large:
        note(f"{len(runs)} runs, estimated cost: {cost}")


def note_other_runs(folder: Path) -> None:
    """Says on standard error that a store has runs that what it shows is not made of."""
    from hopscope.campaign.store import open_store

    if others := open_store(folder).other_runs():
        note(
            f"the folder also keeps {counted(others, 'run')} of other settings, seeds or builds; "
            "its tables, show and report are of this start alone"
        )


def report_failures(result: Result) -> None:
    """Names failed runs and ends with the exit status they deserve.

    Raises:
        RunFailed: nothing finished.
        PartialResult: some runs failed.
    """
    report_failures_of(result.failures, finished=any(point.runs for point in result.points))


def report_failures_of(failures: Sequence[Failure], *, finished: bool) -> None:
    """Names failed runs and ends with the exit status they deserve; ``finished``: others did not fail.

    Raises:
        RunFailed: nothing finished.
        PartialResult: some runs failed.
    """
    if not failures:
        return
    alike: dict[str, list[Failure]] = {}
    for failure in failures:  # a traceback is the same whatever instant stands in the line above it
        reported = failure.message.partition("\n")[2] or f"{failure.point}, {failure.seed}"
        alike.setdefault(reported, []).append(failure)
    for first, *others in list(alike.values())[:10]:
        note(f"{first.place}, seed {first.seed}: {first.message}")
        if others:
            note(f"the same: {_places(others)}")
    if len(alike) > 10:
        note(f"... and {sum(len(group) for group in list(alike.values())[10:])} more")
    if finished:
        raise PartialResult(
            f"{counted(len(failures), 'run')} failed; the result is partial: its means are those of the other runs"
        )
    raise RunFailed("every run failed")


def _places(failures: Sequence[Failure]) -> str:
    """Points and seeds of failures."""
    points: dict[str, list[int]] = {}
    for failure in failures:
        points.setdefault(failure.place, []).append(failure.seed)
    words = [f"{place}, seed{'s' * (len(seeds) > 1)} {ranges(seeds)}" for place, seeds in points.items()]
    return "; ".join(words[:10]) + (f"; and {len(words) - 10} points more" if len(words) > 10 else "")
