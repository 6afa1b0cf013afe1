# SPDX-License-Identifier: GPL-3.0-or-later
"""The window under a Wayland compositor, with the desktop's real portal: pages, a dialog, a file dialog, the end.

``wayland.py DISK LOGS`` uses it through AT-SPI and prints as JSON which windows the compositor had in each state, and
how the program ended; pictures are in LOGS. It is started on a session bus of its own (``dbus-run-session``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from disktuner.vocabulary.messages import text  # noqa: E402
from tests.gui.assistive.desk import assistive, running  # noqa: E402
from tests.gui.assistive.reader import Part, Reader  # noqa: E402
from tests.waiting import until  # noqa: E402

COMPOSITOR = {"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
SESSION = {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "GNOME", "QT_QPA_PLATFORM": "wayland"}
"""The portal chooses its backend by the desktop's name."""


@contextmanager
def compositor(logs: Path) -> Iterator[None]:
    """Sway on an invisible screen, without an X server."""
    ready, settings = logs / "ready", logs / "sway.conf"
    startup = f"exec 'echo $WAYLAND_DISPLAY $SWAYSOCK > {ready}.new && mv {ready}.new {ready}'"
    settings.write_text(f"xwayland disable\noutput HEADLESS-1 resolution 1366x900\n{startup}\n")
    os.environ.pop("DISPLAY", None)
    with running(["sway", "--config", str(settings)], logs / "sway.log", **COMPOSITOR):
        until(ready.exists)
        os.environ["WAYLAND_DISPLAY"], os.environ["SWAYSOCK"] = ready.read_text().split()
        os.environ.update(SESSION)
        names = ["WAYLAND_DISPLAY", *SESSION]
        subprocess.run(["dbus-update-activation-environment", *names], check=True, timeout=150)  # for the portal
        yield


class Screen:
    """``seen`` are the compositor's windows in each state that was visited, ids by titles."""

    def __init__(self, reader: Reader, logs: Path) -> None:
        self.reader, self._logs = reader, logs
        self.seen: dict[str, dict[str, str]] = {}

    @property
    def windows(self) -> dict[str, str]:
        """Return the application id of each window, by its title."""
        tree = subprocess.run(["swaymsg", "-r", "-t", "get_tree"], capture_output=True, check=True, timeout=150).stdout
        return dict(_windows(json.loads(tree)))

    def look(self, state: str) -> None:
        """Note the windows, and save a picture of them."""
        self.seen[state] = self.windows
        subprocess.run(["grim", str(self._logs / f"{state}.png")], check=True, timeout=150)

    def opened_by(self, button: str, within: Part | None = None) -> str:
        """Press a button that opens a dialog; return that window's title."""
        before = self.windows
        self.reader.use("push button", button, within)
        return self.reader.until(lambda: next(iter(self.windows.keys() - before), ""), f"what {button} opens")

    def closed(self, title: str) -> None:
        self.reader.until(lambda: title not in self.windows, f"{title} is closed")


def _windows(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if node.get("pid"):
        yield node["name"], node["app_id"]
    for child in (*node["nodes"], *node["floating_nodes"]):
        yield from _windows(child)


def main() -> None:
    disk, logs = sys.argv[1], Path(sys.argv[2])
    with ExitStack() as stack:
        stack.enter_context(compositor(logs))
        stack.enter_context(assistive(logs))
        program = [sys.executable, "-I", "-X", "faulthandler", str(ROOT / "app" / "launch.py")]
        started = stack.enter_context(running(program, logs / "window.log"))
        reader = Reader("disktuner")
        screen = Screen(reader, logs)
        reader.until(lambda: reader.application, "the program")
        reader.card(disk)
        screen.look("disks")
        dialog = screen.opened_by(text("change"), reader.card(disk))
        screen.look("dialog")
        reader.use("push button", text("cancel"))
        screen.closed(dialog)
        reader.use("radio button", "", reader.card(disk))
        reader.use("check box", text("options"))
        dialog = screen.opened_by(text("choose-folder"))
        screen.look("folder")
        chooser = Reader("xdg-desktop-portal-gtk")
        chooser.use("push button", "Cancel")
        screen.closed(dialog)
        screen.look("measurement")
        subprocess.run(["swaymsg", "[app_id=org.disktuner.Disktuner] kill"], check=True, timeout=150)
        ended = started.wait(timeout=150)
    print(json.dumps({"windows": screen.seen, "ended": ended}))


if __name__ == "__main__":
    main()
