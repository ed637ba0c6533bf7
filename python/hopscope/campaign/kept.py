"""The files that scenarios name, such as traces and movements, as a store keeps them: ``STORE/files/<sha256>``.

So a store is whole by itself, and reading it opens no file of its reader's, whatever path a scenario in it names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hopscope.errors import StoreError
from hopscope.io.files import make_folder, not_read, read_whole, write_whole
from hopscope.scenario import Scenario
from hopscope.scenario.files import MAX_BYTES

#: Folder of a store that holds them.
FOLDER = "files"

_DIGITS = 64


def names(scenario: Scenario) -> dict[str, str]:
    """Returns the files of a scenario as its manifest lists them: absolute path -> SHA-256 of the text."""
    return {path: _digest(text) for path, text in sorted(scenario.files().items())}


def write(store: Path, scenarios: Iterable[Scenario]) -> None:
    """Writes the files of scenarios that are not there yet.

    Raises:
        OSError: the folder cannot be written.
    """
    for text in {text for scenario in scenarios for text in scenario.files().values()}:
        file = store / FOLDER / _digest(text)
        if not file.exists():
            make_folder(file.parent)
            write_whole(file, text.encode())


class Kept(Mapping[str, str]):
    """The files of a stored scenario: path as the scenario names it -> text, read when it is asked for.

    Raises:
        StoreError: the file is missing, or is not what the manifest says.
    """

    def __init__(self, store: Path, listed: object) -> None:
        """Takes the store and what its manifest lists.

        Raises:
            ValueError: the manifest lists no files.
        """
        if not isinstance(listed, dict) or not all(map(_is_entry, listed.items())):
            raise ValueError("its files are no list of checksums")
        self._store = store
        self._listed: dict[str, str] = listed

    def __getitem__(self, path: str) -> str:
        digest = self._listed[path]
        file = self._store / FOLDER / digest
        try:
            data = read_whole(file, MAX_BYTES)
        except OSError as error:
            raise StoreError(not_read(file, error, f"what {path} held")) from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise StoreError(f"{file}: is damaged: it is not what {path} held; run the scenario again into this folder")
        return data.decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _is_entry(entry: tuple[object, object]) -> bool:
    path, digest = entry
    return isinstance(path, str) and isinstance(digest, str) and len(digest) == _DIGITS and digest.isalnum()
