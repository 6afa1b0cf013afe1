# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduler and tunables of a disk by hand; nothing is written before *Apply*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFrame, QSpinBox, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.gui.state import State, WantedSettings
from disktuner.gui.style import SMALL, fitting, look, set_property
from disktuner.gui.widgets.layout import (
    bar,
    button,
    card,
    column,
    filled,
    heading,
    keep_room,
    label,
    plain,
    row,
    scrolled,
    title,
    with_margin,
)
from disktuner.remedies import warnings
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, named, say, text
from disktuner.vocabulary.schedulers import scheduler
from disktuner.vocabulary.settings import known_setting
from disktuner.vocabulary.tunables import (
    BYTE_LIMIT,
    MIB,
    RATIO_LIMIT,
    TUNABLES,
    Tunable,
    is_of_scheduler,
    is_same,
    unit_text,
)

_SPIN_MAX = 2**31 - 1
"""The most that a spin box holds: the kernel takes more for reading ahead, which then reads as this."""
_GROUPS = {"tunables-queue": ("queue", "device"), "tunables-scheduler": ("iosched",), "tunables-memory": ("bdi",)}
"""The group names of the tunables by their folders in sysfs."""


class _Spin(QSpinBox):
    """A spin box that scrolling the page does not change."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class _Switch(QCheckBox):
    """A tunable that is on or off, as the kernel's numbers."""

    def value(self) -> int:
        return int(self.isChecked())

    def setValue(self, value: int) -> None:
        self.setChecked(bool(value))


class TunableRow(QFrame):
    """Highlighted while it differs from ``value``, the disk's; ``first`` is the one before any change.

    Signals: ``changed``.
    """

    changed = Signal()

    def __init__(self, tunable: Tunable, value: int, first: int | None) -> None:
        super().__init__()
        self._step = MIB if tunable.name == BYTE_LIMIT else 1
        self.name, self._unit = tunable.name, "MiB" if self._step == MIB else tunable.unit
        defaults = [default for default in (tunable.default, first) if default is not None]
        self._own = bool(defaults) and not any(is_same(tunable.name, default, value) for default in defaults)
        self._current_value = min(value // self._step, _SPIN_MAX)
        self._default = min(next(iter(defaults), value) // self._step, _SPIN_MAX)
        low, high = tunable.low // self._step, tunable.high // self._step
        self.spin: _Spin | _Switch = _Switch() if high == 1 else _Spin()
        if isinstance(self.spin, _Spin):
            self.spin.setRange(min(low, self._current_value), min(max(high, self._current_value), _SPIN_MAX))
            self.spin.lineEdit().setTextMargins(look().tight, 0, 0, 0)
        self.spin.setValue(self._current_value)
        self.spin.setMinimumWidth(look().wide * 6)
        self.spin.setAccessibleName(tunable.name)
        self.spin.setAccessibleDescription(named(tunable.trade))
        self.reset = button(text("reset"), self.set_default, flat=True)
        self.reset.setAccessibleName(text("reset-to", name=tunable.name, default=self._default))
        self.reset.setToolTip(self.reset.accessibleName())
        keep_room(self.reset)
        self._note = label(size=SMALL, tone="accent", wrap=True)
        self._is_kept = False
        self._lay_out(tunable, self._range(tunable, first))
        (self.spin.valueChanged if isinstance(self.spin, _Spin) else self.spin.toggled).connect(self._changed)
        self._changed()

    def _lay_out(self, tunable: Tunable, limits: str) -> None:
        texts = column(
            label(tunable.name.partition("/")[2], bold=True),
            label(named(tunable.trade), wrap=True),
            label(limits, SMALL, tone="muted", wrap=True),
            self._note,
            gap=look().tight,
        )
        content = row(texts, self.spin, self.reset, gap=look().medium, wide=0)
        self.setLayout(with_margin(content, look().small))

    def _range(self, tunable: Tunable, first: int | None) -> str:
        """Return the range of a tunable with the kernel's default, or the disk's first value if the kernel has none."""
        low, high = tunable.low // self._step, tunable.high // self._step
        most, unit = units.count(high, language().numbers), unit_text(self._unit, high)
        most = text("value-and-unit", value=most, unit=unit) if unit else most
        if tunable.default is not None:
            return text("range-default", low=low, high=most, default=tunable.default)
        return text("range" if first is None else "range-first", low=low, high=most, default=self._default)

    @property
    def value(self) -> int:
        """The entered value, in the tunable's unit."""
        return self.spin.value() * self._step

    @property
    def differs(self) -> bool:
        return self.spin.value() != self._current_value

    @property
    def is_own(self) -> bool:
        """Whether somebody decided on it: changed here, or neither the default nor the first value."""
        return self.differs or self._own

    def set_default(self) -> None:
        """Enter the kernel's default, or the disk's first value if the kernel leaves it to the disk."""
        self.spin.setValue(self._default)

    def show_kept(self, is_kept: bool) -> None:
        """Show whether it would survive a restart."""
        self._is_kept = is_kept
        changed = text("tunable-was-and-kept" if is_kept else "tunable-was", value=self._current_value)
        self._note.setText(changed if self.differs else text("tunable-kept"))
        self._note.setVisible(self.differs or is_kept)

    def _changed(self) -> None:
        if self._unit and isinstance(self.spin, _Spin):
            self.spin.setSuffix(f" {unit_text(self._unit, self.spin.value())}")
        set_property(self, "changed", self.differs)
        self.reset.setVisible(self.spin.value() != self._default)
        self.show_kept(self._is_kept)
        self.changed.emit()


class ChangeDialog(QDialog):
    """Sets a disk by hand. A restart keeps what is chosen here: the scheduler and the chosen tunables.

    Chosen is what was changed here, was kept before, or is neither the default nor the disk's first value. Signals:
    ``apply`` carries the ``WantedSettings``.
    """

    apply = Signal(object)

    def __init__(self, disk: Disk, state: State, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._disk, self._choice = disk, state.choice(disk)
        self._writers = state.writers.get(disk.name, ())
        self.setWindowTitle(text("change-disk", disk=disk.title))
        self.scheduler = QComboBox()
        self.scheduler.setAccessibleName(text("scheduler"))
        for name in (*disk.schedulers, *disk.loadable):
            item_text = name if name in disk.schedulers else text("loaded-first", scheduler=name)
            self.scheduler.addItem(item_text, name)
        self.scheduler.setCurrentIndex(max(0, self.scheduler.findData(disk.scheduler)))
        self._about = label(wrap=True)
        self._later = label(tone="muted", wrap=True)
        self.rows = [
            TunableRow(tunable, value, self._first(tunable.name))
            for tunable in TUNABLES
            if isinstance(value := disk.tunables.get(tunable.name), int)
            and tunable.scheduler in {None, disk.scheduler}
            and not (tunable.name == RATIO_LIMIT and BYTE_LIMIT in disk.tunables)  # the same limit
        ]
        self.persist = QCheckBox(text("keep-after-restart"))
        self.persist.setChecked(self._rule is not None)
        if disk.why_not_kept is not None and self._rule is None:
            self.persist.setEnabled(False)
            self.persist.setToolTip(plain(say(disk.why_not_kept)))
        self.reset_button = button(text("reset-all"), self._reset_all, flat=True)
        self.reset_button.setToolTip(text("reset-all-hint"))
        self._groups: list[tuple[QFrame, list[TunableRow]]] = []
        self._count = label(tone="muted")
        self._scope = label(tone="muted", wrap=True)
        self.apply_button = button(text("apply"), self._apply, primary=True)
        self.cancel_button = button(text("cancel"), self.reject)
        self._lay_out()
        self.apply_button.setDefault(True)  # else Return after a value would press the first button, which resets one
        self.scheduler.currentIndexChanged.connect(self._show)
        self.persist.toggled.connect(self._show)
        for tunable_row in self.rows:
            tunable_row.changed.connect(self._show)
        self._show()
        self.scheduler.setFocus()

    def _lay_out(self) -> None:
        now = look()
        self._chooser = QFrame()
        chooser = column(heading(text("scheduler")), self.scheduler, self._about)
        self._chooser.setLayout(with_margin(chooser, now.small))
        head = column(title(self.windowTitle()), label(text("change-note"), tone="muted", wrap=True))
        tunables = row(heading(text("tunables")), None, self.reset_button)
        for name, kinds in _GROUPS.items():
            if rows := [row for row in self.rows if row.name.partition("/")[0] in kinds]:
                named_as = label(text(name, scheduler=self._disk.scheduler), bold=True)
                self._groups.append((card(column(with_margin(row(named_as), now.small, 0), *rows)), rows))
        whole_rows: QVBoxLayout = column(
            with_margin(head, now.small, 0),
            self._chooser,
            with_margin(tunables, now.small, 0),
            with_margin(column(self._later), now.small, 0),
            with_margin(column(*(group for group, _ in self._groups)), now.small, 0),
            None,
            gap=now.small,
        )
        content = filled(with_margin(whole_rows, now.medium, now.large))
        actions = row(self._count, None, self.persist, self.cancel_button, self.apply_button, gap=now.medium)
        foot = bar(column(self._scope, actions), foot=True)
        layout = column(scrolled(content), foot, gap=0, wide=0)
        self.setLayout(layout)
        self.resize(fitting(now.wide * 22, now.wide * 22))

    def show_state(self, state: State) -> None:
        """Show how long the change will last once it is known who else sets the disk's queue."""
        writers = state.writers.get(self._disk.name, ())
        if writers != self._writers:
            self._writers = writers
            self._show()

    @property
    def wanted_settings(self) -> WantedSettings:
        """What *Apply* would set."""
        chosen = str(self.scheduler.currentData())
        persist = self.persist.isChecked()
        rows = [row for row in self._usable() if row.differs or (persist and self._is_kept(row))]
        tunables = {row.name: str(row.value) for row in rows}
        return WantedSettings(chosen if chosen != self._disk.scheduler else None, tunables, persist)

    @property
    def _rule(self) -> str | None:
        """What is already kept, in one line."""
        if self._choice.chosen is not None:
            return kept_text(self._choice.chosen, self._choice.tunables_kept)
        rule = self._disk.persistent
        return kept_text(rule.scheduler or "", rule.tunables) if rule else None

    def _first(self, name: str) -> int | None:
        """The value before any change, unless another scheduler was active then, for which the kernel had chosen it."""
        keeps_scheduler = self._choice.before == self._disk.scheduler
        return self._choice.tunables_before.get(name) if keeps_scheduler else None

    def _is_kept(self, row: TunableRow) -> bool:
        return row.is_own or row.name in self._choice.tunables_kept

    def _reset_all(self) -> None:
        for tunable_row in self._usable():
            tunable_row.set_default()

    def _usable(self) -> list[TunableRow]:
        keeps_scheduler = self.scheduler.currentData() == self._disk.scheduler
        return [row for row in self.rows if keeps_scheduler or not is_of_scheduler(row.name)]

    def _show(self) -> None:
        chosen, change = str(self.scheduler.currentData()), self.wanted_settings
        self._about.setText(_about(self._disk, chosen))
        usable = self._usable()
        for group, rows in self._groups:
            group.setVisible(any(row in usable for row in rows))
        for tunable_row in self.rows:
            tunable_row.show_kept(change.persist and self._is_kept(tunable_row))
        other = chosen != self._disk.scheduler
        self._later.setText(text("tunables-later", scheduler=chosen) if other else text("no-tunables"))
        self._later.setVisible(other or not usable)
        count = sum(row.differs for row in usable) + (change.scheduler is not None)
        self._count.setText(text("changes", count=count) if count else text("no-changes"))
        rule = kept_text(chosen, change.tunables) if change.persist else None
        sets = known_setting(chosen, change.tunables)
        against = warnings(self._disk, self._writers, sets, for_good=change.persist) if count or change.persist else ()
        self._scope.setText(_scope(rule, self._rule, tuple(map(say, against))))
        self.apply_button.setAccessibleDescription(self._scope.text())
        set_property(self._chooser, "changed", change.scheduler is not None)
        self.reset_button.setEnabled(not all(row.reset.isHidden() for row in usable))
        self.reset_button.setVisible(self.reset_button.isEnabled())
        self.apply_button.setEnabled(count > 0 or (change.persist and rule != self._rule))

    def _apply(self) -> None:
        self.apply.emit(self.wanted_settings)
        self.accept()


def kept_text(name: str, tunables: Mapping[str, object]) -> str:
    """Return what a rule for later starts sets, in one line."""
    settings = (f"{tunable.partition('/')[2]} {value}" for tunable, value in tunables.items())
    return ", ".join((name, *settings))


def _about(disk: Disk, chosen: str) -> str:
    """What a scheduler does, and which known ones this kernel lacks."""
    about = text("scheduler-about", scheduler=chosen, about=named(scheduler(chosen).about))
    missing = text("not-in-kernel", schedulers=disk.compiled_out) if disk.compiled_out else ""
    return f"{about} {missing}".rstrip()


def _scope(new_rule: str | None, rule: str | None, warnings: Sequence[str] = ()) -> str:
    """How long a change lasts: what would be kept, what is already kept, and who would undo it."""
    if new_rule is not None:
        lasting = text("holds-but-not-for-good" if warnings else "holds-for-good", kept=new_rule)
    else:
        lasting = text("holds-until-restart" if rule is None else "holds-until-restart-then", kept=rule)
    return " ".join((lasting, *warnings))
