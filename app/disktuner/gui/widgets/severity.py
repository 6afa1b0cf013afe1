# SPDX-License-Identifier: GPL-3.0-or-later
"""The severity of findings by shape, word and colour, and the line about them on a disk's card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from disktuner.gui.icons import Pictogram
from disktuner.gui.style import SMALL, look, set_property
from disktuner.gui.widgets.layout import button, keep_room, label, plain, row
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:
    from disktuner.checkup.findings import Finding

_MARKS: Mapping[str, tuple[str, str]] = {
    "note": ("info", "accent"),
    "caution": ("warning", "caution"),
    "bad": ("danger", "bad"),
}
"""Pictogram and tone by severity, the least first."""
_FINE = ("check", "muted")
_ORDER = tuple(_MARKS)


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings by severity; equal ones keep their order."""
    return sorted(findings, key=lambda finding: -_ORDER.index(finding.check.severity.value))


def mark_of_all(findings: Sequence[Finding]) -> tuple[str, str]:
    """Return the mark of the worst finding, or that of a sound disk without any."""
    return _MARKS[worst_first(findings)[0].check.severity.value] if findings else _FINE


def in_one_line(finding: Finding) -> str:
    """Return a finding in one line: its severity, and the value."""
    return text("checkup-what", severity=text(f"checkup-severity-{finding.check.severity.value}"), what=finding.what)


class Severity(QWidget):
    """The mark of a finding: pictogram and word."""

    def __init__(self, severity: str) -> None:
        super().__init__()
        picture, tone = _MARKS[severity]
        word = label(text(f"checkup-severity-{severity}"), SMALL, bold=True, tone=tone)
        self.setLayout(row(Pictogram(picture, round(look().large * 0.9), tone), word, None, gap=look().tight))


class CheckLine(QWidget):
    """The number of findings, as a ``link``; hidden until it is known."""

    def __init__(self, on_click: Callable[[], object]) -> None:
        super().__init__()
        self._picture = Pictogram("check", round(look().large * 0.9), "muted")
        self.link = button("", on_click, link=True)
        self.setLayout(row(self._picture, self.link, None, gap=look().tight))
        keep_room(self)
        self.show_findings(())
        self.hide()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show the number of findings, and the worst severity."""
        self._picture.set_name(*mark_of_all(findings))
        findings = worst_first(findings)
        self.link.setText(text("checkup-line", count=len(findings)) if findings else text("checkup-line-fine"))
        self.link.setToolTip(plain("\n".join(map(in_one_line, findings))))
        self.link.setAccessibleDescription(" ".join(map(in_one_line, findings)))
        set_property(self.link, "tone", "" if findings else "muted")
