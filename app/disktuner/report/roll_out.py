# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result clearly chooses for all disks of its model, in signs that no other program takes for more than text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.disk import Transport
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.errors import MeasurementImpossible, UsageError
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.schedulers import kernel_schedulers
from disktuner.vocabulary.settings import Setting, parse_setting

_PLAIN = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9 #+.:=@_/(),-]{1,64}")
"""Neither a quote nor a line's end, nor what is a pattern to udev's match (``*?[]|``), a variable or an escape."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9#+.:=@_-]")
_NOT_IN_INPUT = re.compile(r"[^A-Za-z0-9#+.:=@_/ ,-]")


class NothingToRollOut(MeasurementImpossible):
    """The result has no choice that could be applied to other machines by disk model."""


@dataclass(frozen=True, slots=True)
class RollOut:
    """A setting for every disk of one model.

    ``is_card``: an SD card or eMMC, whose model udev calls a name; ``vendor`` is empty if the disk has none. ``goal``
    (None for a foreign plan) and ``result`` are what it rests on.
    """

    model: str
    vendor: str
    is_card: bool
    setting: Setting
    goal: str | None
    result: str

    @property
    def key(self) -> str:
        """The udev property with the model."""
        return "ID_NAME" if self.is_card else "ID_MODEL"

    @property
    def values(self) -> tuple[str, ...]:
        """udev's possible spellings of the model: most probers replace blanks and other characters, NVMe keeps blanks.

        Source: ``util_replace_chars`` and ``UDEV_ALLOWED_CHARS_INPUT`` in systemd's src/shared/udev-util.c.
        """
        return tuple(dict.fromkeys((_NOT_IN_NAMES.sub("_", self.model), _NOT_IN_INPUT.sub("_", self.model))))

    def said(self, paths: Iterable[Path], use: Message) -> tuple[Message, ...]:
        """Return what is said of the files: where they were written, how they are put to use, and a caution."""
        caution = caution_of(self.setting)
        return *(message("wrote", path=str(path)) for path in paths), use, *((caution,) if caution else ())

    @property
    def title(self) -> str:
        """Vendor and model."""
        return f"{self.vendor} {self.model}".strip()

    @property
    def slug(self) -> str:
        """The title as part of a file name."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


def caution_of(setting: Setting) -> Message | None:
    """Return a caution if a scheduler does not come with Linux: its name may be a mistake."""
    if setting.scheduler in kernel_schedulers():
        return None
    return message("roll-out-other-scheduler", scheduler=setting.scheduler)


def roll_out_of(result: Result, name: str = "") -> RollOut:
    """Return the clear choice of the verdict, recomputed from the samples. Raises ``NothingToRollOut``.

    ``name`` is how the user named the result, by its id or file; empty: by its id.
    """
    verdict = judge(result)
    if verdict.decision is not Decision.SWITCH or verdict.winner is None:
        raise NothingToRollOut.of(_why_not(verdict, name or result.id))
    setting = _checked(verdict.winner)
    model, vendor = (_text(result.disk.get(key)) for key in ("model", "vendor"))
    if not model:
        raise NothingToRollOut("no-model-to-roll-out", setting=setting.name)
    if not all(_PLAIN.fullmatch(name) for name in (model, vendor or model)):
        raise NothingToRollOut("odd-model-to-roll-out", model=f"{vendor} {model}".strip(), setting=setting.name)
    is_card = result.disk.get("transport") == Transport.MMC
    return RollOut(model, vendor, is_card, setting, result.plan.goal, result.id)


def _why_not(verdict: Verdict, result: str) -> Message:
    winner = verdict.winner.name if verdict.winner else None
    if verdict.decision is Decision.KEEP:
        return message("keep-is-no-roll-out", baseline=verdict.baseline.name)
    if verdict.decision is Decision.CONDITIONAL:
        return message("conditional-is-no-roll-out", winner=winner, result=result)
    if verdict.decision is Decision.TRADE_OFF:
        return message("trade-off-is-no-roll-out", winner=winner)
    return message("undecided-is-no-roll-out", result=result)


def _checked(winner: Setting) -> Setting:
    """Return the winner if Disktuner could set it: a file may name anything. Raises ``NothingToRollOut``."""
    try:
        return parse_setting(winner.name)
    except UsageError as error:
        raise NothingToRollOut("odd-setting-to-roll-out", winner=winner.name) from error


def _text(value: object) -> str:
    return " ".join(value.split(" ")).strip(" ") if isinstance(value, str) else ""
