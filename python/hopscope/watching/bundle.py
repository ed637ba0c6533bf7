"""What ``make web`` builds for the browser, and how a page takes it in: the engine, and data that stay data."""

from __future__ import annotations

import base64
import importlib.resources
import json
import re
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any

from hopscope.errors import InputError

#: The files of the bundle.
ENGINE, WATCH, RERUN = "engine.wasm.gz", "watch.html", "rerun.js"

#: What could end the element that holds JSON, or begin another one, and how JSON writes it instead.
_MARKUP = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def folder() -> Traversable:
    """Returns the place of the bundle in the package."""
    return importlib.resources.files("hopscope") / "web"


def read(name: str) -> bytes:
    """Returns a file of the bundle.

    Raises:
        InputError: it is not there: a checkout in which it was not built.
    """
    try:
        return (folder() / name).read_bytes()
    except OSError as error:
        raise InputError(f"{folder() / name}: is not there; `make web` builds what runs in a browser") from error


def engine() -> str:
    """Returns the engine, which lies there compressed (gzip), in base64.

    Raises:
        InputError: it was not built.
    """
    return base64.b64encode(read(ENGINE)).decode("ascii")


def data(value: Any) -> str:
    """Returns a value as JSON that is data wherever it stands in a page: no markup begins or ends in it."""
    return json.dumps(value, allow_nan=False, sort_keys=True, separators=(",", ":")).translate(_MARKUP)


def filled(template: str, contents: Mapping[str, str]) -> str:
    """Returns a page with its empty ``script`` elements filled; what is filled in is not looked at again.

    Args:
        template: the page.
        contents: what goes into the element of an identifier.

    Raises:
        InputError: the page has no such element, or several: it was built by another version.
    """
    places = []
    for name, content in contents.items():
        found = list(re.finditer(rf'<script\b[^<>]*\bid="{re.escape(name)}"[^<>]*>(?=</script>)', template))
        if len(found) != 1:
            raise InputError(
                f"{folder() / WATCH}: has {len(found)} places for {name}, not one; `make web` builds it anew"
            )
        places.append((found[0].end(), content))
    pieces, last = [], 0
    for at, content in sorted(places):
        pieces += [template[last:at], content]
        last = at
    return "".join([*pieces, template[last:]])
