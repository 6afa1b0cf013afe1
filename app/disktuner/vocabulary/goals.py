# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals: what a user does with a disk, and the budgets of time in which a comparison may find an answer.

Which workloads decide a goal and which price it is declared with the workloads (``vocabulary.workloads``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from disktuner.vocabulary.tables import check_id, table


@dataclass(frozen=True, slots=True)
class Goal:
    """What a disk is for.

    ``complaint`` is what somebody says who needs it, ``about`` what it is then measured for, ``name`` what it is called
    elsewhere. ``purpose`` ends a sentence ("nothing is better for …"), ``why`` says why its deciding workloads decide.
    ``worth`` is the least gain that is worth a change of the scheduler, as a factor (1.2 is 20 % faster), ``worth_why``
    the reason. ``of_machines`` says that no person waits for what decides, so that every difference counts.
    """

    id: str
    complaint: str
    name: str
    about: str
    purpose: str
    why: str
    worth: float
    worth_why: str
    of_machines: bool = False

    def __post_init__(self) -> None:
        check_id(self.id)
        if not 1 < self.worth < math.inf:
            raise ValueError(f"what is worth a change of {self.id} must be above 1: {self.worth}")


WORTH_WITHOUT_GOAL = 1.05
"""What is worth a change where the goal is not known: just beyond what makes no practical difference."""

_SEEN = 1.2, "People notice a delay once it grows by about a fifth."
_WORKED = 1.1, "Over hours of waiting, a gain of a tenth saves minutes; a smaller one goes unnoticed."

DESKTOP = Goal(
    "desktop",
    "It freezes or stutters while something copies",
    "Everyday use",
    "Programs start quickly even while something copies or installs.",
    "starting programs while the disk is busy",
    "People wait for the program that starts, not for the copy in the background.",
    *_SEEN,
)

REMOVABLE = Goal(
    "removable",
    "Copies are “done” too soon",
    "Copying to a stick or card",
    "When a copy is done, the stick, card or USB disk can be unplugged.",
    "copying to a stick or card",
    "If you unplug when a copy seems done, you lose what is still waiting in memory.",
    1.5,
    "People notice when a wait is a third shorter; a smaller gain goes unnoticed.",
)

GOALS: dict[str, Goal] = table(
    DESKTOP,
    Goal(
        "copying",
        "Copies take too long",
        "Copying",
        "Big files and backups move as fast as the disk can.",
        "copying",
        "A single copy shows little; several at once show how well a scheduler orders the work.",
        *_WORKED,
    ),
    REMOVABLE,
    Goal(
        "database",
        "A database is slow",
        "Database",
        "Many small reads and commits by many clients at once.",
        "databases",
        "Transactions wait for commits and for small scattered reads.",
        1.05,
        "A database waits for its disk all day: being 5 % faster saves one machine in twenty.",
        of_machines=True,
    ),
    Goal(
        "media",
        "Film or sound stutters",
        "Film and sound",
        "Playback and recording without stutter while the disk is busy.",
        "playing and recording while the disk is busy",
        "A late frame is noticed, a slower copy is not.",
        *_SEEN,
    ),
    Goal(
        "server",
        "A server chokes",
        "Server",
        "Many clients at once, none of which may wait for long.",
        "many clients at once",
        "Many clients wait for many small answers; none may be starved by a stream.",
        *_WORKED,
        of_machines=True,
    ),
)
"""All goals by id, in the order in which they are offered; the first is chosen until the user chooses."""

OWN = Goal(
    "own",
    "A program of mine",
    "A program of mine",
    "Your own program or command, run repeatedly.",
    "your own program",
    "It is what you wait for.",
    *_SEEN,
)
"""What a program of the user's own is measured for: no goal that is chosen by its name."""


FELT = Goal(
    "felt",
    "It freezes while I copy to this disk",
    "Copying to a slow disk",
    "The computer stays usable while files are copied to a slow disk.",
    "using the computer while files are copied to this disk",
    "Everything used during the copy is on another disk: open programs, the next program to start, small files being "
    "saved.",
    *_SEEN,
)
"""What is felt on another disk: no goal that is chosen by its name, but by naming that disk."""

_ALL = {**GOALS, OWN.id: OWN, FELT.id: FELT}


def purpose_of(id_: str | None) -> Goal | None:
    """Return what a result may have been measured for; None for what is unknown."""
    return _ALL.get(id_ or "")


DECLARED_BYTES_PER_S = 512e6
"""What people meet on a disk that takes more: a fast download, an update, a copy from a SATA disk."""


EXHAUSTED_TIMES = 1.5
"""How many times the usual time a comparison may take with the disk's fast cache used up, besides using it up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a budget allows: seconds in total on any disk, rounds of a workload, seconds of one run, workloads.

    ``settings`` is how many compete at most where a disk is tuned. ``share_written`` is how much of a disk that wears
    may be written. ``resolves`` is the least gain, as a factor, that can be told from none in that time: where a goal
    finds less worth a change, that is what is asked. No run is begun that would probably end after ``seconds``, or
    write more than ``written_bytes`` with all before it.

    A drive for ordinary computers is rated for 600 times its size over its warranty (600 TB for 1 TB: Samsung 990 PRO
    and WD SN850X data sheets), flash of sticks and cards stands some hundreds of times theirs (TLC, QLC); no
    measurement takes more than one.
    """

    seconds: float
    rounds: int
    run_s: float
    workloads: int
    settings: int = 99
    share_written: float = math.inf
    resolves: float = 1.0
    written_bytes: float = math.inf

    @property
    def exhausted(self) -> Limits:
        """The limits with the cache used up: each run needs a look before and after it, and reads wait longer."""
        return replace(self, seconds=EXHAUSTED_TIMES * self.seconds, run_s=2 * self.run_s)

    def on_disk(self, size_bytes: int, *, wears: bool) -> Limits:
        """Return the limits on a disk of that size: what people write in that time, or its share where it wears.

        Half of the time nothing is measured: files are made cold, programs started, figures checked.
        """
        share = self.share_written * size_bytes if wears else math.inf
        return replace(self, written_bytes=min(self.seconds * DECLARED_BYTES_PER_S / 2, share))


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a comparison may take; ``name`` and ``about`` are how it is offered."""

    id: str
    name: str
    about: str
    limits: Limits

    def __post_init__(self) -> None:
        check_id(self.id)


RUN_S = 1.5
"""Many runs tell more than long ones, as long as each holds some hundreds of reads and several starts."""

QUICK = Budget("quick", "Quick", "Finds large differences.", Limits(180, 40, RUN_S, 3, 4, 0.25, 1.15))

STANDARD = Budget(
    "standard",
    "Standard",
    "Finds most differences that you would notice.",
    Limits(600, 60, RUN_S, 5, 8, 0.5),
)

BUDGETS: dict[str, Budget] = table(
    QUICK,
    STANDARD,
    Budget(
        "thorough",
        "Thorough",
        "For an answer that convinces others.",
        Limits(1800, 100, RUN_S, 99, 99, 1.0),
    ),
)
"""All budgets by id, the shortest first: 3, 10 and 30 minutes at most on a 7200 rpm disk."""
