# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of checks says what each is measured by, and is checked when it is loaded."""

from __future__ import annotations

import pytest

from disktuner.vocabulary import kinds
from disktuner.vocabulary.checks import Check, Severity, Shown

READ_AHEAD, COPIES = "queue/read_ahead_kb", Shown("copying", ("copy-contended", "launch-under-writes"))


def check(severity: Severity, setting: str, shown: Shown | None = None, *by_hand: str) -> Check:
    return Check("made-up", severity, setting, (kinds.HDD,), "nowhere", shown, by_hand)


@pytest.mark.parametrize(
    ("goal", "workloads"),
    [
        ("copying", ("no-such-workload",)),
        ("copying", ("launch-under-writes",)),
        ("copying", ("launch-under-writes", "copy-contended")),
        ("copying", ("dd-read", "copy-contended")),
    ],
)
def test_what_is_measured_decides_the_goal(goal: str, workloads: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"nothing shows|does not decide"):
        Shown(goal, workloads)


def test_what_can_be_set_is_measured_unless_it_endangers_data() -> None:
    check(Severity.NOTE, READ_AHEAD, COPIES)
    check(Severity.BAD, READ_AHEAD)
    for severity, shown in ((Severity.CAUTION, None), (Severity.BAD, COPIES)):
        with pytest.raises(ValueError, match="endangers data"):
            check(severity, READ_AHEAD, shown)


def test_a_command_has_only_places_that_are_filled() -> None:
    check(Severity.NOTE, "", None, "echo {expected} >/sys/block/{disk}/{setting}; umount {path}")
    with pytest.raises(ValueError, match="not a command"):
        check(Severity.NOTE, "", None, "rm {model}")
