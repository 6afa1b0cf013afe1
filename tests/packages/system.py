# SPDX-License-Identifier: GPL-3.0-or-later
"""Systems with their own bus, to install packages into: this machine's, or a minimal one of a distribution."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import Sudo
from tests.waiting import until

CHECKOUT = Path(__file__).resolve().parents[2]
ROOT = CHECKOUT / "packaging/root"
_START = """
echo 'polkit.addRule(function(action, subject) {
    if (action.id.indexOf("org.disktuner.") == 0 && subject.user == "anna") { return polkit.Result.YES; }
});' >/etc/polkit-1/rules.d/10-anna.rules
for user in anna ben; do useradd --create-home $user; done
mkdir -p /run/dbus && dbus-daemon --system --fork
"""
_FILES = r"find /usr /etc /opt /var/lib /var/cache -path /var/lib/dpkg -prune -o -path /var/lib/apt -prune \
    -o -path /var/cache/apt -prune -o -path /var/cache/man -prune \
    -o -name '*.pyc' ! -path '*disktuner*' -prune -o -printf '%p %y %m %U:%G %l\n'"


@dataclass(frozen=True, slots=True)
class System:
    """``pid`` is its process 1, seen from outside. anna may do what polkit guards, ben may not."""

    pid: int

    def start(self, script: str, user: str = "root", **streams: int) -> subprocess.Popen[str]:
        """Start a shell script, in the user's home."""
        into = ["sudo", "-n", "nsenter", f"--target={self.pid}", "--mount", "--pid", "--root", "--wd", "--"]
        home = "/root" if user == "root" else f"/home/{user}"
        variables = ("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", f"HOME={home}")
        become = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups")
        words = [*into, *variables, "DEBIAN_FRONTEND=noninteractive", *become, "sh", "-ec", f"cd {home}\n{script}"]
        return subprocess.Popen(words, text=True, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, **streams)

    def run(self, script: str, user: str = "root", code: int = 0) -> str:
        """Return the output of a script that has to end with a code."""
        with self.start(script, user, stdin=subprocess.DEVNULL) as process:
            printed, _ = process.communicate(timeout=900)
        assert process.returncode == code, printed
        return printed

    def use(self) -> None:
        """Add users and start the bus, which starts polkit and the helper."""
        self.run(_START)

    def files(self) -> set[str]:
        """Return all files that packages and programs may have left, except the package managers' and man-db's own."""
        return set(self.run(_FILES).splitlines())


@contextmanager
def thrown_away(root: Path, sudo: Sudo, folders: Sequence[tuple[Path, str]]) -> Iterator[System]:
    """Yield a system in which the files of ``root`` may be changed, with folders of this machine at other places."""
    binds = (f"{source}:{target}" for source, target in folders)
    words = ["sudo", "-n", str(ROOT), "run", str(root), *binds, "--", "sh", "-c", "echo ready; exec cat"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdin
        try:
            assert process.stdout.readline() == "ready\n"
            system = System(_last_child(process.pid))
            yield system
        finally:
            process.stdin.close()
    until(lambda: not Path(f"/proc/{system.pid}").exists())


def _last_child(pid: int) -> int:
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return pid
