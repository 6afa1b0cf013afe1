# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian packages: what they install works for ordinary users, survives upgrades, and goes without a trace."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import LoopDisk, Sudo
from tests.packages.conftest import HERE, root_of
from tests.packages.system import CHECKOUT, System, thrown_away
from tests.waiting import until

RULES = "/etc/udev/rules.d/90-disktuner-*.rules"
QUICKLY = "--goal desktop --budget quick --schedulers none,mq-deadline --workloads launch-office"
NEWER = """
mkdir -p /newer && cd /newer
for package in {packages}; do
    dpkg-deb --raw-extract $package unpacked
    sed -i -E '/^Version:/s/$/+newer/; s/(disktuner(-helper)? \\(= [^)]*)/\\1+newer/' unpacked/DEBIAN/control
    for unit in unpacked/usr/lib/systemd/system/*.service; do if [ -e $unit ]; then echo '# newer' >>$unit; fi; done
    dpkg-deb --root-owner-group -Znone --build unpacked . >/dev/null
    rm -r unpacked
done
"""
ALL = "disktuner disktuner-fleet disktuner-helper"
TOOLS = "xvfb xdotool"
WINDOW = """
mkfifo ready
Xvfb -displayfd 3 -screen 0 1280x900x24 3>ready 2>/dev/null &
screen=$!
read -r number <ready
export DISPLAY=:$number
disktuner >window.log 2>&1 & window=$!
timeout 120 xdotool search --sync --onlyvisible --name Disktuner >/dev/null || { cat window.log; exit 1; }
kill $window $screen
cat window.log
"""

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(
    params=[
        pytest.param(HERE, marks=pytest.mark.long),
        *(pytest.param(suite, marks=pytest.mark.machine) for suite in ("bookworm", "trixie", "noble")),
    ]
)
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def disk(loop_disk: Callable[..., LoopDisk]) -> LoopDisk:
    return loop_disk(size_mb=1024)


@pytest.fixture
def system(
    place: str, built: Callable[[str], list[Path]], disk: LoopDisk, sudo: Sudo
) -> Iterator[tuple[System, list[str]]]:
    """A system with everything that the packages depend on, but nothing of theirs; and where they are in it."""
    packages = built(place)
    assert disk.folder
    binds = [(packages[0].parent, "/packages"), (disk.folder, "/mnt/disk"), (CHECKOUT / "tests/packages", "/tests")]
    with thrown_away(root_of(place, sudo), sudo, binds) as system:
        names = [f"/packages/{package.name}" for package in packages]
        if place != HERE:
            system.run("apt-get -qq update")
            system.run(f"apt-get -qq -y --no-install-recommends install {TOOLS}")
        if place != HERE:  # by apt, as a user does; then taken out, so that the dependencies stay
            system.run(f"apt-get -qq -y --no-install-recommends install {' '.join(names)}")
            system.run(f"dpkg --purge {ALL}")
        system.run("rm -rf /var/lib/disktuner /etc/udev/rules.d/90-disktuner*.rules")  # of this machine's own Disktuner
        system.use()
        system.run("chown anna /mnt/disk")
        number = Path(f"/sys/block/{disk.name}/dev").read_text().strip()
        system.run(f"mkdir -p /run/udev/data; echo E:ID_SERIAL=Disktuner_{disk.name} >/run/udev/data/b{number}")
        yield system, names


def test_it_is_installed_used_upgraded_and_purged(system: tuple[System, list[str]], disk: LoopDisk) -> None:
    inside, packages = system
    before = inside.files()
    assert not [line for line in before if "disktuner" in line.lower() and not line.startswith("/opt")]
    inside.run(f"dpkg -i {' '.join(packages)}")
    assert disk.scheduler == "none" and not inside.run("find /run/disktuner 2>/dev/null || true")

    _used_by_ordinary_users(inside, disk)
    _upgraded(inside, disk, packages)
    _taken_out(inside, disk)

    assert inside.files() == before


def _used_by_ordinary_users(inside: System, disk: LoopDisk) -> None:
    assert disk.name in inside.run("disktuner list", "anna")
    assert "There are no usable result files" in inside.run("disktuner summary .", "anna")
    assert "3" in inside.run(f"disktuner set {disk.name} bfq </dev/null || echo $?", "ben")
    assert disk.scheduler == "none"
    inside.run(f"disktuner set {disk.name} kyber", "anna")
    assert disk.scheduler == "kyber"
    inside.run(f"disktuner set {disk.name} bfq --persist", "anna")
    assert disk.scheduler == "bfq"
    assert "Traceback" not in inside.run(WINDOW, "anna")


def _upgraded(inside: System, disk: LoopDisk, packages: list[str]) -> None:
    """During a comparison, to a newer version, back, and to the same; choices persist."""
    inside.run(NEWER.format(packages=" ".join(packages)))
    comparing = inside.start(f"disktuner compare /mnt/disk {QUICKLY} --out r.json", "anna", stdin=subprocess.DEVNULL)
    until(lambda: disk.scheduler != "bfq" or comparing.poll() is not None)
    assert comparing.poll() is None, comparing.communicate()[0]
    inside.run("dpkg -i /newer/*.deb")
    printed, _ = comparing.communicate(timeout=600)
    assert comparing.returncode == 0, printed
    assert disk.scheduler == "bfq"

    trial = inside.start(f"/usr/bin/python3 -I /tests/trial.py {disk.name}", "anna", stdin=subprocess.PIPE)
    assert trial.stdin and trial.stdout
    for scheduler, change in (("kyber", f"dpkg -i {' '.join(packages)}"), ("none", "dpkg -i /newer/*.deb")):
        trial.stdin.write(f"{scheduler}\n")
        trial.stdin.flush()
        assert trial.stdout.readline() == f"{scheduler}\n"
        assert disk.scheduler == scheduler
        inside.run(change)
        assert disk.scheduler == scheduler
    assert trial.communicate("\n", timeout=60)[0] == "" and trial.returncode == 0
    inside.run("dpkg -i /newer/*.deb")
    assert disk.scheduler == "bfq" and "bfq" in inside.run(f"cat {RULES}")
    inside.run("rm -r /newer")


def _taken_out(inside: System, disk: LoopDisk) -> None:
    """A trial ends, and a choice until the restart is reverted; persistent choices go only with a purge."""
    trial = inside.start(f"/usr/bin/python3 -I /tests/trial.py {disk.name}", "anna", stdin=subprocess.PIPE)
    assert trial.stdin and trial.stdout
    trial.stdin.write("mq-deadline\n")
    trial.stdin.flush()
    assert trial.stdout.readline() == "mq-deadline\n"
    inside.run(f"dpkg --remove {ALL}")
    trial.communicate("\n", timeout=60)
    assert disk.scheduler == "none" and "bfq" in inside.run(f"cat {RULES}")
    inside.run(f"dpkg --purge {ALL}")
    assert inside.run(f"ls -d {RULES} /run/disktuner /var/lib/disktuner 2>/dev/null || true") == ""


def test_what_reviewers_know_by_its_digest_is_what_lies_in_the_checkout(
    system: tuple[System, list[str]],
) -> None:
    inside, packages = system
    inside.run(f"dpkg -i {' '.join(packages)}")
    rows = (line.split() for line in (CHECKOUT / "packaging/files").read_text().splitlines() if line[:6] == "helper")
    targets = {target if target.startswith("/") else f"/usr/{target}": source for _, _, source, target in rows}
    sums = dict(reversed(line.split()) for line in inside.run(f"sha256sum {' '.join(targets)}").splitlines())
    assert sums == {
        target: hashlib.sha256((CHECKOUT / source).read_bytes()).hexdigest() for target, source in targets.items()
    }
    rows = (line.split("\t") for line in inside.run(OWNED).splitlines())
    assert [row for row in rows if row[1] != "0:0" or (row[0] != "l" and int(row[2], 8) & 0o7022)] == []
    started = inside.run("find /etc/systemd /etc/rc?.d -name '*disktuner*'; ls -d /run/disktuner 2>/dev/null || true")
    assert started == ""


OWNED = r"""
for package in disktuner disktuner-fleet disktuner-helper; do dpkg-query -L $package; done | grep disktuner | sort -u |
    xargs -d '\n' stat -c '%F %u:%g %a' | sed 's/symbolic link/l/; s/regular.* file/f/; s/directory/d/; s/ /\t/g'
"""
