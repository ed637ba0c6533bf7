"""Reading a store runs no code, whatever its manifest and its request of a reproduction name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.campaign.manifest import digest
from hopscope.cli import main
from hopscope.errors import StoreError
from hopscope.studies.reproduce import REQUEST, recall

OWN = """\
import hopscope as hs

class Own(hs.CongestionControl):
    share = 0.5

    def on_loss(self, flow):
        return max(self.share * flow.in_flight, 2.0)
"""

TRAP = "from pathlib import Path\nPath({marker!r}).write_text('this ran')\n" + OWN


class Stored:
    """A store of a scenario that names a file, in the place of which a trap lies now."""

    def __init__(self, folder: Path, sweep: str = "") -> None:
        self.file, self.store, self.marker = folder / "own.py", folder / "store", folder / "marker"
        self.file.write_text(OWN)
        scenario = folder / "own.toml"
        scenario.write_text(
            'title = "own"\nduration = "3s"\nseeds = 1\n[topology]\nkind = "chain"\nhops = 2\n'
            '[[flow]]\nfrom = 0\nto = 2\ntransport = "tcp:own.py:Own"\ncontrol = { share = 0.6 }\n' + sweep
        )
        self.result = hs.run(scenario, out=self.store)
        self.file.write_text(TRAP.format(marker=str(self.marker)))

    def edit(self, change: Callable[[dict[str, Any]], object]) -> None:
        path = self.store / "manifest.json"
        manifest = json.loads(path.read_text())
        change(manifest)
        path.write_text(json.dumps(manifest | {"sha256": digest(manifest)}))  # a stranger would do so


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stored:
    monkeypatch.chdir(tmp_path)  # where a name without a folder would be looked for
    monkeypatch.syspath_prepend(tmp_path)
    return Stored(tmp_path)


@dataclass
class Done:
    status: int
    stdout: str
    stderr: str


Command = Callable[..., Done]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process, where a marker that is not written shows that nothing ran."""

    def start(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["hopscope", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        status = ended.value.code
        assert isinstance(status, int)
        return Done(status, *capsys.readouterr())

    return start


def entry(manifest: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = manifest["scenarios"][0]
    return found


def with_controls(value: object) -> Callable[[dict[str, Any]], object]:
    return lambda manifest: entry(manifest).update(controls=value)


def with_transport(word: str) -> Callable[[dict[str, Any]], object]:
    def change(manifest: dict[str, Any]) -> None:
        del entry(manifest)["controls"]
        entry(manifest)["document"]["flow"][0]["transport"] = word

    return change


def with_sweep(manifest: dict[str, Any]) -> None:
    del entry(manifest)["controls"]
    entry(manifest)["document"]["sweep"] = {"flow.0.transport": ["tcp:own.py:Own"]}
    entry(manifest)["points"][0]["set"] = {"flow.0.transport": "tcp:own.py:Own"}


#: Edits of a manifest after which it is still read.
READABLE = {
    "as written": lambda manifest: None,
    "absent": lambda manifest: entry(manifest).pop("controls"),
    "empty": with_controls({}),
    "of another transport": with_controls({"tcp:other.py": {
        "name": "Own", "digest": "0" * 64, "parameters": {}, "file": "", "class": ""}}),
    "swept": with_sweep,
    "a module": with_transport("tcp:own:Own"),
    "a file alone": with_transport("tcp:own.py"),
    "a class alone": with_transport("tcp:Own"),
    "no name": with_transport("tcp:"),
}  # fmt: skip

REPORTED = {"name": "Own", "digest": "0" * 64, "parameters": {}, "file": "own.py", "class": "Own"}

#: Edits of a manifest after which it is damaged.
DAMAGED = {
    "null": with_controls(None),
    "a list": with_controls(["tcp:own.py:Own"]),
    "text": with_controls("tcp:own.py:Own"),
    "a number": with_controls(3),
    "entry null": with_controls({"tcp:own.py:Own": None}),
    "entry text": with_controls({"tcp:own.py:Own": "own.py"}),
    "entry empty": with_controls({"tcp:own.py:Own": {}}),
    "no file": with_controls({"tcp:own.py:Own": {**REPORTED, "file": None}}),
    "digest a number": with_controls({"tcp:own.py:Own": {**REPORTED, "digest": 0}}),
    "parameters null": with_controls({"tcp:own.py:Own": {**REPORTED, "parameters": None}}),
    "parameters nested": with_controls({"tcp:own.py:Own": {**REPORTED, "parameters": {"share": [0.5]}}}),
    "transport a number": lambda manifest: entry(manifest)["document"]["flow"][0].update(transport=3),
}

COMMANDS = (
    ["show"],
    ["show", "--json"],
    ["report"],
    ["report", "--model", "mathis rtt=100ms"],
    ["report", "--seed", "1"],
)

#: Every verb reads a store as the first of them does; what draws figures is asked for where nothing is recorded.
QUICK = COMMANDS[:2]


@pytest.mark.parametrize("edit", READABLE)
def test_a_store_is_read_without_running_what_it_names(stored: Stored, command: Command, edit: str) -> None:
    stored.edit(READABLE[edit])
    [again] = hs.open_store(stored.store).results()
    assert again.points[0].runs == stored.result.points[0].runs
    assert again.flows["transport"].tolist() == ["tcp:Own"]
    hs.compare(again, again, "flow.0.throughput_kbps")
    again.scenario.shortened(1.0)
    for verb, *options in COMMANDS if edit in ("absent", "swept") else QUICK:
        done = command(verb, str(stored.store), *options)
        assert done.status in ({0, 2} if "--model" in options else {0}), done.stderr  # 2: not a swept number
    assert not stored.marker.exists()


@pytest.mark.parametrize("edit", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_record_is_named_without_running_what_it_names(
    stored: Stored, command: Command, edit: Callable[..., object]
) -> None:
    stored.edit(edit)
    with pytest.raises(StoreError, match=r"controls: |flow\.0\.transport: "):
        hs.open_store(stored.store).results()
    for verb, *options in COMMANDS:
        done = command(verb, str(stored.store), *options)
        assert done.status == 2
        assert "manifest.json" in done.stderr
    assert not stored.marker.exists()


def test_what_is_not_recorded_is_shown_by_name_with_a_remark(stored: Stored, command: Command) -> None:
    stored.edit(lambda manifest: entry(manifest).pop("controls"))
    store = hs.open_store(stored.store)
    [again] = store.results()
    [problem] = store.problems
    remark = "does not record the class of tcp:own.py:Own, which is shown by its name"
    assert remark in problem
    flow = again.to_json()["scenario"]["flow"][0]
    assert (flow["transport"], flow["control"]) == ("tcp:own.py:Own", {"share": 0.6})
    shown = command("show", str(stored.store))
    assert remark in " ".join(shown.stderr.split())
    assert "does not record" not in shown.stdout
    page = Path(command("report", str(stored.store)).stdout.strip())
    assert remark in " ".join(page.read_text().split())
    assert not stored.marker.exists()


def test_what_is_recorded_has_no_remark(stored: Stored) -> None:
    store = hs.open_store(stored.store)
    store.results()
    assert store.problems == []


def test_a_scenario_of_a_store_without_record_runs_nobody(stored: Stored) -> None:
    stored.edit(lambda manifest: entry(manifest).pop("controls"))
    [again] = hs.open_store(stored.store).results()
    [failure] = hs.run(again.scenario).failures
    assert failure.message == "flow 0: tcp:own.py:Own: the store does not record its class; run the scenario itself"
    [failure] = hs.run(again.scenario, set={"flow.0.transport": f"tcp:{stored.file}:Own", "duration": "1s"}).failures
    assert "the store does not record its class" in failure.message
    assert not stored.marker.exists()


def test_a_run_into_such_a_store_loads_the_class(stored: Stored) -> None:
    stored.edit(lambda manifest: entry(manifest).pop("controls"))
    stored.file.write_text(OWN)
    hs.run(stored.file.with_name("own.toml"), out=stored.store)
    store = hs.open_store(stored.store)
    [again] = store.results()
    assert again.points[0].runs == stored.result.points[0].runs
    assert store.problems == []


def test_a_request_of_a_reproduction_runs_nobody(stored: Stored, command: Command) -> None:
    changes = {"flow.*.transport": f"tcp:{stored.file}:Own"}
    request = {"keys": ["fu2003.fig2-left"], "quick": True, "seeds": None, "changes": changes}
    (stored.store / REQUEST).write_text(json.dumps(request))
    assert recall(hs.open_store(stored.store)) is None
    assert command("report", str(stored.store)).status == 0
    assert not stored.marker.exists()
