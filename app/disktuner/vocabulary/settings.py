# SPDX-License-Identifier: GPL-3.0-or-later
"""A setting: a scheduler with the tunables that are set beside it, as one competitor among others.

It is written ``SCHEDULER`` or ``SCHEDULER:NAME=VALUE,…``. A bare name is one of the scheduler's own tunables
(``bfq:slice_idle=0``), all others carry their folder (``none:queue/wbt_lat_usec=0``), since both may have one of the
same name. What is not named has its default. The written form is the same for equal settings, so it stands for one in
plans and result files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.schedulers import SET, SHAPES, Mark, other_mark, scheduler, shown
from disktuner.vocabulary.tunables import TUNABLES, Tunable, as_kept, is_same, known

_OWN, _QUEUE = "iosched/", "queue/"
_SCHEDULER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_VALUE = re.compile(r"[0-9]{1,12}")
_ORDER = {(each.scheduler, each.name): place for place, each in enumerate(TUNABLES)}


@dataclass(frozen=True, slots=True)
class Setting:
    """A scheduler, and tunables by full name (``iosched/slice_idle``) in the order of ``TUNABLES``."""

    scheduler: str
    tunables: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """The written form."""
        parts = ",".join(f"{name.removeprefix(_OWN)}={value}" for name, value in self.tunables)
        return f"{self.scheduler}{SET}{parts}" if parts else self.scheduler

    @property
    def values(self) -> Mapping[str, int]:
        """The tunables by full name."""
        return dict(self.tunables)

    @property
    def words(self) -> str:
        """What people read: ``bfq, slice_idle 0``."""
        return shown(self.name)

    @property
    def simplicity(self) -> tuple[float, str]:
        """Orders settings by their machinery, the least first: with tunables there is a little more than without."""
        return scheduler(self.scheduler).rank + (0.5 if self.tunables else 0.0), self.name

    @property
    def mark(self) -> Mark:
        """How it is drawn: in its scheduler's colour; the shape with tunables depends on its name alone."""
        plain = scheduler(self.scheduler).mark
        return replace(plain, shape=other_mark(self.name).shape) if self.tunables else plain

    @property
    def kept(self) -> Setting:
        """What a disk has that was given this: some times are rounded."""
        return Setting(self.scheduler, tuple((name, as_kept(name, value)) for name, value in self.tunables))

    @property
    def learns(self) -> bool:
        """Whether its scheduler learns, so that a run before counts for nothing."""
        return scheduler(self.scheduler).learns

    def is_had_by(self, scheduler: str | None, tunables: Mapping[str, int | str]) -> bool:
        """Whether a disk with this scheduler and these tunables has the setting."""
        return self.scheduler == scheduler and all(
            is_same(name, value, tunables.get(name)) for name, value in self.tunables
        )


def marks(settings: Iterable[Setting]) -> dict[Setting, Mark]:
    """Return the marks of what is shown together: no two are alike while there are shapes."""
    found: dict[Setting, Mark] = {}
    for each in settings:
        own = each.mark
        taken = {other.shape for known, other in found.items() if known != each and other.light == own.light}
        free = (shape for shape in (own.shape, *SHAPES) if shape not in taken)
        found.setdefault(each, replace(own, shape=next(free, own.shape)))
    return found


def setting(scheduler: str, tunables: Mapping[str, int]) -> Setting:
    """Return a setting with tunables by full name. Raises ``UsageError`` for what the closed list does not have."""
    found = [(_checked(scheduler, name, value), value) for name, value in tunables.items()]
    found.sort(key=lambda pair: _ORDER[pair[0].scheduler, pair[0].name])
    return Setting(scheduler, tuple((each.name, value) for each, value in found))


def known_setting(scheduler: str, tunables: Mapping[str, str | int]) -> Setting:
    """Return a setting without what the closed list does not have: only another program or a person can have set it."""
    found: dict[str, int] = {}
    for name, value in tunables.items():
        with suppress(UsageError, ValueError):
            found |= setting(scheduler, {name: int(value)}).values
    return setting(scheduler, found)


def parse_setting(given: str) -> Setting:
    """Read a written setting. Raises ``UsageError`` that says what is wrong with it."""
    scheduler, colon, rest = given.partition(SET)
    if not _SCHEDULER.fullmatch(scheduler) or (colon and not rest):
        raise UsageError("not-a-setting", given=given)
    tunables: dict[str, int] = {}
    for part in rest.split(",") if colon else ():
        name, value = _part(given, part)
        if name in tunables:
            raise UsageError("tunable-given-twice", given=given, name=name)
        tunables[name] = value
    return setting(scheduler, tunables)


@lru_cache(maxsize=256)
def setting_of(name: str) -> Setting:
    """Return the setting of a name in a result; one that we would not write is taken for a scheduler's name whole.

    A result has a few names and tens of thousands of samples.
    """
    try:
        return parse_setting(name)
    except UsageError:
        return Setting(name)


def _part(given: str, part: str) -> tuple[str, int]:
    name, _, value = part.partition("=")
    if not name or not _VALUE.fullmatch(value):
        raise UsageError("not-a-setting", given=given)
    return name if "/" in name else _OWN + name, int(value)


def _checked(scheduler: str, name: str, value: int) -> Tunable:
    found = known(name, scheduler)
    if found is None:
        own = [each.name for each in TUNABLES if each.scheduler in {None, scheduler}]
        names = tuple(each.removeprefix(_OWN) for each in own)
        raise UsageError("no-tunable-of-that-name", name=name.removeprefix(_OWN), scheduler=scheduler, names=names)
    if not found.accepts(value):
        raise UsageError("tunable-out-of-range", name=name.removeprefix(_OWN), low=found.low, high=found.high)
    return found
