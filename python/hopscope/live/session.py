"""A run on real stacks: namespaces, radios, programs and flows set up as a transaction, watched, and taken down."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from hopscope import _core
from hopscope.errors import HopscopeError, InputError, RunFailed
from hopscope.live import (
    addresses,
    checks,
    daemons,
    devices,
    journal,
    kernel,
    outcome,
    plan,
    programs,
    stored,
    watching,
)
from hopscope.live.flows import USUAL_MTU
from hopscope.live.journal import Journal
from hopscope.live.options import LiveOptions
from hopscope.live.programs import Program
from hopscope.live.traffic import Traffic
from hopscope.live.watching import Watch
from hopscope.results import Result
from hopscope.results.captured import Captured, Choice
from hopscope.results.finished import Finished
from hopscope.running.stepping import change_of
from hopscope.scenario.fields import NS
from hopscope.tracing.pick import OneRun

#: How often programs are looked at, in seconds.
_PERIOD_S = 0.05

#: Simulated seconds of a run without an end.
ENDLESS_S = 30 * 86_400


class Session:
    """One point of a scenario on real stacks, from its set-up on: a context that takes everything down at its end.

    Args:
        run: the point with its seed.
        options: what the user asks for.
        endless: the run has no end but that of the session, unless the options say one.

    Raises:
        InputError: the system, the scenario or an option does not allow it; nothing is left.

    Attributes:
        real: the scenario as real stacks have it.
        addresses: those of the nodes.
        result: what the run gave, as a simulation gives it; from :meth:`finish` on.
        name: of the run, with which the names of its namespaces begin.
        removed: what runs before it had left, in words.
        captured: the capture, once the run is over; None: there is none.
        remarks: what a user should know.
        watch: what shows the run in a browser; None: nothing does.
    """

    def __init__(self, run: OneRun, options: LiveOptions, *, endless: bool = False) -> None:
        self.options = options
        warmup_s = run.point.duration_s - run.point.measured_s
        if options.duration_s is not None and options.duration_s <= warmup_s:
            raise InputError(f"--duration {options.duration_s:g}s: is not behind the warm-up of {warmup_s:g} s")
        given = {} if options.duration_s is None else {"duration": options.duration_s}
        self.run = outcome.of_one(run, {**given, **({"explain": True} if options.explain else {})})
        self.real = plan.plan(self.run.point, run.seed, simulated_flows=options.simulated_flows)
        if endless and options.duration_s is None:
            self.real.config["duration"] = ENDLESS_S * NS
        self.duration_ns: int = self.real.config["duration"]
        self.remarks = list(self.real.remarks)
        self.remarks += outcome.left_empty(self.run.scenario.document, kernel_flows=bool(self.real.flows))
        self.result: Result | None = None
        self.captured: Captured | None = None
        self.removed: list[str] = []
        self.watch: Watch | None = None
        self.programs: list[Program] = []
        self._namespaces: list[int] = []
        self._taps: list[Any] = []
        self._undo = contextlib.ExitStack()
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._seen_to_end: set[int] = set()

    def __enter__(self) -> Session:
        checks.system()
        checks.network(self.real)
        if remark := checks.speed(self.run.point.config(self.run.seed)):
            self.remarks.append(remark)
        page = self._page() if self.options.watch else None
        self.addresses = addresses.choose(self.options.net, self.real.nodes, addresses.of_host())
        self.removed = journal.recover()
        try:
            self._set_up()
            if page is not None:
                self.watch = Watch(page, self._live)
                self._undo.callback(self.watch.close)
        except BaseException as error:
            self._undo.close()
            if isinstance(error, OSError) and not isinstance(error, HopscopeError):
                raise RunFailed(
                    f"{error.filename or 'the network'}: {error.strerror or error}; everything was taken down"
                ) from error
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    def _set_up(self) -> None:
        self._journal = Journal()
        self.name = self._journal.name
        self._undo.callback(self._journal.undo)
        self._undo.callback(self._taps.clear)  # a TAP device ends with whoever holds it
        self.logs = (self.options.out or self._journal.folder) / "logs"
        if self.real.commands or self.real.routings:
            self.logs.mkdir(parents=True, exist_ok=True)
        for old in self.logs.glob("*.log") if self.options.force else ():
            old.unlink()
        for node in range(self.real.nodes):
            self._namespaces.append(self._namespace(node))
        self._hops = plan.next_hops(self.real)
        for node, namespace in enumerate(self._namespaces):
            stack = self._stack(node, self._hops)
            self._taps.append(kernel.inside(namespace, partial(devices.set_up, stack, _core.Tap.open)))
        self._live = _core.Live(
            self.real.config,
            self._taps,
            fifo=self.options.fifo,
            on_late=self.options.on_late,
            layer="network" if self.real.engine_routes else "link",
            capture=self._capture(),
            records=watching.kept(self.real.nodes) if self.options.watch else None,
        )
        self._undo.callback(self._release)
        self._traffic = Traffic(
            self.real.flows,
            self._namespaces,
            self.addresses,
            warmup_ns=self.real.warmup_ns,
            starved_after_ns=self.real.config["starved_after"],
            fifo=self.options.fifo,
        )
        self._undo.callback(self._traffic.stop)  # its sockets, where nothing is started

    def _page(self) -> str:
        return watching.page(self.run.title, self.real.config, self.run.point.resolved["radio"]["preset"])

    def _capture(self) -> tuple[str, dict[str, Any], str, bool] | None:
        """What is captured: the frames of all radios."""
        path = self.options.pcap
        return None if path is None else (str(path), asdict(Choice(host=False)), self.run.title, self.options.force)

    def _namespace(self, node: int) -> int:
        """A namespace of a node, which has a name where the system allows it.

        Raises:
            InputError: another one has that name.
        """
        name = f"{self.name}-n{node}"
        place = journal.NAMES / name
        if place.exists():
            raise InputError(f"{name}: a network namespace has this name; remove it with: ip netns delete {name}")
        self._journal.note("namespace", name=name)
        found = kernel.new_namespace()
        self._undo.callback(os.close, found)
        # In a user namespace alone there are no mounts: then the descriptor keeps it, and hopscope exec enters it.
        with contextlib.suppress(OSError):
            journal.NAMES.mkdir(mode=0o755, exist_ok=True)
            place.touch(mode=0o444, exist_ok=False)
            try:
                kernel.bind(found, str(place))
            except OSError:
                place.unlink()
        return found

    def _stack(self, node: int, hops: list[list[int | None]]) -> devices.Stack:
        """What the stack of a node is to be."""
        real = self.real
        word = real.routings.get(node, plan.STATIC)
        daemon = daemons.DAEMONS.get(word)
        routes = {to: hop for to, hop in enumerate(hops[node]) if hop is not None} if word == plan.STATIC else {}
        tcp = {}
        for flow in (flow for flow in real.flows if flow.is_tcp and node in (flow.source, flow.destination)):
            tcp = {"tcp_timestamps": int(flow.timestamps), "tcp_ecn": int(flow.ecn)}
        return devices.Stack(
            node,
            self.addresses,
            real.nodes,
            mtu=max([USUAL_MTU, *(flow.mtu for flow in real.flows)]),
            whole_net=daemon is not None and daemon.whole_net,
            mesh=word == daemons.IN_KERNEL,
            ipv6=real.ipv6,
            real_arp=real.real_arp,
            routes=routes,
            tcp=tcp,
        )

    def start(self) -> None:
        """Starts the radio, the daemons, the programs and the flows, in this order.

        Raises:
            RunFailed: a program cannot be started.
        """
        self._machine = outcome.Machine.here()
        thread = threading.Thread(target=self._drive, name="radio")
        self._undo.callback(self._end_radio, thread)
        thread.start()
        begun = time.monotonic_ns()
        self._undo.callback(programs.end, self.programs)
        try:
            for node, word in self.real.routings.items():
                self._start_daemon(node, word)
            for command in self.real.commands:
                title = f"{command.key} ({_short(command.text)})"
                self._start(command.node, command.text, title, command.on_exit, is_daemon=False)
        except OSError as error:
            raise RunFailed(f"{error.filename}: {error.strerror}; everything was taken down") from error
        self._undo.callback(self._traffic.stop)
        self._traffic.start(begun)

    def _start_daemon(self, node: int, word: str) -> None:
        if word not in daemons.DAEMONS:
            return  # the kernel does it
        folder = self._journal.folder / f"n{node}-{word}"
        place = daemons.Place(self.addresses.of(node), self.addresses.net, folder)
        command = daemons.DAEMONS[word].prepare(place)
        self._start(node, command, word, self.real.routing_exit[node], is_daemon=True)

    def _start(self, node: int, command: str, title: str, on_exit: str, *, is_daemon: bool) -> None:
        number = sum(program.node == node for program in self.programs)
        log = self.logs / f"n{node}-{number}-{title.split(maxsplit=1)[0].replace('.', '-')}.log"
        self._journal.note("program", node=node, command=command)
        self.programs.append(
            programs.start(
                self._namespaces[node],
                command,
                self.environment(node),
                node=node,
                title=title,
                on_exit=on_exit,
                log=log,
                is_daemon=is_daemon,
            )
        )

    def environment(self, node: int) -> dict[str, str]:
        """The environment of programs at a node."""
        return {**os.environ, **self.own_environment(node)}

    def own_environment(self, node: int) -> dict[str, str]:
        """What a run adds to an environment: ``n0``, ``n1`` and so on are the addresses of the nodes."""
        known = {f"n{other}": str(self.addresses.of(other)) for other in range(self.real.nodes)}
        return {**known, "HOPSCOPE_NODE": str(node), journal.MARK: self._journal.mark}

    def inside(self, node: int) -> int:
        """A descriptor of the namespace of a node."""
        return self._namespaces[node]

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self._journal.folder

    def _drive(self) -> None:
        try:
            self._live.run(self.duration_ns)
        except _core.LiveError as error:
            self._error = RunFailed(f"the radio: {error}; everything was taken down")
        except BaseException as error:  # a defect, which whoever waits for the run shows
            self._error = error
        finally:
            self._ended.set()

    def _release(self) -> None:
        """Lets go of the radio, and of the devices that belong to it."""
        self._taps.clear()
        del self._live

    def _end_radio(self, thread: threading.Thread) -> None:
        self._live.stop()
        with contextlib.suppress(RuntimeError):  # Ctrl-C came before it was started
            thread.join()

    def wait(self) -> list[str]:
        """Waits until the run is over or a program ends it, and returns the remarks of that time.

        Raises:
            RunFailed: a program has failed, or the radio.
        """
        before = len(self.remarks)
        while not self._ended.wait(_PERIOD_S):
            for program in self.newly_ended():
                if program.has_failed() and program.ends_run():
                    raise RunFailed(f"{program.in_words()}; everything was taken down")
                if program.has_failed():
                    self.remarks.append(program.in_words())
                if program.ends_run():
                    return self.remarks[before:]
        self.check_radio()
        return self.remarks[before:]

    def newly_ended(self) -> list[Program]:
        """The programs that have ended since the last call."""
        ended = [number for number, one in enumerate(self.programs) if one.process.poll() is not None]
        new = [self.programs[number] for number in ended if number not in self._seen_to_end]
        self._seen_to_end.update(ended)
        return new

    def check_radio(self) -> None:
        """Raises what has ended the radio before its time, if something has."""
        if self._error is not None:
            raise self._error

    def finish(self) -> dict[str, Any]:
        """Ends flows and radio, and returns what the run gave, with the names that a simulation has.

        Raises:
            RunFailed: the radio ended before its time, or the disk is full.
            StoreError: the folder of the results cannot be written.
        """
        self._traffic.stop()
        self._live.stop()
        self._ended.wait()
        self.check_radio()
        # The flows have ended before the radio, unless that was at the end of its time.
        ends = min(self._live.now, self._traffic.ended)
        radio = self._live.report()
        self._end_capture()
        given = self._live.results()
        hops = [plan.hops(self.real, self._hops, flow) for flow in self.real.flows]
        tables = outcome.tables(
            Finished(given).values(), self._traffic.measured, hops, ends, radio, daemons=bool(self.real.routings)
        )
        about = {**asdict(self._machine), "seconds": ends / NS, "verdict": radio["verdict"], "cause": radio["cause"]}
        details = {
            "net": str(self.addresses.net),
            "programs": [self._program(program) for program in self.programs],
            "radio": radio,
            "capture": None if self.captured is None else self.captured.to_json(),
            "remarks": self.remarks,
        }
        tables = {**tables, "live": {**about, **details}}
        self.result = outcome.result_of(self.run, tables, about)
        shown = {name: value for name, value in tables.items() if name not in ("live", "series")}
        document = {"scenario": self.run.title, **about, **shown, **details}
        if self.options.out is not None:
            stored.keep(self.options.out, self.result, given.series, document)
        return document

    def _end_capture(self) -> None:
        """Ends the capture; a remark says where it is not whole."""
        summary = self._live.end_capture()
        if self.options.pcap is not None and summary is not None:
            self.captured = Captured.read(self.options.pcap, summary)
            if not self.captured.is_whole:
                self.remarks.append(self.captured.sentence())

    def _program(self, program: Program) -> dict[str, Any]:
        return {
            "node": program.node,
            "what": program.title,
            "status": program.process.poll(),
            "log": str(program.log) if self.options.out else None,
        }

    def change(self, kind: str, **values: Any) -> None:
        """Does what an ``[[event]]`` of this kind does, now.

        Raises:
            InputError: a value is missing, does not belong, or names what does not exist.
        """
        try:
            self._live.change(change_of(kind, values))
        except _core.EngineError as error:
            raise InputError(str(error)) from None

    def command(self, node: int, text: str) -> subprocess.CompletedProcess[str]:
        """Runs a command for a shell at a node; returns its status and what it printed.

        Raises:
            InputError: there is no such node.
        """
        if not 0 <= node < self.real.nodes:
            raise InputError(f"node {node} does not exist; nodes are 0 to {self.real.nodes - 1}")
        words = [*programs.inside(self.inside(node)), "sh", "-c", text]
        environment = self.environment(node)
        return subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    @property
    def now_s(self) -> float:
        """Simulated seconds so far."""
        return self._live.now / NS

    @property
    def positions(self) -> list[list[float]]:
        """Where each node is now, in metres."""
        return self._live.positions()

    def radio(self) -> dict[str, Any]:
        """The report of the radio so far."""
        return self._live.report()


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
