"""The records of the engine, read from the source that declares them: name, class, fields and what each means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FACTS = Path(__file__).resolve().parents[1] / "crates" / "hopscope-engine" / "src" / "record" / "facts.rs"


class Record(NamedTuple):
    """One record.

    Attributes:
        layer: the heading that it stands under.
        name: as in the source.
        meaning: what it says.
        fields: name, type and meaning of each field.
        kind: the class of records that it belongs to.
    """

    layer: str
    name: str
    meaning: str
    fields: list[tuple[str, str, str]]
    kind: str


def records(source: str | None = None) -> list[Record]:
    """Every record in the order of the source."""
    text = FACTS.read_text(encoding="utf-8") if source is None else source
    body = text[text.index("pub enum Record {") : text.index("\n}\n", text.index("pub enum Record {"))]
    kinds = classes(text)
    found: list[Record] = []
    layer, words, fields, name = "", [], [], ""
    for line in (line.strip() for line in body.splitlines()[1:]):
        if heading := re.match(r"// -+ (.*?) -+$", line):
            layer = heading[1]
        elif line.startswith("///"):
            words.append(line[3:].strip())
        elif field := re.match(r"(\w+): (.+),$", line):
            fields.append((field[1], field[2], " ".join(words)))
            words = []
        elif variant := re.match(r"([A-Z]\w*)( \{|,)$", line):
            name, meaning, words, fields = variant[1], " ".join(words), [], []
            found.append(Record(layer, name, meaning, fields, kinds[name]))
    return found


def classes(text: str) -> dict[str, str]:
    """Record -> class, from `Record::class`."""
    body = text[text.index("pub fn class(") :]
    found: dict[str, str] = {}
    waiting: list[str] = []
    for word in re.findall(r"Record::(\w+)|Classes::([A-Z_]+)", body):
        if word[0]:
            waiting.append(word[0])
        elif waiting:
            found.update(dict.fromkeys(waiting, word[1]))
            waiting = []
    return found
