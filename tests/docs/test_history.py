"""The history that a reader meets: the form of CHANGELOG.md, and the subjects of the commits since the last version."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CHANGELOG.md").read_text()

KINDS = ["Changed behavior", "Added", "Fixed"]
LAYERS = [
    "Radio, channel and movement",
    "MAC",
    "Routing, queues and wires",
    "Transport",
    "Engine: records, metrics, ledger, captures",
    "Scenario files",
    "Command, results and reports",
    "Studies, models and validation",
    "Package, tests and tools",
]

#: The commit after which subjects follow the rule: that of version 0.4.0.
BEGIN = "c457ff4"

#: Verbs that end as other forms do.
IMPERATIVE_ALL_THE_SAME = {"Embed", "Exceed", "Feed", "Need", "Seed", "Shed", "Speed", "Bring", "String"} | {
    "Access", "Address", "Assess", "Bypass", "Compress", "Cross", "Discuss", "Dismiss", "Express", "Focus", "Guess",
    "Miss", "Pass", "Press", "Process", "Suppress",
}  # fmt: skip


def subject_faults(subject: str) -> list[str]:
    """What is wrong with the subject of a commit."""
    verb = subject.partition(" ")[0].rstrip(":,")
    other_form = re.search(r"(s|ed|ing)$", verb) and verb not in IMPERATIVE_ALL_THE_SAME
    return [
        fault
        for wrong, fault in (
            (len(subject) > 72, "is longer than 72 characters"),
            (subject.endswith("."), "ends with a full stop"),
            (not verb[:1].isupper() and "_" not in verb and "." not in verb, "begins with a small letter"),
            (verb in {"A", "An", "The"} or other_form, "begins with no imperative"),
        )
        if wrong
    ]


def sections(text: str) -> list[tuple[str, list[str]]]:
    """The versions of the page with the lines below each."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return [(name, body.splitlines()) for name, body in zip(parts[1::2], parts[2::2], strict=True)]


def test_changes_stand_by_version_kind_and_layer_behaviour_first() -> None:
    versions = sections(PAGE)
    assert versions[0][0] == "Unreleased"
    names = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - \d{4}-\d\d-\d\d", name) for name, _ in versions[1:]]
    numbers = [tuple(map(int, found.groups())) for found in names if found]
    assert len(numbers) == len(versions) - 1
    assert numbers == sorted(numbers, reverse=True)
    for version, lines in versions:
        kinds = [line[4:] for line in lines if line.startswith("### ")]
        assert kinds == [kind for kind in KINDS if kind in kinds], version
        for kind in "\n".join(lines).split("\n### ")[1:]:
            layers = re.findall(r"^#### (.*)$", kind, flags=re.MULTILINE)
            assert layers == [layer for layer in LAYERS if layer in layers], (version, kind.partition("\n")[0])


@pytest.mark.parametrize(("version", "lines"), sections(PAGE), ids=[name for name, _ in sections(PAGE)])
def test_a_change_is_one_line_with_its_commit(version: str, lines: list[str]) -> None:
    ending = r"" if version == "Unreleased" else r" \([0-9a-f]{7}\)"
    strange = [line for line in lines if line and not re.fullmatch(rf"#{{3,4}} .*|- \S.*[^.]{ending}", line)]
    assert strange == []
    assert [line for line in lines if len(line) > 200] == []


def git(*words: str) -> str | None:
    """What git prints; None where there is no repository or no such commit."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def test_subjects_of_commits_are_short_imperatives() -> None:
    found = git("log", "--no-merges", "--format=%h %s", f"{BEGIN}..HEAD")
    if found is None:
        pytest.skip("no history here")
    wrong = {line: faults for line in found.splitlines() if (faults := subject_faults(line.partition(" ")[2]))}
    assert wrong == {}


@pytest.mark.parametrize(
    ("subject", "faults"),
    [
        ("Read TOML once, in Rust, with places from its spans", 0),
        ("hopscope import: a scenario file of an ns-2 Tcl script", 1),
        ("Pass the view of a node by value", 0),
        ("Reading a store never loads the code that it names", 1),
        ("The house is a ladder", 1),
        ("Moves the DCF", 1),
        ("Fixed the DCF.", 2),
        ("Move " + "x" * 70, 1),
    ],
)
def test_subject_rules(subject: str, faults: int) -> None:
    assert len(subject_faults(subject)) == faults
