# SPDX-License-Identifier: GPL-3.0-or-later
"""What assistive technology can do with a program: read its tree, use actions, press keys, hear events."""

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
"""Roles of controls. Pressing anything else has no effect."""


FOLDED = text("show-others", count=9).partition("9")[2]
"""The end of the text of the button that shows disks which are folded away."""

ITEMS = frozenset(("page tab", "table cell"))
"""The current one reports the focus even while its list does not have it."""

_RENAMED = {"button": "push button"}
"""Roles that have another name since AT-SPI 2.54 (Debian 13)."""

PRESSES = ("Press", "Toggle", "ShowMenu", "click")
"""The names of a control's main action; the last one is GTK's."""


def role_of(part: Part) -> str:
    """Return a part's role, by its older name."""
    name = part.get_role_name()
    return _RENAMED.get(name, name)


@dataclass
class Reader:
    """Follows the application of a name.

    ``announced`` are the sentences of notifications, ``came_to`` is what got the focus, by role and name.
    """

    name: str
    announced: list[str] = field(default_factory=list)
    came_to: list[str] = field(default_factory=list)
    _listeners: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        Atspi.init()
        Atspi.set_timeout(20000, 20000)
        for event in HEARD:
            listener = Atspi.EventListener.new(self._heard)
            listener.register(event)
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
        """Wait for a result and return it; events are received meanwhile."""

        def look() -> Found | None:
            self.listen()
            with suppress(GLib.Error):  # the part went away while it was looked at
                return find()
            return None

        try:
            part = until(look)
        except AssertionError as error:
            raise AssertionError(f"not found: {what}\n{self.tree()}") from error
        assert part is not None
        return part

    def now(self, look: Callable[[], Found]) -> Found:
        """Return the present result; look again if a part disappears meanwhile."""
        return self.until(lambda: (look(),))[0]

    def listen(self) -> None:
        while GLib.MainContext.default().iteration(False):
            pass

    @property
    def application(self) -> Part | None:
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            application = desktop.get_child_at_index(number)
            if application is not None and application.get_name() == self.name:
                application.set_cache_mask(Atspi.Cache.NONE)
                return application
        return None

    def parts(self, within: Part | None = None) -> Iterator[Part]:
        top = within or self.application
        if top is None:
            return
        for number in range(top.get_child_count()):
            part = top.get_child_at_index(number)
            if part is not None and (part.get_state_set().contains(STATES.SHOWING) or _is_window(part)):
                yield part
                yield from self.parts(part)

    def find(self, role: str, name: str, within: Part | None = None) -> Part | None:
        """Return the first visible part with a role and the beginning of a name."""
        candidates = (part for part in self.parts(within) if role_of(part) == role)
        return next((part for part in candidates if part.get_name().startswith(name)), None)

    def card(self, disk: str) -> Part:
        """Return the group of the disk of this name, which may be folded away."""

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
        """Press a control as soon as it is enabled."""

        def usable() -> Part | None:
            control = self.find(role, name, within)
            return control if control is not None and control.get_state_set().contains(STATES.SENSITIVE) else None

        part = self.until(usable, f"{role} {name}")
        actions = [Atspi.Action.get_action_name(part, number) for number in range(part.get_n_actions())]
        action = next(press for press in PRESSES if press in actions)
        assert Atspi.Action.do_action(part, actions.index(action)), (role, name)
        self.rush()

    def rush(self) -> None:
        """Read the whole tree again and again without a pause, while it is still being built."""
        for _ in range(3):
            self.listen()
            if (top := self.application) is not None:
                _rush_through(top)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, by ``xdotool``'s names, on the screen's keyboard."""
        subprocess.run(["xdotool", "key", "--clearmodifiers", *keys], check=True, timeout=150)

    def tab_to(self, role: str, name: str) -> None:
        """Press Tab until this part has the focus."""

        def is_focused() -> bool:
            part = self.focused()
            return part is not None and role_of(part) == role and part.get_name().startswith(name)

        for _ in range(40):
            if self.now(is_focused):
                return
            before = self.now(self.focused)
            self.press("Tab")
            self.until(lambda before=before: self.focused() not in (None, before), "what Tab leads to")
        raise AssertionError(f"Tab never reaches {role} {name!r}\n{self.tree()}")

    def choose(self, item: str) -> None:
        """Go down in an open menu to an item of this name, and choose it."""
        for _ in range(20):
            before = len(self.came_to)
            self.press("Down")
            self.until(lambda before=before: len(self.came_to) > before, "the next item of a menu")
            if self.came_to[-1].endswith(f"menu item {item}"):
                self.press("Return")
                return
        raise AssertionError(f"no {item!r} in the menu: {self.came_to[-20:]}")

    def write(self, role: str, name: str, words: str) -> None:
        """Replace a field's text; these keys come faster than any person's, too fast for Orca."""
        field = self.until(lambda: self.find(role, name), f"{role} {name}")
        assert Atspi.EditableText.set_text_contents(field, words)

    def focused(self) -> Part | None:
        every = (part for part in self.parts() if part.get_state_set().contains(STATES.FOCUSED))
        return next((part for part in every if role_of(part) not in ITEMS), None)

    def nameless(self) -> list[str]:
        """Return controls and focused parts without a name or a role."""
        return [_description(part) for part in self.parts() if _is_used(part) and not _is_told(part)]

    def tree(self) -> str:
        """Return the visible tree for people."""
        return "\n".join(map(_description, self.parts()))


def _rush_through(part: Part) -> None:
    """Read everything below a part, visible or not, and also the place behind each last child, which existed a moment
    ago.
    """
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


def _description(part: Part) -> str:
    states = part.get_state_set()
    named_states = {
        "active": STATES.ACTIVE, "focusable": STATES.FOCUSABLE, "focused": STATES.FOCUSED, "checked": STATES.CHECKED,
    }  # fmt: skip
    state_names = " ".join(name for name, state in named_states.items() if states.contains(state))
    return f"{role_of(part)} {part.get_name()!r} {part.get_description()!r} {state_names}"
