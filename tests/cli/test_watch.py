"""`hopscope watch` and `hs.watch`: one file with the engine and a scenario, which is data whatever it says."""

from __future__ import annotations

import base64
import gzip
import json
import os
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import hopscope as hs
from hopscope.cli.main import build
from hopscope.errors import InputError, StoreError
from hopscope.scenario import Scenario, document
from hopscope.watching import bundle, carried

HOSTILE = "</script><script>alert(1)</script><!-- <script> ]]> &lt; \u2028\u2029 \U0001f4a5"

#: The files of a scenario: frames, traces of a link, movements with what BonnMotion says of them.
FRAMES = "time,bytes\n0,2000\n0.04,900\n0.08,800\n"
WALK = "0.0 0 0 10.0 50 0\n0.0 100 0 10.0 100 40\n0.0 200 0 10.0 200 0\n"


class Elements(HTMLParser):
    """The elements of a page, each with its attributes and the text in it."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes), ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def text(self, identifier: str) -> str:
        [text] = [text for _, attributes, text in self.found if attributes.get("id") == identifier]
        return text


def payload(page: str) -> dict[str, Any]:
    """What a page holds of its scenario, once a browser has parsed it; nothing else stands in the page."""
    elements = Elements(page)
    assert [tag for tag, _, _ in elements.found] == ["html", "head", "title", "body", "script", "script", "p"]
    assert base64.b64decode(elements.text("hopscope-engine")) == bundle.read(bundle.ENGINE)
    return dict(json.loads(elements.text("hopscope-scenario")))


def config_of(found: dict[str, Any]) -> dict[str, Any]:
    """The engine's configuration that the scenario of a page gives, with no file but those in it."""
    parsed = document.parse(found["text"])
    parsed.kept = found.get("files", {})
    return Scenario.from_document(parsed).points[0].config(found["seed"])


def watched(*words: str) -> Any:
    """What the command does; raises what it refuses."""
    result = CliRunner().invoke(build(), ["watch", *words], prog_name="hopscope")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def desk(tmp_path: Path, chain_text: str, web: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the command works in, with a scenario and without a display."""
    (tmp_path / "chain.toml").write_text(chain_text)
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def store(desk: Path) -> Path:
    hs.run("chain.toml", out=desk / "store", progress=False)
    return desk / "store"


def test_a_file_becomes_a_page_with_its_first_point(desk: Path) -> None:
    done = watched("chain.toml", "--no-open")
    assert "page: watch.html" in done.output
    found = payload((desk / "watch.html").read_text())
    assert found["name"] == "short chain"
    assert (found["seed"], found["set"]) == (1, {})
    assert found["command"] == "hopscope run chain.toml --set flow.0.packet=500"
    assert "sweep" not in found["text"]
    assert config_of(found) == hs.load("chain.toml").points[0].config(1)


def test_a_file_without_a_sweep_is_taken_as_its_author_wrote_it(desk: Path, chain_text: str) -> None:
    text = "# why\n" + chain_text.partition("[sweep]")[0]
    (desk / "chain.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert payload(hs.watch("chain.toml").html)["text"] == text


def test_point_seed_and_changed_keys_are_those_of_the_run(desk: Path) -> None:
    page = hs.watch("chain.toml", point="flow.0.packet=1000", seed=9, set={"duration": "1s"})
    found = payload(page.html)
    assert page.title == "short chain, point 1 (flow.0.packet = 1000), seed 9"
    assert found["command"] == "hopscope trace chain.toml --point flow.0.packet=1000 --seed 9 --set duration=1s"
    assert config_of(found) == hs.load("chain.toml", {"duration": "1s"}).points[1].config(9)


def test_a_run_of_a_store_is_chosen_as_trace_does(store: Path, desk: Path) -> None:
    assert "page: page.html" in watched("store", "--point", "1", "--seed", "2", "--no-open", "-o", "page.html").output
    found = payload((desk / "page.html").read_text())
    assert found["command"] == "hopscope trace store --point 1 --seed 2"
    assert config_of(found) == hs.load("chain.toml").points[1].config(2)
    with pytest.raises(InputError, match="seed 7: found no such run; allowed: 1, 2"):
        watched("store", "--seed", "7")
    with pytest.raises(InputError, match="point 2: there is none"):
        watched("store", "--point", "2")
    with pytest.raises(InputError, match="--set changes a scenario file"):
        watched("store", "--set", "duration=1s")


def test_a_hostile_scenario_stays_data(desk: Path, chain_text: str) -> None:
    plain = chain_text.partition("[sweep]")[0].replace("short chain", HOSTILE)
    (desk / "plain.toml").write_text(f"# {HOSTILE}\n{plain}")
    name = "<!--<script>alert(1)<%2Fscript>.txt"
    (desk / name).write_text(FRAMES)
    (desk / "files.toml").write_text(f'{plain.partition("app")[0]}app = "video"\ntrace = "{name}"\n')
    for file in ("plain.toml", "files.toml"):
        page = hs.watch(file)
        found = payload(page.html)
        assert HOSTILE.rstrip("\u2028\u2029 \U0001f4a5") in found["name"]
        assert document.parse(found["text"]).values["title"] == HOSTILE
        assert found["text"].startswith(f"# {HOSTILE}") == (file == "plain.toml")
        assert found.get("files", {name: FRAMES}) == {name: FRAMES}
        inner = Elements(page._repr_html_())
        assert [tag for tag, _, _ in inner.found] == ["iframe"]
        [(_, attributes, _)] = inner.found
        assert attributes["srcdoc"] == page.html
        assert attributes["sandbox"] == "allow-scripts"


@pytest.mark.parametrize("text", ["9" * 400, "1e999", "-0.0", "nan", '"\\u0000"', '"\\\\u003c/script>"'])
def test_any_value_comes_through_as_it_is(text: str) -> None:
    written = bundle.data({"text": text})
    assert json.loads(written) == {"text": text}
    assert not set(written) & set("<>&\u2028\u2029")


def test_what_is_filled_in_is_not_looked_at_again(web: Path) -> None:
    template = bundle.read(bundle.WATCH).decode()
    other = '<script id="hopscope-engine"></script>\\1\\g<0>'
    page = bundle.filled(template, {"hopscope-scenario": other, "hopscope-engine": "E"})
    assert page.count(other) == 1
    assert len(page) == len(template) + len(other) + 1


def test_the_same_run_gives_the_same_bytes(desk: Path) -> None:
    first = hs.watch("chain.toml").html
    assert hs.watch("chain.toml").html == first


def test_files_of_a_scenario_come_along_without_their_folders(desk: Path) -> None:
    inner = desk / "private"
    inner.mkdir()
    (inner / "walk.movements").write_text(WALK)
    (inner / "walk.params").write_text("model=X\nx=300\ny=300\nduration=10.0\nnn=3\n")
    (inner / "video.txt").write_text(FRAMES)
    (desk / "moving.toml").write_text(
        'duration = "1s"\n[topology]\nkind = "file"\npath = "private/walk.movements"\n[mobility]\nmodel = "file"\n'
        '[[flow]]\nfrom = 0\nto = 2\ntransport = "udp"\napp = "video"\ntrace = "private/video.txt"\n'
    )
    expected = hs.load("moving.toml").points[0].config(1)
    hs.run("moving.toml", out=desk / "store", progress=False)
    for place in ("moving.toml", "store"):
        page = hs.watch(place)
        found = payload(page.html)
        assert found["files"]["video.txt"] == FRAMES
        assert found["files"]["walk.movements"] == WALK
        assert "private" not in page.html
        assert config_of(found) == expected


def test_files_of_the_same_name_stay_apart() -> None:
    names = carried._names(
        dict.fromkeys(["/a/walk.movements", "/b/walk.movements", "/b/walk.params", "/a/walk.params"])
    )
    assert len(set(names.values())) == 4
    second = names["/b/walk.movements"]
    assert names["/b/walk.params"] == second.replace("movements", "params")


def test_code_of_the_user_is_refused_by_name_and_never_loaded(desk: Path, chain_text: str) -> None:
    (desk / "own.py").write_text("raise SystemExit('loaded')\n")
    (desk / "own.toml").write_text(
        chain_text.partition("[sweep]")[0].replace('"udp"', '"tcp:own.py:Mine"').partition("app")[0]
    )
    with pytest.raises(
        InputError, match=r"own\.py:Mine is code in Python, which no page runs; use: hopscope run own\.t"
    ):
        watched("own.toml", "--no-open")
    assert not (desk / "watch.html").exists()


def test_what_is_too_large_for_a_page_is_refused_with_limit_and_value(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carried, "MOST_MEMORY", 1)
    with pytest.raises(InputError, match=r"GB of memory; a page has at most 0 GB; use: hopscope run chain\.toml"):
        watched("chain.toml")
    monkeypatch.setattr(carried, "MOST_MEMORY", 2_000_000_000)
    monkeypatch.setattr(carried, "MOST_BYTES", 100)
    with pytest.raises(InputError, match=r"have 0\.0 MB; a page holds at most 0 MB; use: hopscope run chain\.toml"):
        watched("chain.toml")


def test_only_a_page_of_its_own_is_replaced(desk: Path, tmp_path: Path) -> None:
    watched("chain.toml", "--no-open")
    watched("chain.toml", "--no-open", "--seed", "2")
    assert payload((desk / "watch.html").read_text())["seed"] == 2
    with pytest.raises(InputError, match=r"watch\.html: is there already; --force replaces it"):
        watched("chain.toml", "--no-open", "--out", "watch.html")
    (desk / "watch.html").write_text("<p>mine")
    with pytest.raises(InputError, match=r"watch\.html: is there already; --force replaces it"):
        watched("chain.toml", "--no-open")
    assert (desk / "watch.html").read_text() == "<p>mine"
    watched("chain.toml", "--no-open", "--force")
    assert payload((desk / "watch.html").read_text())["seed"] == 1
    with pytest.raises(InputError, match="is a folder"):
        watched("chain.toml", "--out", str(tmp_path))
    assert sorted(path.name for path in desk.iterdir()) == ["chain.toml", "watch.html"]  # no temporary file is left


def test_a_place_that_cannot_be_written_is_named(desk: Path) -> None:
    with pytest.raises(InputError, match=r"chain\.toml/page\.html: cannot be written"):
        watched("chain.toml", "--out", "chain.toml/page.html")


def test_the_page_opens_in_a_browser_unless_its_user_says_no(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert "no browser opens here; open watch.html in one" in watched("chain.toml").output
    monkeypatch.setenv("DISPLAY", ":0")
    watched("chain.toml", "--no-open")
    assert opened == []
    assert "no browser" not in watched("chain.toml").output
    assert opened == [(desk / "watch.html").resolve().as_uri()]


@pytest.mark.parametrize("name", ["engine.wasm.gz", "watch.html"])
def test_a_checkout_without_the_bundle_says_what_builds_it(desk: Path, web: Path, name: str) -> None:
    (web / name).unlink()
    with pytest.raises(InputError, match=rf"{name}: is not there; `make web` builds what runs in a browser") as refused:
        watched("chain.toml")
    assert "\n" not in str(refused.value)
    assert not (desk / "watch.html").exists()


def test_a_template_of_another_version_is_refused(desk: Path, web: Path) -> None:
    (web / "watch.html").write_text("<p>nothing</p>")
    with pytest.raises(InputError, match="has 0 places for hopscope-engine, not one"):
        watched("chain.toml")


def test_what_is_no_scenario_and_no_store_is_refused(desk: Path) -> None:
    (desk / "folder").mkdir()
    with pytest.raises(StoreError, match="is no result store"):
        watched("folder")
    with pytest.raises(InputError, match="no such file"):
        watched("absent.toml")


def test_the_real_page_has_at_most_three_megabytes(tmp_path: Path, chain: Path) -> None:
    missing = [name for name in (bundle.ENGINE, bundle.WATCH) if not (bundle.folder() / name).is_file()]
    if missing and not os.environ.get("HOPSCOPE_ALL_TOOLS"):
        pytest.skip("the browser part was not built: make web")
    assert missing == []
    page = hs.watch(chain).html
    assert len(page.encode()) <= 3_000_000
    elements = Elements(page)
    assert json.loads(elements.text("hopscope-scenario"))["seed"] == 1
    assert gzip.decompress(base64.b64decode(elements.text("hopscope-engine"))).startswith(b"\0asm")
    assert any("default-src 'none'" in str(attributes.get("content")) for _, attributes, _ in elements.found)
    fetched = [
        value for _, attributes, _ in elements.found for name in ("src", "href") if (value := attributes.get(name))
    ]
    assert [value for value in fetched if not value.startswith(("data:", "#"))] == []
