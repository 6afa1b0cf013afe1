# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed belongs to root alone, whatever the checkout is like, and can be removed completely."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from disktuner.vocabulary.languages import LANGUAGES
from disktuner_helper.queue import known as tunables_of
from tests.bus.conftest import own_rules
from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import Run
from tests.end2end.throw_away import CHECKOUT, ThrowAway, copied, to_install_into

COMMANDS = {"local/bin/disktuner", "local/bin/disktuner-fleet"}
PROGRAMS = COMMANDS | {"local/libexec/disktuner-helper", "local/lib/disktuner/put-back"}
FOR_OTHERS = {
    "local/lib/systemd/system/disktuner-helper.service",
    "local/lib/systemd/user/disktuner-field.service",
    "local/lib/systemd/user/disktuner-watch.service",
    "local/share/applications/org.disktuner.Disktuner.desktop",
    "local/share/bash-completion/completions/disktuner",
    "local/share/bash-completion/completions/disktuner-fleet",
    "local/share/dbus-1/interfaces/org.disktuner.Helper1.xml",
    "local/share/dbus-1/system-services/org.disktuner.Helper1.service",
    "local/share/dbus-1/services/org.disktuner.Disktuner.service",
    "share/dbus-1/system.d/org.disktuner.Helper1.conf",
    "local/share/fish/vendor_completions.d/disktuner.fish",
    "local/share/fish/vendor_completions.d/disktuner-fleet.fish",
    "local/share/icons/hicolor/scalable/apps/org.disktuner.Disktuner.svg",
    "local/share/icons/hicolor/symbolic/apps/org.disktuner.Disktuner-symbolic.svg",
    "local/share/metainfo/org.disktuner.Disktuner.metainfo.xml",
    "share/polkit-1/actions/org.disktuner.policy",
    "local/share/zsh/site-functions/_disktuner",
    "local/share/zsh/site-functions/_disktuner-fleet",
    *(
        f"local/share/man/{page.parent.name}/man1/{page.name}".replace("/man/man/", "/man/")
        for page in (CHECKOUT / "resources/man").rglob("*.1")
    ),
}
OURS = "local/lib/disktuner"
HELPER_STARTS = """
import sys; sys.path.insert(0, "{place}")
from disktuner_helper import bus_object, queue
bus_object.contract.INTERFACE_XML.read_text()
print(queue.known("bfq"))
"""
"""All that it reads at its start is there."""
INTERFACE = "/usr/local/share/dbus-1/interfaces/org.disktuner.Helper1.xml"
STATE = Path("/run/disktuner")
RECORD = Path("/var/lib/disktuner")
"""What an older version left there."""


@pytest.fixture
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThrowAway]:
    with to_install_into(tmp_path_factory.mktemp("usr")) as system:
        yield system


def install(system: ThrowAway, checkout: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Install as a root whose umask lets everybody write."""
    completed = system.run("sh", "-c", 'umask 0; exec "$@"', "sh", checkout / "packaging/install", *command)
    assert completed.returncode == 0, completed.stderr
    return completed


def changed(system: ThrowAway) -> dict[str, tuple[str, str, str]]:
    """Return kind, mode and owners of everything installed below /usr, by its name there."""
    files = system.out("find", system.changed, "-mindepth", "1", "-printf", r"%P\t%y\t%m\t%U:%G\n")
    rows = (line.split("\t") for line in files.splitlines())
    return {name: (kind, mode, owners) for name, kind, mode, owners in rows}


def differing(system: ThrowAway) -> dict[str, tuple[str, str, str]]:
    """Return what differs from the outside, without folders that were only written in and restored."""
    return {name: row for name, row in changed(system).items() if row != outside(Path("/usr") / name)}


def outside(path: Path) -> tuple[str, str, str]:
    """Return kind, mode and owners of a folder; nothing for other files."""
    if not path.is_dir() or path.is_symlink():
        return "", "", ""
    status = path.stat()
    return "d", f"{stat.S_IMODE(status.st_mode):o}", f"{status.st_uid}:{status.st_gid}"


def expected() -> set[str]:
    """Return the names of all files that may be there."""
    sources = [path.relative_to(CHECKOUT) for top in ("app", "helper") for path in (CHECKOUT / top).rglob("*.py")]
    compiled = {f"{path.parent}/__pycache__/{path.stem}" for path in sources}
    lists = {f"helper/disktuner_helper/{name}" for name in ("org.disktuner.Helper1.xml", "schedulers.toml")}
    icons = {str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "resources/icons").iterdir()}
    languages = {f"resources/languages/{id_}.mo" for id_ in LANGUAGES if id_ != "en"}
    starts = {str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "app").rglob("*.pattern")}
    parts = (path for path in (CHECKOUT / "resources/ansible_collections").rglob("*") if path.is_file())
    rolled_out = {str(path.relative_to(CHECKOUT)) for path in parts if "__pycache__" not in path.parts}
    files = {*map(str, sources), *compiled, *lists, *icons, *languages, *starts, *rolled_out, "files", "folders"}
    return PROGRAMS | FOR_OTHERS | {f"{OURS}/{name}" for name in files | {"app/version", "helper/version"}}


def make_hostile(checkout: Path) -> None:
    """Make everything world-writable and setuid, with stray private files."""
    for folder in ("app", "app/disktuner", "helper/disktuner_helper", "resources/icons", "resources/libexec"):
        place = checkout / folder
        for name in ("evil.so", "evil.pth", ".evil.py", "evil.txt", "evil.py~"):
            (place / name).write_text("import os\n")
        (place / "__pycache__").mkdir()
        (place / "__pycache__/errors.cpython-311.pyc").write_bytes(b"evil")
        (place / ".git").mkdir()
        (place / ".git/hook.py").write_text("")
        (place / "passwd.py").symlink_to("/etc/passwd")
        (place / "etc").symlink_to("/etc")
        os.mkfifo(place / "pipe.py")
    for path in checkout.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o7777)
    checkout.chmod(0o7777)


def test_whatever_the_checkout_is_like_only_root_may_write_and_only_what_is_needed_is_there(
    system: ThrowAway, tmp_path: Path
) -> None:
    checkout = copied(tmp_path / "checkout")
    make_hostile(checkout)
    assert checkout.stat().st_uid != 0
    # An earlier version left this.
    system.out("sh", "-c", f"mkdir -p {Path(INTERFACE).parent}; touch {INTERFACE}; chmod 777 {INTERFACE}")
    system.out("sh", "-c", f"mkdir -m 777 -p /usr/{OURS}/app; touch /usr/{OURS}/app/old.py")

    install(system, checkout, "install", str(checkout))

    rows = changed(system)
    files = {name: row for name, row in rows.items() if row[0] != "d"}
    assert {re.sub(r"\.cpython-\d+\.pyc$", "", name) for name in files} == expected()
    assert {row for name, row in files.items() if name not in PROGRAMS} == {("f", "644", "0:0")}
    assert {files[name] for name in PROGRAMS} == {("f", "755", "0:0")}
    folders = {row for name, row in rows.items() if row[0] == "d" and name.startswith(OURS)}
    assert folders == {("d", "755", "0:0")}
    completed = system.run("/usr/local/bin/disktuner", "list", "--json")
    assert json.loads(completed.stdout)["disks"], completed.stderr
    summary = system.out("/usr/local/bin/disktuner-fleet", "summary", str(CHECKOUT / "docs/measured"), "--json")
    assert json.loads(summary)["groups"]
    assert (
        system.out("/usr/bin/python3", "-I", "-c", HELPER_STARTS.format(place=f"/usr/{OURS}/helper"))
        == f"{tunables_of('bfq')}\n"
    )


def test_what_is_there_stays_where_a_later_one_fails(system: ThrowAway) -> None:
    """Here because libraries are missing, and so is the network."""
    install(system, CHECKOUT, "install", str(CHECKOUT))
    before = changed(system)
    libraries = system.out("sh", "-c", "echo /usr/local/lib/python3.*/dist-packages").strip()
    system.out("mount", "-t", "tmpfs", "none", libraries)
    completed = system.run(CHECKOUT / "packaging/install", "install", str(CHECKOUT), env={"PIP_NO_INDEX": "1"})
    system.out("umount", libraries)
    assert completed.returncode != 0 and "No matching distribution" in completed.stderr
    assert changed(system) == before
    assert json.loads(system.out("/usr/local/bin/disktuner", "list", "--json"))["disks"]


def test_what_is_copied_of_a_checkout_is_the_same_whatever_was_done_in_it(tmp_path: Path) -> None:
    """Root's run left results and compiled files; somebody left a picture. None of them may be read."""
    used = copied(tmp_path / "used")
    clean = {path.relative_to(used) for path in used.rglob("*")}
    for name in ("results/a.json", "card.png", ".venv/bin/python", "app/disktuner/__pycache__/a.pyc"):
        (used / name).parent.mkdir(parents=True, exist_ok=True)
        (used / name).touch(0)
    (used / "results").chmod(0)
    copy = copied(tmp_path / "copy", used)
    (used / "results").chmod(0o700)
    assert {path.relative_to(copy) for path in copy.rglob("*")} == clean


@pytest.fixture
def chosen(known: Callable[[], LoopDisk], disktuner: Run) -> LoopDisk:
    """A disk with a persistent choice, and another one until the next restart."""
    disk = known()
    assert disktuner("set", disk.name, "bfq", "--persist").returncode == 0
    assert disktuner("set", disk.name, "kyber").returncode == 0
    return disk


def test_all_goes_but_what_was_chosen_for_good_only_when_asked(system: ThrowAway, chosen: LoopDisk) -> None:
    install(system, CHECKOUT, "install", str(CHECKOUT))
    assert differing(system)
    for options, stays in (((), True), (("--purge",), False)):
        install(system, CHECKOUT, "install", str(CHECKOUT))
        assert (chosen.scheduler == "kyber", STATE.exists()) == (stays, stays)

        completed = install(system, CHECKOUT, "uninstall", str(CHECKOUT), *options)

        assert chosen.scheduler == "none"
        assert differing(system) == {}
        assert not STATE.exists() and not RECORD.exists()
        assert bool(own_rules()) is stays
        assert (f"for good stays: {' '.join(map(str, own_rules()))}." in completed.stdout) is stays


def test_a_second_removal_may_purge_without_a_bus(system: ThrowAway, chosen: LoopDisk) -> None:
    install(system, CHECKOUT, "uninstall", str(CHECKOUT))
    assert own_rules() and chosen.scheduler == "none"
    system.out("mount", "-t", "tmpfs", "none", "/run/dbus")
    completed = install(system, CHECKOUT, "uninstall", str(CHECKOUT), "--purge")
    assert not own_rules() and "chosen for good" not in completed.stdout


def test_what_only_an_earlier_version_had_goes_with_it(system: ThrowAway, tmp_path: Path) -> None:
    """Here a manual page in another language; it completed nothing in zsh."""
    page, earlier = Path("resources/man/eo/disktuner.1"), copied(tmp_path / "earlier")
    (earlier / page).parent.mkdir()
    (earlier / page).write_text("")
    (earlier / "resources/completions/_disktuner").unlink()
    (earlier / "resources/completions/_disktuner-fleet").unlink()
    system.out("rm", "-rf", "/usr/local/share/zsh")
    absent = {Path("/usr/local/share/man/eo"), Path("/usr/local/share/zsh")}

    def left() -> set[Path]:
        return {path for path in absent if system.run("test", "-e", path).returncode == 0}

    install(system, earlier, "install", str(earlier))
    assert left() == {Path("/usr/local/share/man/eo")}
    install(system, CHECKOUT, "install", str(CHECKOUT))
    assert not system.out("find", "/usr/local/share/man/eo", "-type", "f")
    install(system, CHECKOUT, "uninstall", str(CHECKOUT))
    assert not left()


@pytest.mark.usefixtures("chosen")
def test_purging_debians_package_takes_only_our_own_rules_out(sudo: Sudo) -> None:
    (ours,) = own_rules()
    whole, folder = ours.read_text(), ours.parent
    sudo(CHECKOUT / "packaging/put-back")  # what a removal does first
    foreign = {
        "90-disktuner.rules": whole,
        "90-disktuner-.rules": "",
        "90-disktuner-mine.rules": 'KERNEL=="sdx", ATTR{queue/scheduler}="none"\n',
        "90-disktuner-below.rules": f"{whole}# mine\n",
        "90-disktuner-above.rules": f"# mine\n{whole}",
        "90-disktuner-cut.rules": whole[:-2],
        "90-disktuner-other.rules": whole.replace('"bfq"\n', '"kyber"\n'),
    }
    for name, text in foreign.items():
        sudo("tee", folder / name, stdin=text)
    sudo("ln", "-s", ours, folder / "90-disktuner-link.rules")
    sudo("mkfifo", folder / "90-disktuner-pipe.rules")
    sudo("sh", CHECKOUT / "packaging/debian/disktuner-helper.postrm", "purge")
    left = {file.name for file in folder.glob("*disktuner*")}
    assert left == {*foreign, "90-disktuner-link.rules", "90-disktuner-pipe.rules"} and not RECORD.exists()
    sudo("rm", *(folder / name for name in left))


def test_what_could_not_be_put_back_is_said_and_remembered(system: ThrowAway, sudo: Sudo) -> None:
    """Here without a bus, so that the helper cannot be asked."""
    sudo("mkdir", "-p", STATE)
    sudo("tee", STATE / "snapshots.json", stdin='{"sdz": {"scheduler": "none"}}')
    system.out("mount", "-t", "tmpfs", "none", "/run/dbus")
    completed = install(system, CHECKOUT, "uninstall", str(CHECKOUT))
    assert "restart the machine" in completed.stderr and "is removed" not in completed.stdout
    sudo("rm", STATE / "snapshots.json")  # which is there; a helper of another test may still use the folder
