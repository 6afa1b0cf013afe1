# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats in which a result leaves this machine, and its anonymisation: no persons, no single devices."""

from __future__ import annotations

import getpass
import platform
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disktuner.folders import HomeUnknown, home
from disktuner.presentation import Presented, present
from disktuner.report.tables import csv_text, markdown
from disktuner.results.codec import encode
from disktuner.results.embedding import embed
from disktuner.results.model import Result
from disktuner.vocabulary.english import own as of_ones_own
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.messages import Message, Value, cleaned
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.workloads import OF_ONES_OWN
from disktuner.writing import write_chosen

if TYPE_CHECKING:
    from disktuner.drawing.ink import ThemeName

_KEPT_OF_DISK = (
    "model",
    "vendor",
    "size_bytes",
    "kind",
    "transport",
    "rotational",
    "kind_certain",
    "removable",
    "zoned",
    "scheduler",
    "schedulers",
    "tunables",
)
_HIDDEN = "…"
_ODD = re.compile(r"\W+", re.ASCII)
"""Characters to replace in file names."""
_PATH = re.compile(r"(?<![\w/])/(?:[^\s/'\"]+/?)+")


@dataclass(frozen=True, slots=True)
class Format:
    """One way to export a result: the suffix of its files, its name in a menu, and its renderer.

    ``dark``: a menu offers it in the dark theme.
    """

    suffix: str
    name: str
    render: Callable[[Presented, ThemeName], bytes]
    dark: bool = False


def _png(presented: Presented, theme: ThemeName) -> bytes:
    """Return the card with the result in its metadata, so that Disktuner can open it (``results.codec.load``)."""
    from disktuner.drawing.card import card_png  # noqa: PLC0415 - Qt, which most commands do without

    return embed(card_png(presented, theme), encode(presented.result))


def _svg(presented: Presented, theme: ThemeName) -> bytes:
    from disktuner.drawing.card import card_svg  # noqa: PLC0415 - Qt

    return card_svg(presented, theme).encode()


def _html(presented: Presented, _: ThemeName) -> bytes:
    from disktuner.report.page import html  # noqa: PLC0415 - Qt

    return html(presented).encode()


FORMATS = (
    Format(".png", "Card, light", _png),
    Format(".png", "Card, dark", _png, dark=True),
    Format(".svg", "Card as vector picture", _svg),
    Format(".html", "Full report", _html),
    Format(".md", "Table for a forum", lambda presented, _: markdown(presented).encode()),
    Format(".csv", "All samples as a table", lambda presented, _: csv_text(presented.result).encode()),
    Format(".json", "Result file", lambda presented, _: f"{encode(presented.result)}\n".encode()),
)
"""All formats in menu order; a suffix stands for its first format."""


def suffixes() -> tuple[str, ...]:
    return tuple(dict.fromkeys(form.suffix for form in FORMATS))


def check_suffix(path: Path) -> Format:
    """Return the format of a file's suffix. Raises ``UsageError`` for an unknown one."""
    for form in FORMATS:
        if form.suffix == path.suffix.lower():
            return form
    raise UsageError("unknown-format", name=path.name, suffixes=suffixes())


def file_name(result: Result, suffix: str) -> str:
    """Return the name for a result's file: disk, goal and day."""
    disk = result.disk_called("vendor", "model") or result.disk_called("name")
    return f"{slug('disktuner', disk, result.plan.goal or '', result.created[:10])}{suffix}"


def slug(*parts: str) -> str:
    """Return texts as the name of a file without its suffix."""
    words = (_ODD.sub("-", part.lower()).strip("-")[:40] for part in parts)
    return "-".join(filter(None, words))


def render(form: Format, result: Result, theme: ThemeName = "light", personal: bool = False) -> bytes:
    """Return a result in a format. Serial, host, user and paths are left out unless ``personal``."""
    return form.render(present(result if personal else anonymous(result)), theme)


def export(result: Result, path: Path, theme: ThemeName = "light", personal: bool = False) -> Path:
    """Write a result in the format of the path's suffix, as ``render`` returns it; return the path.

    Raises ``UsageError`` for an unknown suffix and ``NotSaved`` if the file cannot be written.
    """
    return write_chosen(path, render(check_suffix(path), result, theme, personal), is_private=personal)


def anonymous(result: Result) -> Result:
    """Return the result without serial, WWN, host, user, paths, kernel command line and notes.

    Texts by other programs (reasons of samples, warnings, labels) lose all paths and the names of host and user; the
    user's own commands and their output are left out. Of several disks only their number remains.
    """
    clean = _Cleaner(result)
    return replace(
        result,
        machine=replace(result.machine, cmdline="", boot_id="", kernel=clean(result.machine.kernel)),
        disk={key: clean.value(result.disk[key]) for key in _KEPT_OF_DISK if key in result.disk},
        plan=replace(result.plan, felt=result.plan.felt and replace(result.plan.felt, path="")),
        filesystem=replace(
            result.filesystem,
            path="",
            options=tuple(option for option in result.filesystem.options if "/" not in option),
            via=(),
        ),
        metrics={
            name: replace(metric, label=clean(_label(metric)), said=None) for name, metric in result.metrics.items()
        },
        samples=tuple(
            replace(sample, reason=cleaned(_without_command(sample.reason), clean)) if sample.reason else sample
            for sample in result.samples
        ),
        warnings=tuple(cleaned(_without_command(warning), clean) for warning in result.warnings),
        notes="",
        disks=(_HIDDEN,) * len(result.disks),
        own=None,
        continues="",
        after="",
    )


def _label(metric: Metric) -> str:
    """Return a metric's label, without the name of a user's own program."""
    workload = OF_ONES_OWN.get(metric.workload)
    if workload is None:
        return metric.label
    return next((figure.label for figure in workload.metrics if figure.name == metric.last), workload.summary)


def _without_command(what: Message) -> Message:
    """Return a message without the user's own command and its output."""

    def harmless(value: Value) -> Value:
        if isinstance(value, Message):
            return _without_command(value)
        return _HIDDEN if isinstance(value, str | tuple) and what.id in of_ones_own.TEXTS else value

    return Message(what.id, tuple((name, harmless(value)) for name, value in what.pairs))


class _Cleaner:
    """Replaces names of persons and devices in texts by an ellipsis."""

    def __init__(self, result: Result) -> None:
        names = {str(result.disk.get("serial") or ""), str(result.disk.get("wwn") or "")}
        names |= {platform.node(), _user()}
        with suppress(HomeUnknown):
            names.add(home().name)
        secrets = sorted((re.escape(name) for name in names if len(name) > 2), key=len, reverse=True)
        self._names = re.compile(rf"(?<!\w)(?:{'|'.join(secrets)})(?!\w)") if secrets else None

    def value(self, value: Any) -> Any:
        """Clean a text (a bridge may put its serial into the model); return anything else unchanged."""
        return self(value) if isinstance(value, str) else value

    def __call__(self, text: str) -> str:
        without = _PATH.sub(_HIDDEN, text)
        return self._names.sub(_HIDDEN, without) if self._names else without


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
