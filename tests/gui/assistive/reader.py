# SPDX-License-Identifier: GPL-3.0-or-later
"""What assistive technology can do with a program: look at its tree, use actions, press keys, hear events."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

from disktuner.vocabulary.messages import text  # noqa: E402
from tests.waiting import until  # noqa: E402

Found = TypeVar("Found")
Part = Any  # Atspi.Accessible has no types

STATES = Atspi.StateType
HEARD = ("object:state-changed:showing", "object:state-changed:focused", "object:announcement")
CONTROLS = frozenset((
    "check box", "combo box", "link", "list item", "menu item", "check menu item", "page tab", "page tab list",
    "push button", "push button menu", "radio button", "slider", "spin button", "table", "table cell", "text",
    "toggle button", "tree", "tree table", "tree item", "list", "chart", "password text", "table column header",
    "heading",
))  # fmt: skip
"""Roles of what is used. Others are of no use to somebody who presses it."""


FOLDED = text("show-others", count=9).partition("9")[2]
"""How the button ends that shows disks which are folded away."""

ITEMS = frozenset(("page tab", "table cell"))
"""The current one says that it has the focus also while its list does not have it."""

_RENAMED = {"button": "push button"}
"""What AT-SPI calls otherwise since 2.54 (Debian 13)."""

PRESSES = ("Press", "Toggle", "ShowMenu", "click")
"""What the action of a control is called; the last one is GTK's."""


def role_of(part: Part) -> str:
    """What a part is, in one release's words."""
    name = part.get_role_name()
    return _RENAMED.get(name, name)


@dataclass
class Reader:
    """Follows the application of a name.

    ``announced`` are the sentences that came as notifications, ``came_to`` is what had the focus, role and name.
    """

    name: str
    announced: list[str] = field(default_factory=list)
    came_to: list[str] = field(default_factory=list)
    _listeners: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        Atspi.init()
        Atspi.set_timeout(20000, 20000)
        for each in HEARD:
            listener = Atspi.EventListener.new(self._heard)
            listener.register(each)
            self._listeners.append(listener)

    def _heard(self, event: Any) -> None:
        if not event.detail1:
            return
        try:
            role, name = role_of(event.source), event.source.get_name()
        except GLib.Error:  # it went away meanwhile
            return
        if event.type.endswith("showing") and role == "notification":
            self.announced.append(name)
        elif event.type.endswith("focused"):
            self.came_to.append(f"{role} {name}")

    def until(self, find: Callable[[], Found], what: str = "") -> Found:
        """Wait until something is found; events are heard meanwhile."""

        def look() -> Found | None:
            self.listen()
            with suppress(GLib.Error):  # the part went away while it was looked at
                return find()
            return None

        try:
            found = until(look)
        except AssertionError as error:
            raise AssertionError(f"not found: {what}\n{self.tree()}") from error
        assert found is not None
        return found

    def listen(self) -> None:
        """Take in what was heard."""
        while GLib.MainContext.default().iteration(False):
            pass

    @property
    def application(self) -> Part | None:
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            found = desktop.get_child_at_index(number)
            if found is not None and found.get_name() == self.name:
                found.set_cache_mask(Atspi.Cache.NONE)
                return found
        return None

    def parts(self, within: Part | None = None) -> Iterator[Part]:
        """All that shows, as it is read."""
        top = within or self.application
        if top is None:
            return
        for number in range(top.get_child_count()):
            part = top.get_child_at_index(number)
            if part is not None and (part.get_state_set().contains(STATES.SHOWING) or _is_window(part)):
                yield part
                yield from self.parts(part)

    def find(self, role: str, name: str, within: Part | None = None) -> Part | None:
        """The first that shows, with a role and the beginning of a name."""
        same = (part for part in self.parts(within) if role_of(part) == role)
        return next((part for part in same if part.get_name().startswith(name)), None)

    def card(self, disk: str) -> Part:
        """The group of the disk of this name, which may be folded away."""

        def find() -> Part | None:
            groups = (part for part in self.parts() if role_of(part) == "panel")
            return next((part for part in groups if part.get_name().endswith(f"({disk})")), None)

        def folded() -> Part | None:
            buttons = (part for part in self.parts() if role_of(part) == "push button")
            return next((part for part in buttons if part.get_name().endswith(FOLDED)), None)

        if (seen := self.until(lambda: find() or folded(), f"disks, or {FOLDED}")) and role_of(seen) == "push button":
            self.use("push button", seen.get_name())
        return self.until(find, f"the card of {disk}")

    def use(self, role: str, name: str, within: Part | None = None) -> None:
        """Do what a control does when it is pressed, as soon as it can be."""

        def usable() -> Part | None:
            found = self.find(role, name, within)
            return found if found is not None and found.get_state_set().contains(STATES.SENSITIVE) else None

        found = self.until(usable, f"{role} {name}")
        actions = [Atspi.Action.get_action_name(found, number) for number in range(found.get_n_actions())]
        wanted = next(each for each in PRESSES if each in actions)
        assert Atspi.Action.do_action(found, actions.index(wanted)), (role, name)
        self.rush()

    def rush(self) -> None:
        """Read all of the tree again and again without a pause: it is still being put together."""
        for _ in range(3):
            self.listen()
            if (top := self.application) is not None:
                _rush_through(top)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, as ``xdotool`` calls them, on the screen's keyboard."""
        subprocess.run(["xdotool", "key", "--clearmodifiers", *keys], check=True, timeout=150)

    def tab_to(self, role: str, name: str) -> None:
        """Press Tab until this has the keyboard."""

        def there() -> bool:
            found = self.focused()
            return found is not None and role_of(found) == role and found.get_name().startswith(name)

        for _ in range(40):
            if there():
                return
            before = self.focused()
            self.press("Tab")
            self.until(lambda before=before: self.focused() not in (None, before), "what Tab leads to")
        raise AssertionError(f"Tab never reaches {role} {name!r}\n{self.tree()}")

    def choose(self, item: str) -> None:
        """Go down in an open menu to an item of this name, and take it."""
        for _ in range(20):
            before = len(self.came_to)
            self.press("Down")
            self.until(lambda before=before: len(self.came_to) > before, "the next item of a menu")
            if self.came_to[-1].endswith(f"menu item {item}"):
                self.press("Return")
                return
        raise AssertionError(f"no {item!r} in the menu: {self.came_to[-20:]}")

    def write(self, role: str, name: str, words: str) -> None:
        """Put a text in place of what a field holds; keys come faster here than any person's, too fast for Orca."""
        field = self.until(lambda: self.find(role, name), f"{role} {name}")
        assert Atspi.EditableText.set_text_contents(field, words)

    def focused(self) -> Part | None:
        """What has the keyboard."""
        every = (part for part in self.parts() if part.get_state_set().contains(STATES.FOCUSED))
        return next((part for part in every if role_of(part) not in ITEMS), None)

    def nameless(self) -> list[str]:
        """What can be used or has the focus, and has no name or no role."""
        return [_told(part) for part in self.parts() if _is_used(part) and not _is_told(part)]

    def tree(self) -> str:
        """All that shows, for people."""
        return "\n".join(map(_told, self.parts()))


def _rush_through(part: Part) -> None:
    """All below a part, shown or not, and in each the place behind its last child, which was there a moment ago."""
    with suppress(GLib.Error):  # it went away
        for number in range(part.get_child_count() + 1):
            with suppress(GLib.Error):
                if (child := part.get_child_at_index(number)) is not None:
                    role_of(child), child.get_name(), child.get_state_set()
                    _rush_through(child)


def _is_window(part: Part) -> bool:
    return role_of(part) in {"frame", "dialog", "alert", "file chooser", "window"}


def _is_used(part: Part) -> bool:
    states = part.get_state_set()
    if _is_window(part):
        return False
    return states.contains(STATES.FOCUSABLE) or role_of(part) in CONTROLS


def _is_told(part: Part) -> bool:
    return bool(part.get_name().strip()) and role_of(part) in CONTROLS


def _told(part: Part) -> str:
    states = part.get_state_set()
    known = {
        "active": STATES.ACTIVE, "focusable": STATES.FOCUSABLE, "focused": STATES.FOCUSED, "checked": STATES.CHECKED,
    }  # fmt: skip
    shown = " ".join(name for name, state in known.items() if states.contains(state))
    return f"{role_of(part)} {part.get_name()!r} {part.get_description()!r} {shown}"
