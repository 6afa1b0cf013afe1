# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result says about the machine it was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from disktuner.results.model import Machine


def this_machine(proc: Path = Path("/proc")) -> Machine:
    """Describe the running machine."""
    return Machine(
        kernel=os.uname().release,
        os=_os_name(),
        cpu=_cpu_name(proc),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        cmdline=(proc / "cmdline").read_text(errors="replace").strip(),
    )


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def _cpu_name(proc: Path) -> str:
    lines = (proc / "cpuinfo").read_text(errors="replace").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model", "cpu\t"))]
    return f"{len(os.sched_getaffinity(0))} x {names[0]}" if names else os.uname().machine
