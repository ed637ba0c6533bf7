"""A reply: an application at the far end of a TCP flow, measured as a flow of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

import hopscope as hs
from hopscope.scenario.keys import schema
from hopscope.scenario.toml_writer import to_toml


def talk(**flow: Any) -> dict[str, Any]:
    ends = {"from": 0, "to": 2, "app": "file", "bytes": 400}
    return {"duration": "10s", "topology": {"kind": "chain", "hops": 2}, "flow": [{**ends, **flow}]}


def test_a_request_gets_its_reply_over_one_connection(tmp_path: Path) -> None:
    result = hs.run(talk(reply={"app": "file", "bytes": "100kB"}), out=tmp_path / "store")
    request, reply = result.points[0].runs[0]["flows"]
    assert (request["received_bytes"], reply["received_bytes"]) == (400, 100_000)
    assert (reply["id"], reply["from"], reply["to"], reply["reply_to"]) == (1, 2, 0, 0)
    assert "reply_to" not in request
    assert result.interval("flow.1.received_bytes").mean == 100_000
    assert not [metric for metric in result.points[0].metrics() if metric.endswith("reply_to")]
    assert result.flows["received_bytes"].tolist() == [400, 100_000]
    [again] = hs.open_store(tmp_path / "store").results()
    assert again.to_json() == result.to_json()


def test_it_is_numbered_after_all_flows_and_copies() -> None:
    document = talk(reply={}, copies=2)
    document["flow"].append({"from": 1, "to": 0, "transport": "udp", "app": "cbr", "rate": "10kbps"})
    flows = hs.run(document).points[0].runs[0]["flows"]
    assert [(flow["from"], flow["to"], flow.get("reply_to")) for flow in flows] == [
        (0, 2, None), (0, 2, None), (1, 0, None), (2, 0, 0), (2, 0, 1),
    ]  # fmt: skip


def test_the_resolved_scenario_shows_what_its_application_uses() -> None:
    for given, shown in (
        ({}, {"app": "bulk"}),
        ({"bytes": "1kB", "app": "file"}, {"app": "file", "bytes": 1000}),
        ({"app": "voice"}, {"app": "voice", "rate": 64_000.0, "on": 1.004, "off": 1.587, "codec": "g711-plc"}),
    ):
        scenario = hs.Scenario(talk(reply=given))
        assert scenario.resolved["flow"][0]["reply"] == shown
        assert hs.Scenario(scenario.resolved).resolved == scenario.resolved
    assert "reply" not in hs.Scenario(talk()).resolved["flow"][0]


def test_its_keys_are_swept_and_its_trace_is_found_beside_the_file(tmp_path: Path) -> None:
    swept = hs.Scenario({**talk(reply={"app": "file", "bytes": 1}), "sweep": {"flow.0.reply.bytes": [1000, 2000]}})
    assert [point.config(1)["flows"][0]["reply"]["bytes"] for point in swept.points] == [1000, 2000]
    (tmp_path / "video.csv").write_text("0,100\n1,200\n")
    path = tmp_path / "talk.toml"
    path.write_text(to_toml(talk(reply={"app": "video", "trace": "video.csv"})))
    scenario = hs.load(path)
    assert scenario.points[0].config(1)["flows"][0]["reply"] == {"kind": "trace", "frames": [[0, 100], [10**9, 200]]}
    assert scenario.standalone()["flow"][0]["reply"]["trace"] == str(tmp_path / "video.csv")


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"reply": "file"}, 'flow.0.reply: found "file"; expected a table'),
        ({"reply": {"app": "fil"}}, 'flow.0.reply.app: found "fil" (did you mean "file"?)'),
        ({"reply": {"app": "fil"}}, '(did you mean "file"?)'),
        ({"reply": {"app": "file"}}, 'flow.0.reply.bytes: is missing; app = "file" needs bytes'),
        ({"reply": {"bytes": 3}}, 'flow.0.reply.bytes: has no effect: it needs flow.0.reply.app = "file"'),
        ({"reply": {"app": "file", "bytes": 0}}, "flow.0.reply.bytes: found 0; must be at least 1"),
        (
            {"reply": {"byts": 3}},
            'flow.0.reply.byts: unknown key (did you mean "bytes"?)',
        ),
        ({"reply": {"packet": 3}}, "flow.0.reply.packet: unknown key here; packet is flow.N.packet"),
        ({"reply": {"app": "video", "trace": "none.csv"}}, "flow.0.reply.trace: none.csv: cannot be read"),
        (
            {"reply": {}, "transport": "udp", "app": "cbr", "rate": 1000},
            'flow.0.reply: has no effect: it needs flow.0.transport = "tcp"',
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(flow: dict[str, Any], message: str) -> None:
    document = talk(**flow)
    if flow.get("app") == "cbr":
        del document["flow"][0]["bytes"]
    with pytest.raises(hs.ScenarioError) as caught:
        hs.Scenario(document)
    assert message in str(caught.value)


def test_the_handshake_of_ns2_carries_data_one_way() -> None:
    with pytest.raises(hs.ScenarioError, match=r'flow.0.reply: found together with tcp.handshake = "ns2"'):
        hs.Scenario({**talk(reply={}), "profile": "ns2"})


def test_the_schema_knows_replies() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    assert validator.is_valid(talk(reply={"app": "file", "bytes": "1MB"}))
    assert not validator.is_valid(talk(reply="file"))
    assert not validator.is_valid(talk(reply={"packet": 3}))
