# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls ``disktuner`` on a managed machine, and reads the settings that it writes."""

from __future__ import annotations

import json
from typing import Any

SET = ":"


def program(module: Any) -> str:
    """Return where the command is; the module fails where it is not installed."""
    found = module.get_bin_path("disktuner", opt_dirs=["/usr/local/bin"])
    if found is None:
        module.fail_json(
            msg="Disktuner is not installed here. Install it on this machine, then run the playbook again."
        )
    return str(found)


def run(module: Any, *words: str) -> str:
    """Return what a command prints; the module fails with what it says where it ends with an error."""
    command = [program(module), *words]
    code, out, err = module.run_command(command, environ_update={"LC_ALL": "C.UTF-8"})
    if code:
        module.fail_json(msg=(err or out).strip(), rc=code, cmd=command)
    return out


def status(module: Any) -> list[dict[str, Any]]:
    """Return how each disk with a scheduler stands, as ``disktuner status --json`` tells it."""
    return json.loads(run(module, "status", "--json"))["disks"]


def waiting_share(documents: str) -> float | None:
    """Return in which share of the time any program waited for any disk, of what ``disktuner monitor --json`` prints.

    None where the kernel does not count it.
    """
    whole_s = waited_s = 0.0
    for disks in map(json.loads, documents.splitlines()):
        shares = [disk["programs_waiting"] for disk in disks.values()]
        if not shares or None in shares:
            return None
        elapsed_s = max(disk["elapsed_s"] for disk in disks.values())
        whole_s += elapsed_s
        waited_s += elapsed_s * min(sum(shares), 1.0)
    return waited_s / whole_s if whole_s else None


def parsed(setting: str) -> tuple[str, dict[str, str]]:
    """Return the scheduler and the tunables by full name of a setting such as ``bfq:slice_idle=0``."""
    scheduler, _, rest = setting.partition(SET)
    pairs = (part.partition("=") for part in rest.split(",") if part)
    return scheduler, {name if "/" in name else f"iosched/{name}": value for name, _, value in pairs}


def words(scheduler: str, tunables: dict[str, Any]) -> list[str]:
    """Return a setting as the arguments of ``disktuner set``."""
    return [scheduler, *(word for name, value in tunables.items() for word in ("--tunable", f"{name}={value}"))]


def texts(tunables: dict[str, Any]) -> dict[str, str]:
    """Return tunables with their values as texts, for a comparison."""
    return {name: str(value) for name, value in tunables.items()}
