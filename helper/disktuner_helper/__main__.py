# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires the helper together and runs it until nobody needs it any more."""

from __future__ import annotations

import os
import signal
import sys

from gi.repository import Gio, GLib
from pydbus import SystemBus
from pydbus.registration import ObjectRegistration

from disktuner_helper import files
from disktuner_helper.audit import Audit
from disktuner_helper.authority import Authority
from disktuner_helper.bus_object import BusObject
from disktuner_helper.contract import INTERFACE_XML, NAME, OBJECT_PATH, Places
from disktuner_helper.idle import Idle
from disktuner_helper.presence import Presence
from disktuner_helper.service import Service
from disktuner_helper.task import after
from disktuner_helper.trial import Trials


def main() -> int:
    """Serve the system bus; 0 when idle or told to go, 1 when another helper owns the name."""
    os.umask(0o022)
    places, audit, loop = Places(), Audit(), GLib.MainLoop()
    files.make_folder(places.run)
    files.make_folder(places.lib)
    with SystemBus() as bus:
        presence = Presence(bus.con)
        interface = Gio.DBusNodeInfo.new_for_xml(INTERFACE_XML.read_text()).interfaces[0]
        trials = Trials(places, presence.watch, after, lambda *ended: service.trial_ended(*ended))  # noqa: PLW0108 made below
        service = Service(places, Authority(bus.con), trials, audit, lambda *what: wrapper.emit(*what))  # noqa: PLW0108 made below
        idle = Idle(after, lambda: len(trials) > 0, loop.quit)
        wrapper = BusObject(interface, service, presence, idle, audit)
        for disk in trials.recover():
            audit.warning(f"disk {disk} could not be restored after a trial that died")
        for number in (signal.SIGTERM, signal.SIGINT):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, loop.quit)
        with ObjectRegistration(bus, OBJECT_PATH, [interface], wrapper):
            try:
                owner = bus.request_name(NAME, allow_replacement=False)
            except RuntimeError:
                return 1
            with owner:
                loop.run()
                trials.end_all("helper stopped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
