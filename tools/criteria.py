"""Writes the criteria of new statements: python tools/criteria.py STUDY COMMIT.

`tests/catalog/criteria/STUDY.jsonl` holds by what each statement of a study is evaluated, a statement a line, with the
commit that fixed it. Lines that stand are never changed; those of statements and metrics that have none are added.
"""

from __future__ import annotations

import argparse
import ast
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STUDIES = (
    "fu2003",
    "afrakhteh2005",
    "anastasi2006",
    "zhang2006",
    "armaghani2008",
    "broch1998",
    "multihop-ht",
    "mesh-routing",
)

#: What explains a verdict and decides none.
WORDS = ("id", "because", "contradiction", "check")

#: What shows a metric and measures nothing.
SHOWN = ("label", "unit")


def criteria(folder: Path) -> dict[str, dict[str, Any]]:
    """By what a study evaluates: `fig2-left.c1` -> words, kind and checks, `metric.NAME` -> how it is measured."""
    documents = [tomllib.loads(file.read_text()) for file in sorted(folder.glob("*.toml"))]
    code = _functions(folder / "checks.py")
    found = {
        f"{one['key']}.{statement['id']}": _statement(statement, code)
        for document in documents
        for one in document.get("experiment", [])
        for statement in one.get("statement", [])
    }
    metrics = {name: one for document in documents for name, one in document.get("metric", {}).items()}
    for name, one in metrics.items():
        kept = {key: value for key, value in one.items() if key not in SHOWN}
        found[f"metric.{name}"] = kept | ({"code": code[one["python"]]} if "python" in one else {})
    return found


def _statement(statement: Mapping[str, Any], code: Mapping[str, str]) -> dict[str, Any]:
    """A statement as one table: a check of its own stands among the others."""
    words = ("text", "criterion", "kind", "in", "fitted", "published", "trend")
    own = {key: value for key, value in statement.items() if key not in WORDS}
    found = {"kind": "claim"} | {key: own.pop(key) for key in words if key in own}
    checks = [*statement.get("check", []), *([own] if own else [])]
    return found | {"checks": [one | ({"code": code[one["function"]]} if "function" in one else {}) for one in checks]}


def _functions(file: Path) -> dict[str, str]:
    """The functions of a study's own checks by name, without annotations, docstring, comments and blanks."""
    if not file.is_file():
        return {}
    text = file.read_text()
    return {one.name: _code(text, one) for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}


def _code(text: str, function: ast.FunctionDef) -> str:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    lines = "\n".join(ast.get_source_segment(text, one) or "" for one in body).splitlines()
    return "".join("".join(line.split()) for line in lines if not line.lstrip().startswith("#"))


def committed(study: str) -> dict[str, dict[str, Any]]:
    """The lines that stand, by statement, each with the commit that fixed it (`since`)."""
    file = ROOT / "tests/catalog/criteria" / f"{study}.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []
    return {line.pop("id"): line for line in lines}


def added(study: str, commit: str) -> Iterator[str]:
    """The lines of what has none yet."""
    stand = committed(study)
    for name, one in criteria(ROOT / "studies" / study).items():
        if name not in stand:
            yield json.dumps({"id": name, "since": commit, **one}, ensure_ascii=False)


def main() -> None:
    """Reads the study and the commit from the command line, and adds to its file."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("study", choices=STUDIES)
    options.add_argument("commit")
    given = options.parse_args()
    lines = list(added(given.study, given.commit))
    with (ROOT / "tests/catalog/criteria" / f"{given.study}.jsonl").open("a") as file:
        file.writelines(f"{line}\n" for line in lines)
    print(f"{given.study}: {len(lines)} lines added")


if __name__ == "__main__":
    main()
