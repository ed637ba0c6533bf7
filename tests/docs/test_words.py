"""The words of the house: no banned word in sources, documents and messages (`banned_words.toml`), and public names
that are composed of words of a standard (`vocabulary.toml`) or of the glossary (`docs/reference/glossary.md`).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hopscope import _core

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
ENDINGS = {".rs", ".py", ".pyi", ".md", ".toml"}

#: Folders with sources of ours; the files at the top come too.
FOLDERS = ("crates", "python", "studies", "tools", "docs", "tests", "fuzz", "bench", "showcases")
#: What is built or fetched, and the history, which speaks of what was.
SKIPPED = {"target", "work", "generated", "_build", "__pycache__", "corpus", "artifacts"}
EXEMPT = {HERE / "banned_words.toml", ROOT / "CHANGELOG.md"}


# --- Reading ----------------------------------------------------------------------------------------------------------


def sources() -> list[Path]:
    """Every file that is searched for banned words."""
    found = [path for path in ROOT.iterdir() if path.suffix in ENDINGS]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS]
    return sorted(path for path in found if not SKIPPED & set(path.relative_to(ROOT).parts) and path not in EXEMPT)


def parts(name: str) -> list[str]:
    """The words that a name in snake case, kebab case or camel case is composed of, in lower case."""
    words: list[str] = []
    for piece in re.split(r"[^A-Za-z0-9]+", name):
        words += [word.lower() for word in re.findall(r"[A-Z]+\d*(?![a-z])|[A-Z]?[a-z]+\d*|\d+", piece)]
    return words


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


CODE = {
    ".rs": re.compile(r'//[^\n]*|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"', flags=re.DOTALL),
    ".py": re.compile(r'#[^\n]*|("""|\'\'\').*?\1|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', flags=re.DOTALL),
}


def code_of(path: Path) -> str:
    """A source without comments and strings; nothing of a document. Lines stay where they are."""
    pattern = CODE.get(path.suffix if path.suffix != ".pyi" else ".py")
    if pattern is None:
        return ""
    return pattern.sub(lambda found: "\n" * found[0].count("\n"), text_of(path))


# --- Banned words -----------------------------------------------------------------------------------------------------


class Ban:
    """One entry of the list."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.words: set[str] = set(entry["word"])
        self.use: str = entry["use"]
        self.everything = {"everything": True, "names": False}[entry["in"]]
        self.files = re.compile(entry.get("files", ""))
        self.keep = [re.compile(text) for text in entry.get("keep", [])]
        any_of = "|".join(sorted(self.words))
        self.prose = re.compile(rf"(?<![A-Za-z])(?:{any_of})(?![A-Za-z])", flags=re.IGNORECASE)

    def is_kept(self, line: str) -> bool:
        return any(pattern.search(line) for pattern in self.keep)

    def in_name(self, name: str) -> bool:
        """Whether a name has a banned word. One that is banned as a name alone may be part of a longer one."""
        if self.everything or name[:1].isupper():
            return bool(self.words & set(parts(name)))
        return name in self.words

    def found(self, path: Path) -> Iterator[str]:
        if not self.files.search(str(path.relative_to(ROOT))):
            return
        lines = text_of(path).split("\n")
        searched = enumerate((lines if self.everything else code_of(path).split("\n")), start=1)
        for number, line in searched:
            if self.is_kept(lines[number - 1]):
                continue
            words = self.prose.findall(line) if self.everything else []
            words += [name for name in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", line) if self.in_name(name)]
            if words:
                scope = "names and prose" if self.everything else "names"
                yield f"{path.relative_to(ROOT)}:{number}: {words[0]!r} is banned in {scope}; use: {self.use}"


def bans() -> list[Ban]:
    return [Ban(entry) for entry in tomllib.loads((HERE / "banned_words.toml").read_text())["banned"]]


@pytest.mark.parametrize("ban", bans(), ids=lambda ban: "-".join(sorted(ban.words)))
def test_no_banned_word_is_used(ban: Ban) -> None:
    found = [line for path in sources() for line in ban.found(path)]
    assert not found, f"{len(found)} uses of banned words (tests/docs/banned_words.toml):\n" + "\n".join(found[:40])


def test_a_ban_sees_names_and_prose_as_whole_words() -> None:
    whole = Ban({"word": ["foobar"], "use": "x", "in": "everything"})
    assert [whole.in_name(name) for name in ("is_foobar", "FoobarKind", "foobars")] == [True, True, False]
    assert whole.prose.search("Foobar,") is not None
    assert whole.prose.search("foobarred") is None
    name = Ban({"word": ["foobar"], "use": "x", "in": "names", "keep": ["TCP-FOOBAR"]})
    assert [name.in_name(one) for one in ("foobar", "FoobarKind", "under_foobar")] == [True, True, False]
    assert name.is_kept("of TCP-FOOBAR")


def test_code_is_read_without_comments_and_strings() -> None:
    rust = 'let a = "foobar"; // foobar\nlet b = r#"foo"bar"#;'
    assert CODE[".rs"].sub("", rust) == "let a = ; \nlet b = ;"


# --- Public names -----------------------------------------------------------------------------------------------------


def public_types() -> dict[str, str]:
    """Public types of the crates, with their files."""
    found = {}
    for path in sorted((ROOT / "crates").rglob("*.rs")):
        crate, *folders = path.relative_to(ROOT / "crates").parts
        if crate == "hopscope-testing" or folders[0] != "src":
            continue
        if "tests" in folders or path.stem.endswith("tests"):
            continue
        text = text_of(path).split("#[cfg(test)]\nmod tests")[0]
        for name in re.findall(r"^\s*pub (?:struct|enum|trait|type) (\w+)", text, flags=re.MULTILINE):
            found[name] = f"type {name} ({path.relative_to(ROOT)})"
    return found


def keys(schema: object) -> Iterator[str]:
    """Every key that the schema of scenarios has."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys(value)


def value(found: Any) -> Any:
    """What the engine gives: a value, or its JSON text."""
    return json.loads(found) if isinstance(found, str) else found


def public_names() -> dict[str, str]:
    """Names that users and callers meet, with what each is."""
    names = public_types()
    names |= {name: f"record {name}" for name in _core.record_kinds()}
    names |= {metric["name"]: f"metric {metric['name']}" for metric in value(_core.metrics())}
    return names | {key: f"key {key}" for key in keys(value(_core.json_schema()))}


def vocabulary() -> dict[str, set[str]]:
    groups = tomllib.loads((HERE / "vocabulary.toml").read_text())
    assert all(set(group) == {"source", "words"} and group["source"] for group in groups.values())
    return {name: set(group["words"].split()) for name, group in groups.items()}


def glossary() -> set[str]:
    """The words of the terms in bold in the first column of the glossary's tables."""
    terms = re.findall(r"^\| ([^|]*\*\*[^|]*) \|", text_of(GLOSSARY), flags=re.MULTILINE)
    return {word for term in terms for bold in re.findall(r"\*\*([^*]+)\*\*", term) for word in parts(bold)}


def unknown(names: dict[str, str], known: set[str]) -> list[str]:
    return [f"{what}: {word!r}" for name, what in sorted(names.items()) for word in parts(name) if word not in known]


def test_public_names_are_composed_of_known_words() -> None:
    known = set().union(*vocabulary().values()) | glossary()
    found = unknown(public_names(), known)
    assert not found, (
        "words in public names that no standard and no glossary has. Use the term of the RFC, of IEEE 802.11 or of the "
        "paper; if it is one, add it to its group in tests/docs/vocabulary.toml; if it is our own, define it with a "
        "reason in docs/reference/glossary.md:\n" + "\n".join(found[:40])
    )


def test_a_private_word_in_a_public_name_is_found() -> None:
    assert unknown({"FrameFoobar": "type FrameFoobar"}, {"frame"}) == ["type FrameFoobar: 'foobar'"]
    assert len(public_names()) > 900


def test_the_vocabulary_holds_nothing_idle_and_nothing_banned() -> None:
    used = {word for name in public_names() for word in parts(name)}
    words = vocabulary()
    assert {name: idle for name, group in words.items() if (idle := sorted(group - used))} == {}
    banned = {word for ban in bans() for word in ban.words}
    assert not banned & (set().union(*words.values()) - {"door"}), "door is TCP-DOOR's"
