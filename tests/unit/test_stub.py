"""The typed stub of the engine says what the module has."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from hopscope import _core
from hopscope.scenario import Scenario

BASE: dict[str, Any] = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2}], "duration": 1}


def test_stub_and_module_have_the_same_names_and_arguments() -> None:
    import ast
    from pathlib import Path

    tree = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())
    declared = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    named = {ast.unparse(node.target) for node in tree.body if isinstance(node, ast.AnnAssign)}
    constants = {name for name in named if not name.startswith("_")}
    assert declared.keys() | constants == {name for name in dir(_core) if not name.startswith("_")}
    for name, node in declared.items():
        if isinstance(node, ast.FunctionDef):
            wanted = [argument.arg for argument in node.args.args]
            assert list(inspect.signature(getattr(_core, name)).parameters) == wanted, name
            assert ast.get_docstring(node)


def test_engine_errors_name_their_key() -> None:
    config = Scenario(BASE).points[0].config(1)
    config["flows"][0]["to"] = 9
    with pytest.raises(_core.EngineError) as caught:
        _core.validate(config)
    assert caught.value.key == "flows.0.to"
    assert caught.value.message


def test_a_cancelled_run_raises() -> None:
    config = Scenario({**BASE, "duration": 3000}).points[0].config(1)
    token = _core.CancelToken()
    assert not token.is_set()
    token.set()
    assert token.is_set()
    with pytest.raises(_core.Cancelled):
        _core.run(config, token)


def test_a_long_run_looks_at_its_token_soon() -> None:
    """Not once in a fixed part of its time, which may take minutes."""
    flow = {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "2Mbps"}
    config = Scenario({**BASE, "duration": 2e6, "flow": [flow]}).points[0].engine_config(1)
    token, seen = _core.CancelToken(), list[float]()

    def stop(seconds: float) -> None:
        seen.append(seconds)
        token.set()

    with pytest.raises(_core.Cancelled):
        _core.run(config, token, stop)
    [reached] = seen
    assert reached < 2e4


def test_progress_rises_to_the_end() -> None:
    seen: list[float] = []
    _core.run(Scenario(BASE).points[0].config(1), None, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0)
