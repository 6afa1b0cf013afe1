# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells udev about changed rules: the only program that the helper ever runs is udevadm."""

from __future__ import annotations

from gi.repository import Gio, GLib

from disktuner_helper.contract import Places
from disktuner_helper.task import Later

_QUIET = Gio.SubprocessFlags.STDOUT_SILENCE | Gio.SubprocessFlags.STDERR_SILENCE


class Udev:
    """Reloads the rules, and applies them to one disk. Where udev does not run there is nothing to tell."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._control = places.udev_data.parent / "control"

    async def reload(self) -> bool:
        """Make udev read the rules again; whether that went well."""
        return await self._run("control", "--reload", "--timeout=5")

    async def apply(self, disk: str) -> bool:
        """Let the rules run for one disk, as after a change of it; whether that went well."""
        return await self._run("trigger", "--action=change", "--", str(self._places.sys_block / disk))

    async def _run(self, *arguments: str) -> bool:
        if not self._control.exists():
            return True
        later: Later[bool] = Later()

        def finished(process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
            process.wait_finish(result)
            later.resolve(process.get_successful())

        try:
            process = Gio.Subprocess.new([str(self._places.udevadm), *arguments], _QUIET)
        except GLib.Error:
            return False
        process.wait_async(None, finished)
        return await later
