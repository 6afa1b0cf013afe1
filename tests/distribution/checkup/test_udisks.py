# SPDX-License-Identifier: GPL-3.0-or-later
"""What udisks knows of disks' health, on a real bus: it is not started, and not waited for if it is silent."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.private_bus import private_bus
from tests.waiting import HANG_S

from disktuner.checkup import health
from disktuner.checkup.health import Health, health_of, read_health

SERVICE = """
import sys
from gi.repository import Gio, GLib
XML = '''<node><interface name="org.freedesktop.DBus.ObjectManager"><method name="GetManagedObjects">
<arg type="a{oa{sa{sv}}}" direction="out"/></method></interface></node>'''
V, N = GLib.Variant, "org.freedesktop.UDisks2"
OBJECTS = {
    "/b/sda": {N + ".Block": {"Device": V("ay", b"/dev/sda" + bytes(1)), "Drive": V("o", "/d/1")}},
    "/d/1": {N + ".Drive.Ata": {"SmartEnabled": V("b", True), "SmartFailing": V("b", False),
                                "SmartNumBadSectors": V("x", 3)}},
}
def called(connection, sender, path, interface, method, parameters, invocation):
    if "silent" not in sys.argv:
        invocation.return_value(V("(a{oa{sa{sv}}})", (OBJECTS,)))
def ready(connection, name):
    print("ready", flush=True)
def connected(connection, name):
    newer = "register_object_with_closures2"  # since GLib 2.84
    register = getattr(connection, newer if hasattr(connection, newer) else "register_object")
    register("/org/freedesktop/UDisks2", Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], called, None, None)
Gio.bus_own_name(Gio.BusType.SYSTEM, N, Gio.BusNameOwnerFlags.NONE, connected, ready, None)
GLib.MainLoop().run()
"""


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A private bus that would start udisks for any caller; starting it leaves ``started`` behind."""
    service = f"[D-BUS Service]\nName={health.NAME}\nExec=/usr/bin/touch {tmp_path}/started\n"
    (tmp_path / f"{health.NAME}.service").write_text(service)
    with private_bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        yield tmp_path


def asked(*words: str) -> object:
    """Return the answer while a service stands in for udisks."""
    with subprocess.Popen([sys.executable, "-c", SERVICE, *words], stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None and service.stdout.readline() == "ready\n"
        try:
            return read_health()
        finally:
            service.terminate()


def test_it_is_asked_once_for_all_disks(bus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_WAIT_MS", HANG_S * 1000)
    assert asked() == {"sda": Health(3)}


def test_it_is_not_started(bus: Path) -> None:
    assert read_health() is None
    assert not (bus / "started").exists()


def test_silence_is_not_waited_for(bus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_WAIT_MS", 50)
    assert asked("silent") is None


DRIVES = "/org/freedesktop/UDisks2/drives"


def block(device: str, drive: str) -> dict[str, dict[str, object]]:
    return {f"{health.NAME}.Block": {"Device": [*device.encode(), 0], "Drive": f"{DRIVES}/{drive}"}}


def test_the_health_of_each_disk_by_its_name() -> None:
    objects = {
        "/block/sda": block("/dev/sda", "hdd"),
        "/block/sdb": block("/dev/sdb", "old"),
        "/block/sdc": block("/dev/sdc", "asleep"),
        "/block/nvme0n1": block("/dev/nvme0n1", "nvme"),
        "/block/loop0": {f"{health.NAME}.Block": {"Device": [*b"/dev/loop0", 0], "Drive": "/"}},
        f"{DRIVES}/hdd": {
            f"{health.NAME}.Drive.Ata": {"SmartEnabled": True, "SmartFailing": True, "SmartNumBadSectors": 8}
        },
        f"{DRIVES}/old": {f"{health.NAME}.Drive.Ata": {"SmartEnabled": True, "SmartNumBadSectors": -1}},
        f"{DRIVES}/asleep": {f"{health.NAME}.Drive.Ata": {"SmartEnabled": False, "SmartNumBadSectors": 5}},
        f"{DRIVES}/nvme": {f"{health.NAME}.NVMe.Controller": {"SmartCriticalWarning": ["temperature", "spare"]}},
    }
    assert health_of(objects) == {
        "sda": Health(8, ("SMART",)),
        "sdb": Health(),
        "sdc": Health(),
        "nvme0n1": Health(0, ("spare",)),
    }
