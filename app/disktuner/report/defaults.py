# SPDX-License-Identifier: GPL-3.0-or-later
"""Clear verdicts as defaults that a distribution could carry: a hardware database of udev, and the rule that reads it.

The database knows a disk by its model as udev writes it (ID_MODEL, of memory cards ID_NAME), and has a property per
kernel series; the rule takes that of the running one. It acts when a disk appears and never again, so that whatever is
chosen later stays. Sources: hwdb(7), udev(7), rules.d/60-persistent-storage.rules of systemd.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from disktuner.fleet.group import Group
from disktuner.presentation.machines import PresentedGroup, present_group
from disktuner.report.engines.choice import Choice, caution_of
from disktuner.verdict.model import Decision
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import Message, message, text
from disktuner.vocabulary.printable import printable
from disktuner.vocabulary.settings import Setting
from disktuner.writing import write_atomically

HWDB, RULES = "61-disktuner.hwdb", "61-disktuner.rules"
"""After 60-persistent-storage.rules, which says the model, and before a user's own choice in 90-disktuner-*.rules."""

_PREFIX, _PROPERTY = "disktuner", "DISKTUNER_SCHEDULER"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_END = "disktuner_defaults_end"


@dataclass(frozen=True, slots=True)
class Defaults:
    """Both files as text, or None without a clear verdict; ``left_out`` says which clear ones are not among them.

    ``cautions`` are about what is among them.
    """

    files: Mapping[str, str] | None
    left_out: tuple[Message, ...]
    cautions: tuple[Message, ...] = ()


def defaults(groups: Iterable[Group]) -> Defaults:
    """Return the defaults that clear verdicts give. Raises ``UsageError`` where they are for more than one goal."""
    clear = [each for each in groups if each.is_clear and each.verdict.decision is Decision.SWITCH]
    goals = tuple(dict.fromkeys(each.goal for each in clear))
    if len(goals) > 1:
        raise UsageError("defaults-of-several-goals", goals=goals)
    taken: dict[str, str] = {}
    fit, left_out = [], []
    for each in clear:
        obstacle = _obstacle(each, taken)
        if obstacle is None:
            fit.append(each)
        else:
            left_out.append(obstacle)
    if not fit:
        return Defaults(None, tuple(left_out))
    about = text("defaults-about", goal=GOALS[goals[0]].name)
    cautions = dict.fromkeys(caution_of(_winner(each)) for each in fit)
    files = {HWDB: _hwdb(about, fit), RULES: _rules(about, fit)}
    return Defaults(files, tuple(left_out), tuple(each for each in cautions if each))


def write_defaults(found: Defaults, folder: Path) -> list[Path]:
    """Write both files; return where. Raises ``NotSaved``."""
    return [write_atomically(folder / name, words.encode()) for name, words in (found.files or {}).items()]


def _obstacle(group: Group, taken: dict[str, str]) -> Message | None:
    """Return why a group gives no default; ``taken`` are the models by what udev makes of their names."""
    setting = _winner(group)
    if setting.tunables or not _PLAIN.fullmatch(setting.scheduler):
        return message("defaults-tunables", model=group.model, setting=setting.name)
    known = {taken.setdefault(name, group.model) for name in _names(group.model)}
    if not group.model.isascii() or known != {group.model}:
        return message("defaults-odd-model", model=group.model)
    return None


def _winner(group: Group) -> Setting:
    """Return what a clear switch is to."""
    assert group.verdict.winner is not None
    return group.verdict.winner


def _names(model: str) -> tuple[str, ...]:
    """What udev may make of a model, in signs that mean nothing in a pattern."""
    return Choice(model, "", False, Setting(""), None, "").values


def _property(kernel: str) -> str:
    return f"{_PROPERTY}_{kernel.replace('.', '_')}"


def _hwdb(about: str, groups: Iterable[Group]) -> str:
    entries: dict[str, list[Group]] = {}
    for group in groups:
        entries.setdefault(group.model, []).append(group)
    lines = [_comment(about)]
    for model, same in entries.items():
        lines += ["", *(_comment(_said(present_group(each))) for each in same)]
        lines += [f"{_PREFIX}:{name}" for name in _names(model)]
        lines += [f" {_property(each.kernel)}={_winner(each).name}" for each in same]
    return "\n".join((*lines, ""))


def _said(shown: PresentedGroup) -> str:
    facts = ", ".join((*shown.facts, shown.goal))
    return text("defaults-entry", model=shown.model, facts=facts, answer=shown.answer, why=" ".join(shown.why))


def _rules(about: str, groups: Iterable[Group]) -> str:
    kernels = sorted({each.kernel for each in groups}, key=lambda each: [*map(int, each.split("."))])
    model, name = (f"IMPORT{{builtin}}=\"hwdb '{_PREFIX}:$env{{{each}}}'\"" for each in ("ID_MODEL", "ID_NAME"))
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
