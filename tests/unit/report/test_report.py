# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported reports: they open as the result they show, name no person, and are valid files of their kinds."""

from __future__ import annotations

import csv
import getpass
import platform
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.verdict.making import LAUNCH, WRITER, made

from disktuner.presentation import present
from disktuner.report import export, exporting
from disktuner.report.tables import markdown
from disktuner.results.codec import encode
from disktuner.results.definition import Definition
from disktuner.results.model import Result
from disktuner.vocabulary.messages import literal, message
from disktuner.vocabulary.settings import Setting


@pytest.fixture
def result() -> Result:
    result = made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.4})
    words = f"{platform.node()} wrote to /home/jana/data as {getpass.getuser()}, serial WD-SECRET99"
    definition = Definition("make", folder="/home/jana")
    return replace(result, warnings=(literal(words),), notes="Jana's disk", own=definition, disks=("sda", "jana"))


def test_csv_is_typed_and_cannot_run_formulas(result: Result, tmp_path: Path) -> None:
    odd = replace(result, samples=(replace(result.samples[0], setting=Setting("=HYPERLINK(1)")), *result.samples[1:]))
    with export(odd, tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(result.samples)
    assert rows[0]["scheduler"].startswith("'=")
    assert float(rows[1]["value"]) == result.samples[1].value
    assert {row["valid"] for row in rows} == {"true"}


def test_samples_that_are_marked_are_counted_where_a_result_is_shown(result: Result) -> None:
    """Those left out, and those that were disturbed but count."""
    assert not [fact for fact in present(result).run if "sample" in fact]
    invalid, disturbed, *rest = result.samples
    invalid = replace(invalid, valid=False, reason=message("other-io", moved=96_000_000))
    disturbed = replace(disturbed, reason=message("cpu-stolen", share=0.09))
    marked = replace(result, samples=(invalid, disturbed, *rest))
    facts = present(marked).run
    assert "1 invalid sample not used" in facts and "1 disturbed sample used" in facts


def test_labels_and_messages_of_others_are_cleaned_too(result: Result) -> None:
    odd = replace(result.metrics[LAUNCH], name="odd.score", label="Score in /home/jana of WD-SECRET99")
    samples = tuple(replace(sample, metric="odd.score") for sample in result.samples)
    reason = message("caution-several", caution=message("literal", text="of /home/jana"), count=2, names=("/srv/a",))
    anonymous = exporting.anonymous(replace(result, metrics={"odd.score": odd}, samples=samples, warnings=(reason,)))
    assert present(anonymous).panels[0].label == "Score in … of …"
    cleaned = message("caution-several", caution=message("literal", text="of …"), count=2, names=("…",))
    assert anonymous.warnings == (cleaned,)


def test_a_result_of_several_disks_does_not_look_like_one_of_a_single_disk(result: Result) -> None:
    assert "with 1 more disk" in present(result).setup
    anonymous = exporting.anonymous(replace(result, disks=("sda", "jana", "sdc")))
    shown = present(anonymous)
    assert "with 2 more disks" in shown.setup and "with 2 more disks" in shown.heading.facts
    assert "jana" not in encode(anonymous) and not shown.heading.disks
    assert "more disk" not in markdown(present(replace(result, disks=())))


def test_a_table_names_nothing_that_it_does_not_have(result: Result) -> None:
    several = replace(result, warnings=tuple(message("suspended", slept=seconds) for seconds in (60.0, 90.0)))
    assert "more of this kind" in markdown(present(several)) and "all samples" not in markdown(present(several))
