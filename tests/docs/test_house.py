"""The rules of the house, read from the sources: which room may use which, how long a file is, what is public, and that
the page "How to add" names files and words that exist.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: The crates of the engine from the ground up, each with its rooms from the ground up: a crate may depend on those
#: before it, and a room may use those before it in its crate, and none after. A crate without rooms is one itself: its
#: files know each other.
LAYERS: dict[str, tuple[str, ...]] = {
    "hopscope-core": ("units", "ids", "math", "rng", "named", "error", "config", "event", "queue"),
    "hopscope-packet": (
        "path", "notice", "path_notice", "drop",
        "tcp", "dccp", "atp",
        "aodv", "batman", "dsdv", "dsr", "olsr", "babel", "hwmp", "routing",
        "arena",
    ),
    "hopscope-phy": ("config", "mobility", "phy", "channel"),
    "hopscope-mac": (),
    "hopscope-net": ("config", "link", "net", "routing", "iface"),
    "hopscope-tcp": (),
    "hopscope-transport": (),
    "hopscope-engine": (
        "config",
        "app",
        "node",
        "record",
        "metrics", "ledger", "trace",
        "world",
        "results", "simulation", "bottleneck", "probe",
    ),
}  # fmt: skip

#: The crates above the engine, from the ground up; `hopscope-testing` is for the tests of all.
ABOVE = (
    "hopscope-wire",
    "hopscope-capture",
    "hopscope-scenario",
    "hopscope-live",
    "hopscope-page",
    "hopscope-conformance",
    "hopscope-python",
    "hopscope-web",
)

CRATES = ROOT / "crates"
SOURCES = tuple(CRATES / crate / "src" for crate in LAYERS)
WORLD = CRATES / "hopscope-engine" / "src" / "world"

#: The rooms of the Python package from the ground up: each may import those before it, and none after, inside functions
#: and for types alone too. Two modules of a room do not import each other either. Runs are made from `campaign` on;
#: results are what they gave and know nothing of that.
PYTHON_ROOMS = (
    "_core", "errors", "io", "usercode",
    "scenario", "models", "results",
    "campaign", "running", "tracing", "watching",
    "live", "reporting", "optimum", "probing",
    "studies", "assuming", "reference", "api", "cli",
    "__init__", "__main__",
)  # fmt: skip

#: What of the engine runs something: for the room of `campaign` and those above it.
RUNS = ("run", "trace", "bottleneck", "trajectory")

#: Most lines of a function of the sources, with its signature and the doc string inside it.
MOST_LINES = 60

#: Functions that are longer, each with the reason why they are.
LONGER: dict[str, str] = {
    "crates/hopscope-conformance/src/player/calls.rs: call": "one arm for each system call of packetdrill",
    "crates/hopscope-conformance/src/player/setup.rs: setup": "one arm for each setting of packetdrill",
    "crates/hopscope-conformance/src/script/packet.rs: packet": "the grammar of a packet line, in its order",
    "crates/hopscope-python/src/lib.rs: _core": "one line for each name of the module",
    "crates/hopscope-wire/src/packet.rs: inside": "one arm for each kind of packet",
    "python/hopscope/api/stores.py: report": "a public function whose doc string lists 15 arguments",
    "python/hopscope/cli/compare.py: command": "the options of the command are its parameters",
    "python/hopscope/cli/optimize.py: command": "the options of the command are its parameters",
    "python/hopscope/cli/report_cmd.py: command": "the options of the command are its parameters",
    "python/hopscope/cli/reproduce.py: command": "the options of the command are its parameters",
    "python/hopscope/cli/run.py: command": "the options of the command are its parameters",
    "python/hopscope/cli/slurm.py: command": "the options of the command are its parameters",
    "python/hopscope/optimum/driver.py: optimize": "a public function whose doc string lists 14 arguments",
    "python/hopscope/running/slurm.py: slurm": "a public function whose doc string lists 17 arguments",
}


# --- Reading Rust ---------------------------------------------------------------------------------------------------


def is_test(file: Path) -> bool:
    """Whether a file of the engine holds tests alone."""
    return "tests" in file.parts or file.stem == "tests" or file.stem.endswith("_tests")


def without_tests(text: str) -> str:
    """Rust without comments and without the items under ``#[cfg(test)]``."""
    text = re.sub(r"//[^\n]*", "", text)
    kept = []
    while (mark := re.search(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*", text)) is not None:
        kept.append(text[: mark.start()])
        text = text[mark.end() :]
        end = re.search(r"[;{]", text)
        text = (
            text[closing(text, end.start()) + 1 :] if end is not None and end[0] == "{" else text[text.index(";") + 1 :]
        )
    return "".join([*kept, text])


def closing(text: str, at: int) -> int:
    """The place of the brace that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise AssertionError("a brace is never closed")


def spelled_out(path: str) -> Iterator[str]:
    """The paths of a ``use`` with braces."""
    brace = path.find("{")
    if brace < 0:
        yield path.partition(" as ")[0].strip()
        return
    depth, start = 0, brace + 1
    for place in range(brace, len(path)):
        depth += {"{": 1, "}": -1}.get(path[place], 0)
        if (path[place] == "," and depth == 1) or depth == 0:
            if part := path[start:place].strip():
                yield from spelled_out(path[:brace].strip() + part)
            start = place + 1
        if depth == 0:
            return


def exported_macros(text: str) -> Iterator[str]:
    """The bodies of the macros that other crates can use."""
    for found in re.finditer(r"#\[macro_export\]\s*macro_rules! \w+ ", text):
        yield text[found.end() : closing(text, found.end()) + 1]


def paths(text: str) -> set[str]:
    """Every path that begins at the crate or above the module, in ``use`` lines and between."""
    used = re.findall(r"\buse\s+((?:crate|super)\b[^;]*);", text)
    return {p for use in used for p in spelled_out(" ".join(use.split()))} | set(
        re.findall(r"\b(?:crate|super)(?:::\w+)+", text)
    )


def target(path: str, module: list[str]) -> str | None:
    """The room that a path of a module leads to; None within the module's own room."""
    parts = path.split("::")
    if parts[0] == "crate":
        return parts[1] if len(parts) > 1 else None
    ups = next(n for n, part in enumerate([*parts, ""]) if part != "super")
    return parts[ups] if ups >= len(module) and ups < len(parts) else None


def arrows(source: Path) -> dict[tuple[str, str], list[str]]:
    """(user, used) -> the files and paths of a crate that make the arrow."""
    found: dict[tuple[str, str], list[str]] = {}
    for file in sorted(source.rglob("*.rs")):
        if is_test(file) or file.name == "lib.rs":
            continue
        module = [part for part in file.relative_to(source).with_suffix("").parts if part != "mod"]
        for path in sorted(paths(without_tests(file.read_text()))):
            room = target(path, module)
            if (
                room is not None
                and room != module[0]
                and (source / room).with_suffix(".rs").exists() | (source / room).is_dir()
            ):
                found.setdefault((module[0], room), []).append(f"{file.relative_to(ROOT)}: {path}")
    return found


def crates_used(crate: str, table: str) -> set[str]:
    """The crates of this repository that a table of a crate's Cargo.toml names."""
    manifest = tomllib.loads((CRATES / crate / "Cargo.toml").read_text())
    return {name for name in manifest.get(table, {}) if name.startswith("hopscope-")}


# --- The rules ------------------------------------------------------------------------------------------------------


def test_every_crate_has_its_place() -> None:
    assert {p.name for p in CRATES.iterdir() if (p / "Cargo.toml").exists()} == {*LAYERS, *ABOVE, "hopscope-testing"}


@pytest.mark.parametrize("crate", [*LAYERS, *ABOVE])
def test_a_crate_depends_on_those_below_it_alone(crate: str) -> None:
    order = [*LAYERS, *ABOVE]
    below = set(order[: order.index(crate)])
    assert crates_used(crate, "dependencies") <= below
    assert crates_used(crate, "dev-dependencies") <= below | {"hopscope-testing"}
    assert crates_used(crate, "build-dependencies") == set()


#: Functions of real numbers whose last bit is the system's, as methods or by their path.
_OF_THE_SYSTEM = re.compile(
    r"(?:\.|f64::|f32::)(sin|cos|tan|sin_cos|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|exp_m1|ln|ln_1p|log|log2|log10|powf|cbrt|hypot)\("
)


@pytest.mark.parametrize("crate", [*LAYERS, "hopscope-scenario", "hopscope-page", "hopscope-web"])
def test_real_numbers_are_those_of_every_system(crate: str) -> None:
    files = [file for file in (CRATES / crate / "src").rglob("*.rs") if not is_test(file)]
    texts = {file.name: file.read_text().partition("#[cfg(test)]\nmod tests")[0] for file in files}
    found = {f"{name}: {word}" for name, text in texts.items() for word in _OF_THE_SYSTEM.findall(text)}
    assert not found, "hopscope_core::math has these with the same bits everywhere"


@pytest.mark.parametrize("crate", LAYERS)
def test_every_layer_says_what_it_is_and_forbids_unsafe_code(crate: str) -> None:
    text = (CRATES / crate / "src" / "lib.rs").read_text()
    assert text.startswith("//! ")
    assert "#![forbid(unsafe_code)]\n#![warn(missing_docs)]\n" in text


@pytest.mark.parametrize("crate", [crate for crate, rooms in LAYERS.items() if rooms])
def test_every_room_has_its_place(crate: str) -> None:
    there = {p.stem for p in (CRATES / crate / "src").iterdir()} - {"lib"}
    assert there == set(LAYERS[crate]), "a room is missing from LAYERS, or is gone"


@pytest.mark.parametrize("crate", [crate for crate, rooms in LAYERS.items() if rooms])
def test_no_room_uses_one_above_it(crate: str) -> None:
    place = {room: number for number, room in enumerate(LAYERS[crate])}
    found = arrows(CRATES / crate / "src")
    upwards = {arrow: where for arrow, where in found.items() if place[arrow[0]] < place[arrow[1]]}
    assert upwards == {}


def test_the_two_tables_of_the_world_leave_nothing_out() -> None:
    for table in ("inputs", "effects"):
        text = without_tests((WORLD / f"{table}.rs").read_text())
        assert "match " in text
        assert not re.search(r"^\s*_ (?:if [^\n]*)?=>", text, flags=re.MULTILINE), f"{table}.rs has an arm for the rest"


def test_what_reads_rust_sees_every_form_of_a_path() -> None:
    text = """
    use crate::{a::X, b::{self, Y as Z}, c};
    use super::super::d::W; // use crate::e::V
    fn f() -> crate::g::T { super::own() }
    #[cfg(test)]
    mod tests { use crate::h::U; fn g() { if true {} } }
    #[cfg(test)]
    use crate::i::S;
    use crate::j;
    """
    found = paths(without_tests(text))
    assert {target(path, ["room", "file"]) for path in found} == {None, "a", "b", "c", "d", "g", "j"}


def rust_functions(text: str) -> Iterator[tuple[str, int]]:
    """Functions of a Rust file as rustfmt writes them, with their lines; its module of tests is left out."""
    lines = re.split(r"\n#\[cfg\(test\)\]\nmod \w+ \{", text)[0].splitlines()
    for first, line in enumerate(lines):
        if found := re.match(r"(\s*)(?:pub(?:\([^)]*\))? )?(?:const )?fn (\w+)", line):
            declared = next((n for n in range(first, len(lines)) if lines[n].endswith((";", "{", "}"))), first)
            end = next((n for n in range(first, len(lines)) if lines[n] == f"{found[1]}}}"), first)
            yield found[2], end - first + 1 if lines[declared].endswith("{") else declared - first + 1


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    """Functions of a Python file with their lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_function_is_too_long_without_a_reason() -> None:
    found: dict[str, int] = {}
    folders = (("crates", "rs", rust_functions), ("python", "py", python_functions), ("bench", "py", python_functions),
               ("tools", "py", python_functions), ("studies", "py", python_functions))  # fmt: skip
    for folder, ending, functions in folders:
        for file in (ROOT / folder).rglob(f"*.{ending}"):
            inside = file.relative_to(ROOT)
            if not {"target", "work", "tests"} & set(inside.parts) and not is_test(inside):
                for name, lines in functions(file.read_text()):
                    found[f"{inside}: {name}"] = max(found.get(f"{inside}: {name}", 0), lines)
    assert len(found) > 4_000
    assert {key: lines for key, lines in found.items() if lines > MOST_LINES and key not in LONGER} == {}
    assert [key for key in LONGER if found.get(key, 0) <= MOST_LINES] == [], "not too long: take it off the list"


def test_the_length_of_a_function_is_seen() -> None:
    text = "pub(crate) fn one() {\n}\n\nimpl A {\n    fn two(\n        a: u8,\n    ) -> u8 {\n        a\n    }\n"
    text += "    fn three();\n}\n"
    assert dict(rust_functions(text)) == {"one": 2, "two": 5, "three": 1}
    assert dict(python_functions("def one():\n    pass\n")) == {"one": 2}


def test_the_documentation_has_no_scripts() -> None:
    """`make docs` and the tests run what stands in tools/; docs/ has pages, pictures and the settings of Sphinx."""
    assert [file.name for file in (ROOT / "docs").glob("*.py")] == ["conf.py"]


def test_public_functions_and_constants_are_used_by_another_file() -> None:
    """By name: a word that stands elsewhere counts, so a common name hides an idle item; none is accused wrongly.

    What an exported macro names is used wherever the macro is.
    """
    files = {p: p.read_text() for p in CRATES.rglob("*.rs") if "target" not in p.parts}
    words = {p: set(re.findall(r"\w+", text)) for p, text in files.items()}
    expanded = {word for text in files.values() for body in exported_macros(text) for word in re.findall(r"\w+", body)}
    idle = [
        f"{file.relative_to(ROOT)}: {name}"
        for file, text in files.items()
        if not is_test(file) and any(source in file.parents for source in SOURCES)
        for name in re.findall(r"^\s*pub (?:const )?(?:fn|const|static) (\w+)", without_tests(text), flags=re.MULTILINE)
        if name not in expanded and not any(name in found for other, found in words.items() if other != file)
    ]
    assert idle == [], "used in its own file alone: no need of pub"


#: Crates that macros of hopscope-core name in the crate that uses them (`params!`, `choices!`).
OF_MACROS = {"serde", "serde_json"}


def with_modules_elsewhere(file: Path) -> str:
    """The text of a source file with that of the modules that it takes from other folders."""
    text = file.read_text()
    others = re.findall(r'#\[path = "([^"]+)"\]', text)
    return "\n".join([text, *((file.parent / other).read_text() for other in others)])


def test_every_dependency_is_used() -> None:
    declared: dict[str, set[str]] = {}
    for manifest in [*CRATES.glob("*/Cargo.toml"), ROOT / "fuzz/Cargo.toml"]:
        crate = tomllib.loads(manifest.read_text())
        sources = {
            kind: "\n".join(map(with_modules_elsewhere, (manifest.parent / kind).rglob("*.rs")))
            for kind in ("src", "tests", "examples", "fuzz_targets")
        }
        every, own = "\n".join(sources.values()), sources["src"] + sources["fuzz_targets"]
        wanted = [(name, own) for name in crate.get("dependencies", {})]
        wanted += [(name, every) for name in crate.get("dev-dependencies", {})]
        idle = {name for name, text in wanted if not re.search(rf"\b{name.replace('-', '_')}\b", text)}
        uses_macros = re.search(r"\b(params|choices)!|config::", own)
        assert idle - (OF_MACROS if uses_macros else set()) == set(), manifest
        declared[crate["package"]["name"]] = {name for name, _ in wanted}
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    assert set(workspace) - set().union(*declared.values()) == set()


# --- How to add -----------------------------------------------------------------------------------------------------


def additions() -> list[tuple[str, str, str]]:
    """What CONTRIBUTING.md says of additions: (heading, file, anchor words)."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    chapter = page[page.index("## How to add") :].split("\n## ")[0]
    found = []
    for section in chapter.split("\n### ")[1:]:
        heading = section.partition("\n")[0]
        rows = re.findall(r"^\| `([^`]+)` \| ((?:`[^`]+`(?:, )?)+) \|", section, flags=re.MULTILINE)
        found += [(heading, file, word) for file, words in rows for word in re.findall(r"`([^`]+)`", words)]
    return found


KINDS = {
    "A congestion control", "An ACK policy", "A transport", "A link layer", "A routing protocol", "A metric",
    "A record consumer",
}  # fmt: skip


def test_how_to_add_speaks_of_everything_that_is_added() -> None:
    assert {heading for heading, _, _ in additions()} >= KINDS


@pytest.mark.parametrize(("heading", "file", "word"), additions())
def test_how_to_add_names_what_exists(heading: str, file: str, word: str) -> None:
    path = ROOT / file
    assert path.exists(), f"{heading}: {file} is gone"
    texts = [path.read_text()] if path.is_file() else [p.read_text() for p in path.rglob("*.rs")]
    assert any(word in text for text in texts), f"{heading}: {file} has no {word}"


def test_a_congestion_control_is_a_matter_of_three_files() -> None:
    assert len({file for heading, file, _ in additions() if heading == "A congestion control"}) <= 3


def test_a_transport_is_its_folder_and_six_places() -> None:
    files = {file for heading, file, _ in additions() if heading == "A transport"}
    folder = "crates/hopscope-transport/src"
    assert folder in files
    assert len(files - {folder}) <= 6


# --- Studies --------------------------------------------------------------------------------------------------------


def test_the_reference_of_studies_names_every_verb() -> None:
    from hopscope.studies.statements import VERBS

    page = (ROOT / "docs/reference/studies.md").read_text()
    named = page[page.index("`python/hopscope/studies/verbs.py::VERBS`:") :].partition("`share` counts runs")[0]
    assert {name for name in VERBS if not re.search(rf"\b{name}\b", named)} == set()


def test_fewer_than_twenty_checks_are_python() -> None:
    """What several checks ask has a verb; `python` is for what one study alone asks."""
    files = list((ROOT / "studies").glob("*/*.toml"))
    assert len(files) > 20
    assert sum(file.read_text().count('verb = "python"') for file in files) < 20


def test_five_studies_take_at_most_four_thousand_lines_of_python() -> None:
    """The validation against other simulators is none of them, nor are the studies of this project."""
    files = [*(ROOT / "python/hopscope/studies").rglob("*.py"), *(ROOT / "studies").rglob("*.py")]
    others = ("validation", "multihop-ht", "mesh-routing")
    own = [file for file in files if file.name != "cells.py" and file.parent.name not in others]
    assert sum(len(file.read_text().splitlines()) for file in own) <= 4000


# --- The Python package ---------------------------------------------------------------------------------------------


def imported(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What an import brings, relative ones spelt out: (dotted name, name that it is bound to)."""
    if isinstance(node, ast.Import):
        yield from ((name.name, name.asname or name.name.partition(".")[0]) for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else ()
        stem = ".".join([*above, *([node.module] if node.module else [])])
        yield from ((f"{stem}.{name.name}", name.asname or name.name) for name in node.names)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__"):
        yield from ((str(arg.value), "") for arg in node.args[:1] if isinstance(arg, ast.Constant))


def imports(source: str, package: tuple[str, ...] = ("hopscope",)) -> Iterator[str]:
    """The rooms that a module of a package uses, anywhere in it; `_core.run` and the like by that name."""
    nodes = list(ast.walk(ast.parse(source)))
    engines = {"hopscope._core"}
    found = [name for node in nodes for name, _ in imported(node, package)]
    for node in nodes:
        for name, bound in imported(node, package):
            if name.endswith("._core"):
                engines.add(bound)
            elif name == "hopscope":
                engines.add(f"{bound}._core")
    found += [ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)]
    for name in found:
        whole, _, last = name.rpartition(".")
        if last in RUNS and whole in engines:
            yield f"_core.{last}"
        elif name == "hopscope" or name.startswith("hopscope."):
            yield f"{name}.__init__".split(".")[1]


def upward(room: str, source: str, package: tuple[str, ...] = ("hopscope",)) -> list[str]:
    """The rooms above its own that a module imports, and those that stand nowhere."""
    level = {name: place for place, name in enumerate(PYTHON_ROOMS)}
    level |= {f"_core.{name}": level["campaign"] for name in RUNS}
    return [name for name in imports(source, package) if level.get(name, len(level)) > level[room]]


def test_the_rooms_of_the_python_package_are_a_ladder():
    package = ROOT / "python" / "hopscope"
    found = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package).with_suffix("").parts
        package_of = ("hopscope", *parts[:-1])
        names = upward(parts[0], file.read_text(encoding="utf-8"), package_of)
        if names:
            found["/".join(parts)] = names
    assert found == {}


def test_every_room_of_the_python_package_has_its_place() -> None:
    package = ROOT / "python" / "hopscope"
    there = {path.stem for path in package.iterdir() if path.suffix in {".py", ".pyi"}}
    there |= {path.parent.name for path in package.glob("*/*.py")}  # a folder that was renamed may leave its cache
    assert there == set(PYTHON_ROOMS)


def circles(uses: dict[str, set[str]]) -> list[str]:
    """The modules that use themselves by way of others."""

    def reached(module: str) -> set[str]:
        found: set[str] = set()
        ahead = list(uses[module])
        while ahead:
            if (one := ahead.pop()) not in found:
                found.add(one)
                ahead += uses[one]
        return found

    return [module for module in uses if module in reached(module)]


def modules_used() -> dict[str, set[str]]:
    """Module of the package -> the modules of it that it imports anywhere, for types alone too."""
    folder = ROOT / "python"
    files = {}
    for file in (folder / "hopscope").rglob("*.py"):
        parts = file.relative_to(folder).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    uses: dict[str, set[str]] = {name: set() for name in files}
    for name, file in files.items():
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for dotted, _ in (found for node in nodes for found in imported(node, file.relative_to(folder).parts[:-1])):
            parts = [] if dotted.startswith("hopscope._core") else dotted.split(".")
            stems = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
            uses[name] |= {next((stem for stem in stems if stem in files), name)} - {name}
    return uses


def test_no_two_modules_of_the_python_package_import_each_other() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert circles(modules_used()) == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f():\n    from hopscope.running.runner import run\n", ["running"]),
        ("import hopscope.cli.main\nfrom hopscope import reporting\n", ["cli", "reporting"]),
        ("if TYPE_CHECKING:\n    from hopscope.running import runner\n", ["running"]),
        ("if typing.TYPE_CHECKING:\n    import hopscope.cli\n", ["cli"]),
        ("if TYPE_CHECKING:\n    import hopscope.errors\nelse:\n    import hopscope.running.runner\n", ["running"]),
        ("if TYPE_CHECKING:\n    pass\nelif fast:\n    from hopscope import running\n", ["running"]),
        ("if not TYPE_CHECKING:\n    import hopscope.running.runner\n", ["running"]),
        ("from ..running.runner import run\n", ["running"]),
        ("from .. import cli, errors\n", ["cli"]),
        ("from .samples import Table\nfrom . import stats\n", []),
        ("import hopscope as hs\nhs.run(1)\n", ["__init__"]),
        ("from hopscope import run\n", ["run"]),
        ("importlib.import_module('hopscope.running.runner')\n", ["running"]),
        ("from hopscope import _core\n_core.run(1)\n", ["_core.run"]),
        ("from hopscope import _core as engine\nf = engine.bottleneck\n", ["_core.bottleneck"]),
        ("from hopscope._core import trajectory\n", ["_core.trajectory"]),
        ("from .._core import run as go\n", ["_core.run"]),
        ("import hopscope._core\nhopscope._core.run(1)\n", ["_core.run"]),
        ("from hopscope.scenario.keys import _core\n_core.run(1)\n", ["_core.run"]),
        ("from hopscope import _core\n_core.metrics()\nrun = plan.run\n", []),
    ],
)
def test_an_upward_import_is_found_wherever_it_stands(source, names):
    assert upward("results", source, ("hopscope", "results")) == names


def test_the_rooms_that_run_may_and_what_runs_is_there():
    assert upward("campaign", "from hopscope import _core\n_core.run(1)\n") == []
    assert upward("cli", "from hopscope.running.runner import run\nfrom hopscope.cli import options\n") == []
    stub = (ROOT / "python" / "hopscope" / "_core.pyi").read_text()
    assert all(f"\ndef {name}(" in stub for name in RUNS)
