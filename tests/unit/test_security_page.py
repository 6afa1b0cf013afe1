# SPDX-License-Identifier: GPL-3.0-or-later
"""SECURITY.md and the reviewers' page name existing tests, give the program's own figures, and say each thing once."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests import docs_tables

from disktuner.helper_client import calls
from disktuner.vocabulary.languages import LANGUAGES
from disktuner_helper import contract

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = (CHECKOUT / "SECURITY.md").read_text()
REVIEW = (CHECKOUT / "packaging/REVIEW.md").read_text()
NAMED = sorted(set(re.findall(r"\b((?:bus|unit|end2end|gui|machine|packages)/[\w/]+\.py)(?:::(\w+))?", PAGE + REVIEW)))
ROLE = CHECKOUT / "resources/ansible_collections/disktuner/disktuner/plugins/modules/comparison.py"
LIMITS = contract.USUAL
XML = "{http://www.w3.org/XML/1998/namespace}"


def unit(name: str) -> str:
    """Return a setting of the helper's unit."""
    text = (CHECKOUT / "resources/systemd/disktuner-helper.service").read_text()
    (value,) = re.findall(rf"^{name}=(\d+)", text, re.MULTILINE)
    return str(value)


def test_each_test_that_is_named_is_there() -> None:
    assert len(NAMED) > 40
    for file, name in NAMED:
        text = (CHECKOUT / "tests" / file).read_text()
        assert not name or f"def {name}(" in text, f"{file}::{name}"


def test_each_threat_has_its_test() -> None:
    tables = [part.partition("\n\n")[0].splitlines()[1:] for part in PAGE.split("| Threat | Answer | Test |\n")[1:]]
    assert sum(map(len, tables)) > 40
    for row in chain.from_iterable(tables):
        assert re.search(r"\.py|tests/", row.split(" | ")[-1]), row


@pytest.mark.parametrize(
    "sentence",
    [
        f"{contract.MAX_CALLS_PER_CALLER} calls under way per bus name, {contract.MAX_CALLS_PER_UID} per user, "
        f"{contract.MAX_CALLS} in all",
        f"at most {contract.MAX_TRIALS_PER_UID} trials a user, {contract.MAX_TRIALS} in all",
        f"{contract.MAX_TRIALS} trials, {contract.MAX_TRIALS_PER_UID} per user, {contract.MAX_DISKS} disks per call",
        f"more than {contract.MAX_DISKS} disks",
        f"at the latest after {LIMITS.answer_s} s",
        f"withdrawn after {LIMITS.prompt_s // 60} min",
        f"{LIMITS.trial_s // 60} minutes pass without a SetTrial or KeepAlive",
        f"After {LIMITS.idle_s} idle seconds",
        f"`{contract.IDENTITY.pattern}`",
        f"MemoryMax ({unit('MemoryMax')} MiB)",
        f"given up by the app after {calls.ANSWER_S:.0f} s ({calls.SWITCH_S:.0f} s where a disk has to finish its "
        f"requests, {calls.END_S:.0f} s for the end of a trial)",
    ],
)
def test_its_figures_are_the_programs(sentence: str) -> None:
    assert sentence in " ".join(PAGE.split())


def test_figures_in_words_are_the_programs() -> None:
    assert "within half a minute" in PAGE and int(unit("WatchdogSec")) + int(unit("TimeoutAbortSec")) <= 30
    assert "however often" in PAGE and unit("StartLimitIntervalSec") == "0"
    assert "for six hours at most" in PAGE and re.search(r"^ENDS_S.* = 6 \* 3600,", ROLE.read_text(), re.MULTILINE)


def test_reviewers_are_told_how_much_there_is_to_read() -> None:
    assert docs_tables.counted(REVIEW) == REVIEW, "run ./dev docs"


def test_each_action_is_told_once_in_each_language() -> None:
    """The English lines once stood there three times, and so did their translations."""
    for action in ET.parse(CHECKOUT / "resources/polkit-1/org.disktuner.policy").iter("action"):
        counts = Counter(
            (element.tag, element.get(f"{XML}lang")) for element in action if element.tag in ("description", "message")
        )
        assert set(counts.values()) == {1} and len(counts) == 2 * len(LANGUAGES), action.get("id")


def test_each_action_stands_in_one_place_with_what_polkit_asks_for() -> None:
    policy = (CHECKOUT / "resources/polkit-1/org.disktuner.policy").read_text()
    for action in contract.Action:
        (active,) = re.findall(rf'"{action.value}".*?<allow_active>(\w+)', policy, re.DOTALL)
        assert f"| `{action.value}` | {active} | auth_admin |" in PAGE and action.value not in REVIEW
