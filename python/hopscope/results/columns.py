"""Time series of a run as Arrow tables: as the engine gives them, as a store keeps them, and back.

The engine gives columns of values side by side, which are Arrow's buffers as they are.  A store keeps each table as an
Arrow stream, compressed and in base64, inside the document of the run; earlier versions kept lists of numbers there.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from hopscope.io.extras import need

if TYPE_CHECKING:
    import pyarrow as pa

#: Columns as the engine gives them: name, name of the type in Arrow, values.
Columns: TypeAlias = Sequence[tuple[str, str, bytes]]
#: Tables as the engine gives them, each with its name.
Tables: TypeAlias = Sequence[tuple[str, Columns]]


def table(columns: Columns) -> pa.Table:
    """The columns as an Arrow table; nothing is copied."""
    need("pyarrow")
    import pyarrow as pa

    arrays = {}
    for name, kind, values in columns:
        of_type = pa.type_for_alias(kind)
        length = len(values) * 8 // of_type.bit_width
        arrays[name] = pa.Array.from_buffers(of_type, length, [None, pa.py_buffer(values)])
    return pa.table(arrays)


def document(result_json: str, series: Tables) -> str:
    """The document of a run with its series, as a store keeps it."""
    if not series:
        return result_json
    streams = json.dumps({name: _stream(table(columns)) for name, columns in series}, separators=(",", ":"))
    return f'{result_json.removesuffix("}")},"series":{streams}}}'


def opened(run: dict[str, Any]) -> dict[str, Any]:
    """A run as its document has it, its series as tables.

    Raises:
        ValueError: a series is none.
    """
    if "series" in run:
        run["series"] = {name: _table(name, kept) for name, kept in run["series"].items()}
    return run


def as_lists(entry: object) -> object:
    """A table as its columns by name; any other entry as it is."""
    return entry.to_pydict() if hasattr(entry, "to_pydict") else entry


def _stream(whole: pa.Table) -> str:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4" if pa.Codec.is_available("lz4") else None)
    with pa.ipc.new_stream(sink, whole.schema, options=options) as stream:
        stream.write_table(whole)
    return base64.b64encode(sink.getvalue()).decode()


def _table(name: str, kept: object) -> pa.Table:
    need("pyarrow")
    import pyarrow as pa

    if isinstance(kept, pa.Table):
        return kept
    try:
        found = (
            pa.ipc.open_stream(base64.b64decode(kept, validate=True)).read_all()
            if isinstance(kept, str)
            else pa.table(kept)
        )
        found.validate(full=True)
    except (pa.ArrowException, ValueError, TypeError, OSError) as error:
        raise ValueError(f"series {name} is no table of Arrow: {error}") from error
    numbers = all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in found.schema.types)
    if "t_s" not in found.column_names or not (numbers or len(found) == 0):
        raise ValueError(f"series {name} has no times, or something else than numbers")
    return found
