# SPDX-License-Identifier: GPL-3.0-or-later
"""Clear verdicts as defaults that a distribution could ship: a udev hardware database, and the rule that reads it.

The database matches disks by model in udev's spelling (ID_MODEL, or ID_NAME for memory cards) and has a property per
kernel series; the rule uses the running kernel's. It acts only when a disk appears, so that later choices persist.
Sources: hwdb(7), udev(7), systemd's rules.d/60-persistent-storage.rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from disktuner.report.roll_out import RollOut, caution_of
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import Message, message, text
from disktuner.vocabulary.printable import printable
from disktuner.vocabulary.settings import Setting
from disktuner.writing import write_atomically
from disktuner_fleet.group import Group
from disktuner_fleet.presented import PresentedGroup, present_group

HWDB, RULES = "61-disktuner.hwdb", "61-disktuner.rules"
"""After 60-persistent-storage.rules, which sets the model, and before a user's choices in 90-disktuner-*.rules."""

_PREFIX, _PROPERTY = "disktuner", "DISKTUNER_SCHEDULER"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_COMMENT = "#"
"""A database's line ends there: without it, the entry would be one for another model."""
_END = "disktuner_defaults_end"


@dataclass(frozen=True, slots=True)
class Defaults:
    """Both files as text, None without a clear verdict.

    ``left_out`` says which clear verdicts are not in them and why; ``cautions`` are about those that are.
    """

    files: Mapping[str, str] | None
    left_out: tuple[Message, ...]
    cautions: tuple[Message, ...] = ()


def defaults(groups: Iterable[Group]) -> Defaults:
    """Return the defaults for clear verdicts. Raises ``UsageError`` if these are for more than one goal."""
    clear = [group for group in groups if group.is_clear and group.verdict.decision is Decision.SWITCH]
    goals = tuple(dict.fromkeys(group.goal for group in clear))
    if len(goals) > 1:
        raise UsageError("defaults-of-several-goals", goals=goals)
    taken: dict[str, str] = {}
    fit, left_out = [], []
    for group in clear:
        obstacle = _obstacle(group, taken)
        if obstacle is None:
            fit.append(group)
        else:
            left_out.append(obstacle)
    if not fit:
        return Defaults(None, tuple(left_out))
    about = text("defaults-about", goal=GOALS[goals[0]].name)
    cautions = dict.fromkeys(caution_of(_winner(group)) for group in fit)
    files = {HWDB: _hwdb(about, fit), RULES: _rules(about, fit)}
    return Defaults(files, tuple(left_out), tuple(caution for caution in cautions if caution))


def write_defaults(defaults: Defaults, folder: Path) -> list[Path]:
    """Write both files and return their paths. Raises ``NotSaved``."""
    return [write_atomically(folder / name, words.encode()) for name, words in (defaults.files or {}).items()]


def _obstacle(group: Group, taken: dict[str, str]) -> Message | None:
    """Return why a group gives no default; ``taken`` maps udev's spellings to models."""
    setting = _winner(group)
    if setting.tunables or not _PLAIN.fullmatch(setting.scheduler):
        return message("defaults-tunables", model=group.model, setting=setting.name)
    models = {taken.setdefault(name, group.model) for name in _names(group.model)}
    if not group.model.isascii() or _COMMENT in group.model or models != {group.model}:
        return message("defaults-odd-model", model=group.model)
    return None


def _winner(group: Group) -> Setting:
    """Return the winner of a clear switch."""
    assert group.verdict.winner is not None
    return group.verdict.winner


def _names(model: str) -> tuple[str, ...]:
    """Return udev's possible spellings of a model, without wildcards."""
    return RollOut(model, "", False, Setting(""), None, "").values


def _property(kernel: str) -> str:
    return f"{_PROPERTY}_{kernel.replace('.', '_')}"


def _hwdb(about: str, groups: Iterable[Group]) -> str:
    entries: dict[str, list[Group]] = {}
    for group in groups:
        entries.setdefault(group.model, []).append(group)
    lines = [_comment(about)]
    for model, same in entries.items():
        lines += ["", *(_comment(_sentence_on(present_group(group))) for group in same)]
        lines += [f"{_PREFIX}:{name}" for name in _names(model)]
        lines += [f" {_property(group.kernel)}={_winner(group).name}" for group in same]
    return "\n".join((*lines, ""))


def _sentence_on(shown: PresentedGroup) -> str:
    facts = ", ".join((*shown.facts, shown.goal))
    return text("defaults-entry", model=shown.model, facts=facts, answer=shown.answer, why=" ".join(shown.why))


def _rules(about: str, groups: Iterable[Group]) -> str:
    kernels = sorted({group.kernel for group in groups}, key=lambda group: [*map(int, group.split("."))])
    model, name = (f"IMPORT{{builtin}}=\"hwdb '{_PREFIX}:$env{{{key}}}'\"" for key in ("ID_MODEL", "ID_NAME"))
    return "\n".join(
        (
            _comment(about),
            _comment(text("defaults-when")),
            "",
            f'ACTION!="add", GOTO="{_END}"',
            f'SUBSYSTEM!="block", GOTO="{_END}"',
            f'ENV{{DEVTYPE}}!="disk", GOTO="{_END}"',
            f'ENV{{ID_MODEL}}=="?*", {model}',
            f'ENV{{ID_MODEL}}!="?*", ENV{{ID_NAME}}=="?*", {name}',
            *map(_line, kernels),
            f'LABEL="{_END}"',
            "",
        )
    )


def _line(kernel: str) -> str:
    running = f'SYSCTL{{kernel.osrelease}}=="{kernel}|{kernel}.*|{kernel}-*"'
    name = _property(kernel)
    return f'{running}, ENV{{{name}}}=="?*", ATTR{{queue/scheduler}}="$env{{{name}}}"'


def _comment(words: str) -> str:
    return f"# {' '.join(printable(words).split())}"
