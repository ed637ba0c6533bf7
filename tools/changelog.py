"""Makes a version of what stands under "Unreleased" in CHANGELOG.md: python tools/changelog.py VERSION [DATE].

Each line gets the commit that brought it, which git finds by the line's own text.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CHANGELOG.md"


def origin(line: str) -> str:
    """The first commit whose CHANGELOG.md has a line; SystemExit where none has."""
    asked = ["git", "log", "--reverse", "--format=%h", "--abbrev=7", f"-S{line}", "--", PAGE.name]
    found = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    if not found:
        raise SystemExit(f"not committed yet: {line}")
    return found[0]


def released(text: str, version: str, date: str) -> str:
    """The page with the lines under "Unreleased" moved into a version."""
    head, begin, rest = text.partition("## Unreleased\n")
    new, mark, old = rest.partition("\n## ")
    lines = (f"{line} ({origin(line)})" if line.startswith("- ") else line for line in new.rstrip().splitlines())
    return f"{head}{begin}\n## {version} - {date}\n" + "\n".join(lines) + f"\n{mark}{old}"


def main() -> None:
    """Reads the version and the date from the command line, and writes the page."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("version")
    options.add_argument("date", nargs="?", default=datetime.date.today().isoformat())
    given = options.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", given.version):
        options.error(f"version {given.version}: expected three numbers, such as 0.5.0")
    PAGE.write_text(released(PAGE.read_text(), given.version, given.date))


if __name__ == "__main__":
    main()
