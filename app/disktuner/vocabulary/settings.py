# SPDX-License-Identifier: GPL-3.0-or-later
"""A setting: a scheduler with tunables, which competes with others.

It is written ``SCHEDULER`` or ``SCHEDULER:NAME=VALUE,…``. A bare name is one of the scheduler's own tunables
(``bfq:slice_idle=0``); all others include their folder (``none:queue/wbt_lat_usec=0``), since names may coincide.
Tunables that are not named have their defaults. Equal settings have the same written form, which identifies them in
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
_ORDER = {(tunable.scheduler, tunable.name): place for place, tunable in enumerate(TUNABLES)}


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
        """The form for people: ``bfq, slice_idle 0``."""
        return shown(self.name)

    @property
    def simplicity(self) -> tuple[float, str]:
        """A sort key, the simplest machinery first; tunables add a little."""
        return scheduler(self.scheduler).rank + (0.5 if self.tunables else 0.0), self.name

    @property
    def mark(self) -> Mark:
        """How it is drawn: in its scheduler's colour; with tunables, the shape depends only on the name."""
        plain = scheduler(self.scheduler).mark
        return replace(plain, shape=other_mark(self.name).shape) if self.tunables else plain

    @property
    def kept(self) -> Setting:
        """The setting that a disk has after setting this one: the kernel rounds some times."""
        return Setting(self.scheduler, tuple((name, as_kept(name, value)) for name, value in self.tunables))

    @property
    def learns(self) -> bool:
        """Whether its scheduler learns, so that it needs a warm-up run that does not count."""
        return scheduler(self.scheduler).learns

    def is_had_by(self, scheduler: str | None, tunables: Mapping[str, int | str]) -> bool:
        """Whether a disk with this scheduler and these tunables has the setting."""
        return self.scheduler == scheduler and all(
            is_same(name, value, tunables.get(name)) for name, value in self.tunables
        )


def marks(settings: Iterable[Setting]) -> dict[Setting, Mark]:
    """Return marks for settings shown together, all different as far as shapes suffice."""
    chosen: dict[Setting, Mark] = {}
    for setting in settings:
        mark = setting.mark
        taken = {other.shape for known, other in chosen.items() if known != setting and other.light == mark.light}
        free = (shape for shape in (mark.shape, *SHAPES) if shape not in taken)
        chosen.setdefault(setting, replace(mark, shape=next(free, mark.shape)))
    return chosen


def setting(scheduler: str, tunables: Mapping[str, int]) -> Setting:
    """Return a setting with tunables by full name. Raises ``UsageError`` for tunables not in the closed list."""
    values = [(_checked(scheduler, name, value), value) for name, value in tunables.items()]
    values.sort(key=lambda pair: _ORDER[pair[0].scheduler, pair[0].name])
    return Setting(scheduler, tuple((tunable.name, value) for tunable, value in values))


def known_setting(scheduler: str, tunables: Mapping[str, str | int]) -> Setting:
    """Return a setting without tunables not in the closed list, which only other programs or people can have set."""
    values: dict[str, int] = {}
    for name, value in tunables.items():
        with suppress(UsageError, ValueError):
            values |= setting(scheduler, {name: int(value)}).values
    return setting(scheduler, values)


def parse_setting(given: str) -> Setting:
    """Parse the written form of a setting. Raises ``UsageError``."""
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
    """Return the setting of a name in a result; an unparsable name counts as a scheduler's.

    Cached, since a result has few names and tens of thousands of samples.
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
    tunable = known(name, scheduler)
    if tunable is None:
        tunables = [tunable.name for tunable in TUNABLES if tunable.scheduler in {None, scheduler}]
        names = tuple(name.removeprefix(_OWN) for name in tunables)
        raise UsageError("no-tunable-of-that-name", name=name.removeprefix(_OWN), scheduler=scheduler, names=names)
    if not tunable.accepts(value):
        raise UsageError("tunable-out-of-range", name=name.removeprefix(_OWN), low=tunable.low, high=tunable.high)
    return tunable
