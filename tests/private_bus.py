# SPDX-License-Identifier: GPL-3.0-or-later
"""A message bus of a test's own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONFIG = """<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><servicedir>{folder}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>"""


@contextmanager
def private_bus(folder: Path) -> Iterator[str]:
    """The address of a private bus, which starts the services described in the folder."""
    (folder / "bus.conf").write_text(CONFIG.format(folder=folder))
    command = ["dbus-daemon", f"--config-file={folder}/bus.conf", "--print-address", "--nofork"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as bus:
        assert bus.stdout
        try:
            yield bus.stdout.readline().strip()
        finally:
            bus.terminate()
