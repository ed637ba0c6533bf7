"""Shared by all Python tests: a small scenario, and how much Hypothesis tries."""

from __future__ import annotations

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
