"""The transport of a flow: protocol, congestion control and loss recovery, and the keys that belong to each.

``transport = "tcp"`` leaves the axes to ``control`` and ``recovery``; older words name several at once, such as
``tcp-cubic``, or ``tcp:FILE.py:CLASS`` for a congestion control of the user's own. ``control`` has three readings that
cannot be confused: text is a word or names a class; a table with ``class`` names a class and gives its parameters; a
table without it gives the parameters of the class that ``transport`` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopscope.errors import did_you_mean, shown
from hopscope.scenario import keys
from hopscope.scenario.controls import (
    CLASS,
    FILE_FORM,
    FORM,
    PREFIX,
    Control,
    ControlError,
    Reference,
    find,
    is_named,
    names_code,
    unloaded,
    unrecorded,
)
from hopscope.scenario.document import KeyPath
from hopscope.scenario.reader import Reader

#: The transport that `control` and `recovery` are axes of.
TCP = "tcp"

#: Its congestion control where none is named.
DEFAULT = "newreno"

#: The transport that has controls of its own, and the one that it has where none is named.
DCCP = "dccp"
DCCP_DEFAULT = "ccid2"


def read_transport(reader: Reader, path: KeyPath, value: Mapping[str, Any], flow: dict[str, Any]) -> None:
    """Completes the keys of a transport: those of another have no use, classes are found, parameters filled in."""
    _ports(reader, path, value, flow)
    given = flow.get("control")
    if "transport" not in value and _names_control(given):
        flow["transport"] = TCP
    transport = flow["transport"]
    unused = keys.not_of(transport)
    for entry in (f for f in keys.flow() if f.name in unused and f.name in value):
        owner = "DCCP" if entry.name == "dccp" else "TCP"
        reader.without_use((*path, entry.name), f'belongs to {owner}; found transport = "{transport}"')
        flow[entry.name] = {} if entry.kind == "table" else entry.default
    if transport == DCCP and (*path, "control") not in reader.refused:
        _of_dccp(reader, path, flow, given)
    if not transport.startswith(TCP):
        return
    _recovery(reader, path, flow)
    if (*path, "control") in reader.refused:
        return
    if transport == TCP:
        _axis(reader, path, flow, given)
    elif _names_control(given):
        at = (*path, "control") if isinstance(given, str) else (*path, "control", CLASS)
        reader.without_use(at, f'names a congestion control beside transport = "{transport}"; it goes with "{TCP}"')
        flow["control"] = None
    elif transport.startswith(PREFIX):
        _own(reader, flow, transport, given or {}, (*path, "transport"), (*path, "control"))
    elif given is not None:
        reader.without_use((*path, "control"), f'belongs to transport = {FORM}; found transport = "{transport}"')
        flow["control"] = None


def _ports(reader: Reader, path: KeyPath, value: Mapping[str, Any], flow: dict[str, Any]) -> None:
    """A port is for one flow; those of a pattern may begin and end at nodes that differ, which the engine looks at."""
    copies = flow.get("copies", 1)
    for name in ("from_port", "to_port"):
        if copies > 1 and "pattern" not in value and flow.get(name) is not None:
            message = f"found {flow[name]} for {copies} copies; a port belongs to one flow, absent each gets a free one"
            reader.refuse((*path, name), message)


def _names_control(given: object) -> bool:
    return isinstance(given, str) or (isinstance(given, Mapping) and CLASS in given)


def _recovery(reader: Reader, path: KeyPath, flow: dict[str, Any]) -> None:
    """One way of loss recovery is enough."""
    chosen, own = flow.get("recovery"), flow.get("tcp", {}).get("loss_recovery")
    if chosen not in {None, own, keys.OWN_RECOVERY} and own not in {None, keys.OWN_RECOVERY}:
        reader.refuse((*path, "recovery"), f'found "{chosen}" beside tcp.loss_recovery = "{own}"; give one of them')


def _axis(reader: Reader, path: KeyPath, flow: dict[str, Any], given: object) -> None:
    """The control of ``transport = "tcp"``: a word of the engine's, or a class."""
    at = (*path, "control")
    if given is None:
        flow["control"] = DEFAULT
    elif isinstance(given, Mapping) and CLASS not in given:
        reader.refuse(at, f"names no congestion control; expected {keys.control().expected()}")
    elif isinstance(given, Mapping):
        text, own = given[CLASS], {name: value for name, value in given.items() if name != CLASS}
        if not isinstance(text, str):
            reader.refuse((*at, CLASS), f"found {shown(text)}; expected {FILE_FORM}")
        else:
            _own(reader, flow, text, own, (*at, CLASS), at)
    elif isinstance(given, str) and given not in keys.controls():
        if reader.document.controls is None and not is_named(given):
            reader.refuse(
                at, f"found {shown(given)}; expected {keys.control().expected()}{did_you_mean(given, keys.controls())}"
            )
        else:
            _own(reader, flow, given, {}, at, at)


def _of_dccp(reader: Reader, path: KeyPath, flow: dict[str, Any], given: object) -> None:
    """The control of ``transport = "dccp"``: a word of the engine's, which says itself which ones go with it."""
    if given is None:
        flow["control"] = DCCP_DEFAULT
    elif given not in keys.controls():
        message = f"found {shown(given)}; a word is needed, such as {shown(DCCP_DEFAULT)}"
        reader.refuse((*path, "control"), message + did_you_mean(str(given), keys.controls()))


def _own(
    reader: Reader, flow: dict[str, Any], text: str, given: Mapping[str, Any], named: KeyPath, parameters: KeyPath
) -> None:
    """Finds a class as ``own``, with its text as ``named``, and puts all its parameters into ``control``."""
    transport = text if text.startswith(PREFIX) else PREFIX + text
    control = _found(reader, transport, given, named)
    if control is None:
        return
    flow["own"], flow["named"] = control, transport
    defaults = control.parameters
    for name, value in given.items():
        if name not in defaults:
            have = f"; it has {', '.join(defaults)}" if defaults else "; it has none"
            message = f"no parameter of {transport}{have}{did_you_mean(name, defaults)}"
            reader.without_use((*parameters, name), message)
        elif _kind(value) != _kind(defaults[name]):
            message = (
                f"found {shown(value)}; expected {_kind(defaults[name])}, as the class has {shown(defaults[name])}"
            )
            reader.refuse((*parameters, name), message)
    flow["control"] = {name: given.get(name, default) for name, default in defaults.items()}


def _found(reader: Reader, transport: str, given: Mapping[str, Any], named: KeyPath) -> Control | None:
    """The congestion control; of what a store holds nothing is loaded."""
    recorded = reader.document.controls
    try:
        if recorded is None and not reader.document.loads_code and names_code(transport):
            return unloaded(transport, given, reader.document.folder)
        if recorded is None or isinstance(transport, Reference):
            return find(transport, reader.document.folder)
        return recorded[transport] if transport in recorded else unrecorded(transport, given)
    except ControlError as error:
        reader.refuse(named, str(error) if named[-1] == "transport" else str(error).replace(FORM, FILE_FORM))
        return None


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "a number"
