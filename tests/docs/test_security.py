"""Each sentence of SECURITY.md has tests; the table says which, and they have to be there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: The beginning of a sentence -> the tests of it; none for a sentence that promises nothing.
TESTS = {
    "A scenario can name a Python class": [],
    "`hopscope run`, `explain` and `optimize` load it": [
        "cli/test_trust.py::test_code_below_the_current_folder_runs_and_is_named"
    ],
    "A study folder can hold `checks.py`": [],
    "`hopscope reproduce FOLDER` loads `checks.py` with": [
        "studies/test_folder.py::test_python_of_a_folder_runs_only_where_it_is_allowed"
    ],
    "`hopscope verify STORE --trust` does runs again": [
        "campaign/test_verify.py::test_code_that_a_store_names_is_run_with_trust_alone"
    ],
    "`hopscope trace`, `timeline`, `sequence`": [
        "cli/test_trust.py::test_a_store_from_elsewhere_is_run_again_with_trust_alone"
    ],
    "Code that it names is asked about": [
        "cli/test_trust.py::test_a_store_from_elsewhere_is_run_again_with_trust_alone"
    ],
    "A Python program that calls": ["cli/test_trust.py::test_a_program_decides_by_itself"],
    "`hopscope.load(file, code=False)` does not": ["cli/test_trust.py::test_a_program_decides_by_itself"],
    "Code runs without asking when the file is your own": [
        "cli/test_trust.py::test_code_that_others_can_write_needs_trust",
        "cli/test_trust.py::test_code_of_another_user_needs_trust",
        "cli/test_trust.py::test_a_link_out_of_the_folder_is_followed",
    ],
    "A module of an installed package runs without asking": [
        "cli/test_trust.py::test_an_installed_package_declares_what_may_run",
        "cli/test_trust.py::test_modules_elsewhere_are_not_trusted",
    ],
    "For any other code the command asks": [
        "cli/test_trust.py::test_code_from_elsewhere_needs_trust",
        "cli/test_trust.py::test_a_terminal_is_asked",
        "cli/test_trust.py::test_the_question_names_the_file",
    ],
    "So do not start Hopscope inside a folder": [],
    "`hopscope check FILE`: classes": ["cli/test_trust.py::test_check_runs_nothing_and_says_so"],
    "`--trust` loads them": ["cli/test_trust.py::test_check_runs_nothing_and_says_so"],
    "`hopscope show`, `report`, `verify` without": [
        "cli/test_trust.py::test_verbs_that_read_a_store_run_nothing",
        "campaign/test_verify.py::test_code_that_a_store_names_is_run_with_trust_alone",
    ],
    "`hopscope import FILE`": ["foreign/test_import.py::test_no_tcl_is_executed"],
    "It opens files that the script names": ["foreign/test_import.py::test_what_is_not_followed_is_listed_by_line"],
    "`hopscope schema`, `list` and `model`": ["cli/test_trust.py::test_verbs_without_a_file_run_nothing"],
    "Scenarios, traces, stores and study folders are data": [],
    "Pipes, devices and files beyond a stated size": [
        "cli/test_streams.py::test_pipes_and_devices_are_no_scenarios",
        "campaign/test_store.py::test_pipes_and_devices_in_a_store_are_refused",
        "unit/test_files.py::test_a_file_is_read_up_to_its_bound",
    ],
    "Files compressed by gzip are unpacked": [
        "foreign/test_movement.py::test_gzip_is_unpacked_within_a_bound",
        "foreign/test_movement.py::test_an_entity_of_xml_is_not_expanded",
    ],
    "Characters that would steer a terminal": [
        "campaign/test_foreign.py::test_no_verb_lets_a_stranger_steer_the_terminal",
        "cli/test_streams.py::test_nothing_of_a_file_steers_the_terminal",
    ],
    "A store keeps the traces and movements": [
        "campaign/test_foreign.py::test_a_store_is_whole_without_the_files_that_its_scenario_named",
        "campaign/test_foreign.py::test_a_stored_scenario_opens_no_file_of_its_reader",
    ],
    "A scenario file does open the data files": ["unit/test_quoting.py::test_a_file_of_no_format_is_not_quoted"],
    "Tables that would open to more": [
        "campaign/test_foreign.py::test_tables_that_would_open_to_too_much_are_not_opened",
        "campaign/test_foreign.py::test_a_column_of_one_long_word_stays_as_short_as_in_the_file",
    ],
    "A store is compared with its checksums": [
        "campaign/test_store.py::test_a_changed_manifest_is_refused",
        "campaign/test_verify.py::test_a_value_changed_under_a_right_checksum_is_found_by_doing_the_run_again",
    ],
    "What campaigns of damaged input have tried": [],
    "Write to the maintainers": [],
    "Say what you did": [],
}


def sentences() -> list[str]:
    text = (ROOT / "SECURITY.md").read_text()
    blocks = [block for block in re.split(r"\n\s*\n|\n- ", text) if not block.startswith("#")]
    plain = [" ".join(block.removeprefix("- ").split()) for block in blocks]
    return [part for block in plain for part in re.split(r"(?<=\.) (?=[A-Z`])", block) if part]


def test_each_sentence_is_in_the_table() -> None:
    begins = list(TESTS)
    found = [next((begin for begin in begins if text.startswith(begin)), text) for text in sentences()]
    assert found == begins


@pytest.mark.parametrize("name", sorted({name for names in TESTS.values() for name in names}))
def test_each_test_is_there(name: str) -> None:
    file, _, function = name.partition("::")
    assert re.search(rf"^def {function}\(", (ROOT / "tests" / file).read_text(), re.MULTILINE)
