"""Shared by all Python tests: a small scenario, and how much Hypothesis tries."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("default", max_examples=500, deadline=None, suppress_health_check=QUIET, derandomize=True)
settings.register_profile("nightly", max_examples=10_000, deadline=None, suppress_health_check=QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

CHAIN = """\
title = "short chain"
duration = "2s"
seeds = 2

[topology]
kind = "chain"
hops = 2
spacing = "200m"

[[flow]]
from = 0
to = "last"
transport = "udp"
app = "cbr"
rate = "100kbps"
packet = 1000

[sweep]
"flow.0.packet" = [500, 1000]
"""


@pytest.fixture
def chain_text() -> str:
    return CHAIN


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.toml"
    path.write_text(CHAIN)
    return path


#: A bundle as `make web` builds it, as far as Python looks at it.
BUNDLE = {
    "engine.wasm.gz": gzip.compress(b"\0asm\1\0\0\0" + bytes(range(256)) * 40, mtime=0),
    "watch.html": b'<!doctype html>\n<html lang="en"><head><title>watch</title></head><body>\n'
    b'<script type="application/octet-stream;base64" id="hopscope-engine"></script>\n'
    b'<script type="application/json" id="hopscope-scenario"></script>\n<p>view</p></body></html>\n',
    "rerun.js": b"void 0;\n",
}


@pytest.fixture
def web(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a bundle that needs no tools of the browser part."""
    from hopscope.watching import bundle

    folder = tmp_path_factory.mktemp("web")
    for name, content in BUNDLE.items():
        (folder / name).write_bytes(content)
    monkeypatch.setattr(bundle, "folder", lambda: folder)
    return folder
