# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduler and tunables of a disk by hand; nothing is written before *Apply*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFrame, QSpinBox, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.gui.state import State
from disktuner.gui.style import SMALL, fitting, look, set_property
from disktuner.gui.widgets.layout import (
    bar,
    button,
    card,
    column,
    heading,
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
_GROUPS = {
    "tunables-queue": ("queue", "device"),
    "tunables-scheduler": ("iosched",),
    "tunables-memory": ("bdi",),
}
"""How the tunables in a folder of sysfs are called together."""


class _Spin(QSpinBox):
    """Scrolling the page over it must not change it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class TunableRow(QFrame):
    """Highlighted while it differs from ``value``, what the disk has; ``first`` is what it had before any change.

    Signals: ``changed``.
    """

    changed = Signal()

    def __init__(self, tunable: Tunable, value: int, first: int | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._step = MIB if tunable.name == BYTE_LIMIT else 1
        self.name, self._unit = tunable.name, "MiB" if self._step == MIB else tunable.unit
        known = [each for each in (tunable.default, first) if each is not None]
        self._own = bool(known) and not any(is_same(tunable.name, each, value) for each in known)
        self._had, self._default = value // self._step, next(iter(known), value) // self._step
        self.spin = _Spin()
        low, high = tunable.low // self._step, tunable.high // self._step
        self.spin.setRange(min(low, self._had), min(max(high, self._had), _SPIN_MAX))
        self.spin.setValue(self._had)
        self.spin.setMinimumWidth(look().wide * 5)
        self.spin.setAccessibleName(tunable.name)
        self.spin.setAccessibleDescription(named(tunable.trade))
        self.reset = button(text("reset"), self.set_default, flat=True)
        self.reset.setAccessibleName(text("reset-to", name=tunable.name, default=self._default))
        self.reset.setToolTip(self.reset.accessibleName())
        stays = self.reset.sizePolicy()
        stays.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(stays)
        self._note = label(size=SMALL, tone="accent", wrap=True)
        self._kept = False
        self._lay_out(tunable, self._range(tunable, first))
        self.spin.valueChanged.connect(self._changed)
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
        """The range of a tunable, with the kernel's default, or what this disk had first where the kernel has none."""
        low, high = tunable.low // self._step, tunable.high // self._step
        most, unit = units.count(high, language().numbers), unit_text(self._unit, high)
        most = text("value-and-unit", value=most, unit=unit) if unit else most
        if tunable.default is not None:
            return text("range-default", low=low, high=most, default=tunable.default)
        return text("range" if first is None else "range-first", low=low, high=most, default=self._default)

    @property
    def value(self) -> int:
        """What is entered, in the tunable's unit."""
        return self.spin.value() * self._step

    @property
    def differs(self) -> bool:
        """Whether it would be changed."""
        return self.spin.value() != self._had

    @property
    def is_own(self) -> bool:
        """Whether it is somebody's decision: changed here, or found to be neither default nor what it had first."""
        return self.differs or self._own

    def set_default(self) -> None:
        """The kernel's default, or what the disk had first where the kernel leaves it to the disk."""
        self.spin.setValue(self._default)

    def show_kept(self, kept: bool) -> None:
        """Whether it would hold after a restart too."""
        self._kept = kept
        changed = text("tunable-was-and-kept" if kept else "tunable-was", value=self._had)
        self._note.setText(changed if self.differs else text("tunable-kept"))
        self._note.setVisible(self.differs or kept)

    def _changed(self) -> None:
        if self._unit:
            self.spin.setSuffix(f" {unit_text(self._unit, self.spin.value())}")
        set_property(self, "changed", self.differs)
        self.reset.setVisible(self.spin.value() != self._default)
        self.show_kept(self._kept)
        self.changed.emit()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be set: ``scheduler`` None means that it stays.

    ``tunables`` are those that differ, or with ``persist`` all that shall hold after a restart: a rule is written anew.
    """

    scheduler: str | None = None
    tunables: dict[str, str] = field(default_factory=dict)
    persist: bool = False


class ChangeDialog(QDialog):
    """What is kept after a restart is what is seen here: the scheduler and each fine setting that somebody chose.

    Chosen is what was changed here, was kept before, or is neither the default nor what the disk had first.
    Signals: ``apply`` carries the ``Wanted``.
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
            shown = name if name in disk.schedulers else text("loaded-first", scheduler=name)
            self.scheduler.addItem(shown, name)
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
        self.scheduler.currentIndexChanged.connect(self._show)
        self.persist.toggled.connect(self._show)
        for each in self.rows:
            each.changed.connect(self._show)
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
            if rows := [each for each in self.rows if each.name.partition("/")[0] in kinds]:
                named_as = label(text(name, scheduler=self._disk.scheduler), bold=True)
                self._groups.append((card(column(named_as, *rows)), rows))
        whole_rows: QVBoxLayout = column(
            with_margin(head, now.small, 0),
            self._chooser,
            with_margin(tunables, now.small, 0),
            with_margin(column(self._later), now.small, 0),
            *(group for group, _ in self._groups),
            None,
            gap=now.small,
        )
        content = QWidget()
        content.setLayout(with_margin(whole_rows, now.medium, now.large))
        actions = row(self._count, None, self.persist, self.cancel_button, self.apply_button, gap=now.medium)
        foot = bar(column(self._scope, actions), foot=True)
        whole = column(scrolled(content), foot, gap=0, wide=0)
        self.setLayout(whole)
        self.resize(fitting(now.wide * 22, now.wide * 22))

    def show_state(self, before: State, now: State) -> None:
        """Say how long the change will hold once it is known who else sets the disk's queue."""
        if before.writers != now.writers:
            self._writers = now.writers.get(self._disk.name, ())
            self._show()

    @property
    def wanted(self) -> Wanted:
        """What *Apply* would set."""
        chosen = str(self.scheduler.currentData())
        persist = self.persist.isChecked()
        rows = [each for each in self._usable() if each.differs or (persist and self._is_kept(each))]
        tunables = {each.name: str(each.value) for each in rows}
        return Wanted(chosen if chosen != self._disk.scheduler else None, tunables, persist)

    @property
    def _rule(self) -> str | None:
        """What is kept already, in one line."""
        if self._choice.chosen is not None:
            return kept_text(self._choice.chosen, self._choice.tunables_kept)
        found = self._disk.persistent
        return kept_text(found.scheduler or "", found.tunables) if found else None

    def _first(self, name: str) -> int | None:
        """What it had before any change; under another scheduler the kernel had chosen for that one."""
        same = self._choice.before == self._disk.scheduler
        return self._choice.tunables_before.get(name) if same else None

    def _is_kept(self, each: TunableRow) -> bool:
        return each.is_own or each.name in self._choice.tunables_kept

    def _reset_all(self) -> None:
        for each in self._usable():
            each.set_default()

    def _usable(self) -> list[TunableRow]:
        same = self.scheduler.currentData() == self._disk.scheduler
        return [each for each in self.rows if same or not is_of_scheduler(each.name)]

    def _show(self) -> None:
        chosen, wanted = str(self.scheduler.currentData()), self.wanted
        self._about.setText(_about(self._disk, chosen))
        usable = self._usable()
        for group, rows in self._groups:
            group.setVisible(any(each in usable for each in rows))
        for each in self.rows:
            each.show_kept(wanted.persist and self._is_kept(each))
        other = chosen != self._disk.scheduler
        self._later.setText(text("tunables-later", scheduler=chosen) if other else text("no-tunables"))
        self._later.setVisible(other or not usable)
        count = sum(each.differs for each in usable) + (wanted.scheduler is not None)
        self._count.setText(text("changes", count=count) if count else text("no-changes"))
        kept = kept_text(chosen, wanted.tunables) if wanted.persist else None
        sets = known_setting(chosen, wanted.tunables)
        against = warnings(self._disk, self._writers, sets, for_good=wanted.persist) if count or wanted.persist else ()
        self._scope.setText(_scope(kept, self._rule, tuple(map(say, against))))
        self.apply_button.setAccessibleDescription(self._scope.text())
        set_property(self._chooser, "changed", wanted.scheduler is not None)
        self.reset_button.setEnabled(not all(each.reset.isHidden() for each in usable))
        self.reset_button.setVisible(self.reset_button.isEnabled())
        self.apply_button.setEnabled(count > 0 or (wanted.persist and kept != self._rule))

    def _apply(self) -> None:
        self.apply.emit(self.wanted)
        self.accept()


def kept_text(name: str, tunables: Mapping[str, object]) -> str:
    """What a rule for later starts sets, in one line."""
    settings = (f"{each.partition('/')[2]} {value}" for each, value in tunables.items())
    return ", ".join((name, *settings))


def _about(disk: Disk, chosen: str) -> str:
    """What a scheduler does, and which known ones this kernel cannot have."""
    about = text("scheduler-about", scheduler=chosen, about=named(scheduler(chosen).about))
    missing = text("not-in-kernel", schedulers=disk.compiled_out) if disk.compiled_out else ""
    return f"{about} {missing}".rstrip()


def _scope(wanted: str | None, rule: str | None, warnings: Sequence[str] = ()) -> str:
    """For how long a change holds: what would be kept, what is kept already, and who would undo it."""
    if wanted is not None:
        lasting = text("holds-but-not-for-good" if warnings else "holds-for-good", kept=wanted)
    else:
        lasting = text("holds-until-restart" if rule is None else "holds-until-restart-then", kept=rule)
    return " ".join((lasting, *warnings))
