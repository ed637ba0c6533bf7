"""The command: its verbs, and the one place where errors become messages and exit statuses."""

from __future__ import annotations

import importlib
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from types import FrameType
from typing import Annotated, Any

import typer

from hopscope.cli import streams
from hopscope.errors import HopscopeError, InputError, did_you_mean, shown, visible

#: Verb -> (module in ``hopscope.cli`` that holds ``command``, one line of help).
VERBS = {
    "run": ("run", "Run a scenario: all seeds and its sweep; print a table and store the results."),
    "compare": ("compare", "Set two stores, scenario files or points of a sweep against each other, seed by seed."),
    "optimize": ("optimize", "Find the best value of a key with far fewer runs than a full sweep."),
    "probe": ("probe", "Estimate what a path carries, and compare that with what it really carries."),
    "explain": ("explain", "Run a scenario and say where the time of nodes, links and packets goes."),
    "trace": ("trace", "Run one run again and print its records: frames, packets, drops, windows, routes."),
    "watch": ("watch", "Write a page in which a run can be watched, with the engine inside, and open it."),
    "timeline": ("timeline", "Draw who was on the air, what was heard, NAV and back-off, node by node."),
    "sequence": ("sequence", "Draw a flow as tcptrace does: data, ACKs, SACK blocks, retransmissions, window."),
    "live": ("live", "Run a scenario on real Linux kernels, programs and routing daemons."),
    "shell": ("shell", "Hold a scenario open on real Linux kernels, with a prompt at each node."),
    "exec": ("exec", "Run a command at a node of a network that is held open."),
    "reproduce": ("reproduce", "Run entries of the catalogue and compare them with the published values."),
    "readings": ("readings", "Find the fewest assumptions under which most statements of a study hold."),
    "list": ("list", "List the catalogue, presets, transports, routings, topologies, keys, metrics."),
    "help": ("help", "Say what a key, a metric, a preset or any other word means."),
    "pcap": ("pcap", "Write the capture of a run for Wireshark: frames and packets as octets."),
    "report": ("report_cmd", "Write the HTML report of a finished store."),
    "show": ("show", "Print the table of a store."),
    "verify": ("verify", "Prove a store: checksums, and a sample of its runs done again."),
    "slurm": ("slurm", "Write the array job that does a scenario on a Slurm cluster, and its merge."),
    "merge": ("merge", "Bring the runs of shards together, and the tables of a store up to date."),
    "import": ("import_script", "Make a scenario file of an ns-2 Tcl script, and list what is not followed."),
    "new": ("new", "Write a scenario or study to begin with, in which comments explain each key."),
    "check": ("check", "Check a scenario without running it."),
    "model": ("model", "Evaluate a closed-form model: optimal windows, capacity, Bianchi, TCP formulas."),
    "schema": ("schema", "Print the JSON Schema of the scenario file."),
}

#: What Typer raises for a command line that it cannot read; it has no public name.
_UsageError: Any = typer.BadParameter.__mro__[1]

HELP = "TCP and UDP over multi-hop 802.11, simulated and compared with the published studies."


def build(*names: str) -> typer.Typer:
    """Returns the command with these verbs; default: with all of them.

    Each verb loads what it needs, which for some is much.
    """
    settings = {"help_option_names": ["--help", "-h"]}
    app = typer.Typer(help=HELP, pretty_exceptions_enable=False, context_settings=settings)
    app.callback()(_options)
    for verb in names or VERBS:
        module, text = VERBS[verb]
        loaded = importlib.import_module(f"hopscope.cli.{module}")
        own = getattr(loaded, "SETTINGS", {})
        app.command(verb, help=text, context_settings={**settings, **own})(loaded.command)
    return app


def _run(given: Sequence[str]) -> int:
    """Runs the verb that a command line names and returns its exit status.

    Raises:
        InputError: there is no such verb.
        KeyboardInterrupt: Ctrl-C.
    """
    verb = given[0]
    if not verb.startswith("-") and verb not in VERBS:
        raise InputError(f"no verb {shown(verb)}{did_you_mean(verb, VERBS)}; all of them: hopscope --help")
    status = build(*([verb] if verb in VERBS else []))(given, standalone_mode=False)
    if status == 130:  # what Typer makes of an interrupt
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def main() -> None:
    """Runs the command and ends the process with its exit status."""
    signal.signal(signal.SIGTERM, _interrupt)
    streams.prepare()
    given = sys.argv[1:] or ["--help"]
    try:
        sys.exit(_run(given))
    except _UsageError as error:
        verb = f" {given[0]}" if given[0] in VERBS else ""
        _say(f"{error.format_message().rstrip('.')}; see hopscope{verb} --help")
        sys.exit(2)
    except HopscopeError as error:
        _say(str(error))
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        _say("interrupted")
        sys.exit(130)
    except OSError as error:
        _say(f"{error.filename or 'standard output'}: {error.strerror or error}")
        if error.filename is None:
            streams.discard_standard_output()
        sys.exit(1)
    except MemoryError:
        _say("not enough memory for this scenario; see its cost with: hopscope check FILE")
        sys.exit(1)
    except Exception as error:  # a defect: nothing that a user does should end here
        if isinstance(error.__cause__, KeyboardInterrupt):  # Ctrl-C while a class was made: Python wraps it
            _say("interrupted")
            sys.exit(130)
        _say(f"a defect of Hopscope: {type(error).__name__}: {error}"[:500])
        _say(f"its traceback is in {_kept_traceback()}; please report it with the command that you gave")
        sys.exit(1)


def _print_version(wanted: bool) -> None:
    if wanted:
        from hopscope import _core

        kind = "profile-guided" if _core.is_guided() else "plain"
        typer.echo(f"hopscope {_core.version()} (engine {_core.build_id()}, {kind} build)")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the verb; each acts in its callback."""


def _kept_traceback() -> str:
    with tempfile.NamedTemporaryFile("w", prefix="hopscope-", suffix=".txt", delete=False, errors="replace") as file:
        traceback.print_exc(file=file)
    return file.name


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(message: str) -> None:
    for line in message.splitlines() or [""]:
        print(f"hopscope: {visible(line)}", file=sys.stderr)
