# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a mending's commands in a tree, as an administrator would run them in the real one.

What other programs do at once is done by stand-ins that write what those write: TuneD its active profile, systemctl
the links of services.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

_STAND_INS = {
    "sudo": 'exec "$@"',
    "udevadm": ":",
    "tlp": ":",
    "tuned-adm": """mkdir -p "$TREE/etc/tuned"
case $1 in
    profile) shift; echo "$*" >"$TREE/etc/tuned/active_profile"; echo manual >"$TREE/etc/tuned/profile_mode" ;;
    auto_profile) echo balanced >"$TREE/etc/tuned/active_profile"; echo auto >"$TREE/etc/tuned/profile_mode" ;;
esac""",
    "systemctl": """units=$TREE/etc/systemd/system
[ "$1" = daemon-reload ] || for target in $(sed -n 's/^WantedBy=//p' "$units/$2"); do
    case $1 in
        enable) mkdir -p "$units/$target.wants"; ln -s "/etc/systemd/system/$2" "$units/$target.wants/$2" ;;
        disable) rm "$units/$target.wants/$2"; rmdir --ignore-fail-on-non-empty "$units/$target.wants" ;;
    esac
done""",
}

Content = dict[str, tuple[str, int, bytes]]


def content(root: Path) -> Content:
    """Everything below a folder: kind, mode, and bytes or target."""
    found: Content = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = ("link", 0, str(path.readlink()).encode())
        elif path.is_dir():
            found[name] = ("folder", path.stat().st_mode & 0o7777, b"")
        else:
            found[name] = ("file", path.stat().st_mode & 0o7777, path.read_bytes())
    return found


def run(commands: Sequence[str], root: Path) -> None:
    """Run commands whose paths in /etc mean those of the tree; each must succeed."""
    programs = root.parent / f"{root.name}-programs"
    programs.mkdir(exist_ok=True)
    for name, script in _STAND_INS.items():
        program = programs / name
        program.write_text(f"#!/bin/sh\nset -e\n{script}\n")
        program.chmod(0o755)
    environment = {"PATH": f"{programs}:/usr/bin:/bin:/usr/sbin:/sbin", "TREE": str(root), "HOME": str(programs)}
    for command in commands:
        subprocess.run(
            ["/bin/bash", "-eu", "-c", _moved(command, root)], cwd=programs, env=environment, check=True, timeout=30
        )


def _moved(command: str, root: Path) -> str:
    """The command with its paths below the root; what it writes into a file stays as it is."""
    head, pipe, tail = command.rpartition(" | sudo tee ")
    words = [f"{root}{word}" if word.startswith(("/etc/", "/opt/")) else word for word in shlex.split(tail)]
    if pipe:
        assert words[1:] == [">/dev/null"]
        return f"{head}{pipe}{shlex.quote(words[0])} >/dev/null"
    assert shlex.join(shlex.split(command)) == command
    return shlex.join(words)
