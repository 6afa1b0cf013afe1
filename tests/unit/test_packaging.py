# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs of the packages agree: the list of files, the changelog, the digests that reviewers rely on."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from disktuner import __version__
from disktuner.vocabulary.workloads import WORKLOADS

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGING = CHECKOUT / "packaging"
ROWS = [line.split() for line in (PACKAGING / "files").read_text().splitlines() if not line.startswith("#")]
OWN_FOLDERS = ("resources/languages/", "resources/icons/", "resources/ansible_collections/")
"""The program reads these from folders of its own; the window's icon is for the desktop, too."""
MADE = ("resources/completions/", "resources/man/")
"""By ./dev pages."""
UNLISTED = {"resources/dbus-1/org.disktuner.Helper1.xml"}
"""A link to the helper's own."""
DIGESTS = re.findall(r"^\| ([0-9a-f]{64}) \| (\S+) \|$", (PACKAGING / "REVIEW.md").read_text(), re.MULTILINE)


def out(*words: str | Path) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def test_every_file_for_others_is_installed() -> None:
    listed = {str(path.relative_to(CHECKOUT)) for _, _, source, _ in ROWS for path in CHECKOUT.glob(source)}
    names = {str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "resources").rglob("*") if path.is_file()}
    assert {name for name in names - listed if not name.startswith(OWN_FOLDERS)} <= UNLISTED
    assert all(list(CHECKOUT.glob(source)) for _, _, source, _ in ROWS if not source.startswith(MADE))
    assert all(part in ("helper", "app", "fleet") and mode in ("644", "755") for part, mode, _, _ in ROWS)


def test_no_package_is_laid_out_without_each_manual_page_and_completion(tmp_path: Path) -> None:
    (tmp_path / "packaging").mkdir()
    place, _ = (shutil.copy(PACKAGING / name, tmp_path / "packaging") for name in ("place", "files"))
    made = [tmp_path / source.replace("*", "de") for _, _, source, _ in ROWS if source.startswith(MADE)]
    for path in made:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    subprocess.run([place, "--ready"], check=True)
    for path in made:
        path.unlink()
        for words in (["--ready"], ["app", tmp_path, "/usr"], ["fleet", tmp_path, "/usr"]):
            completed = subprocess.run([place, *words], capture_output=True, text=True, check=False)
            assert completed.returncode == 1 and "./dev pages" in completed.stderr, path
        path.touch()
    assert {path.name for path in tmp_path.iterdir()} == {"packaging", "resources"}


def test_below_usr_the_files_are_those_of_the_checkout_and_elsewhere_they_name_their_own_place(tmp_path: Path) -> None:
    for prefix in ("/usr", "/usr/local"):
        subprocess.run([PACKAGING / "place", "helper", tmp_path, prefix], check=True)
    differing = set()
    for _, _, source, target in (row for row in ROWS if row[0] == "helper"):
        original = (CHECKOUT / source).read_text()
        if not target.startswith("/"):
            assert (tmp_path / "usr" / target).read_text() == original
            changed = re.sub(r"/usr/(lib|libexec)/disktuner", r"/usr/local/\1/disktuner", original)
            assert (tmp_path / "usr/local" / target).read_text() == changed
            differing |= {source} if changed != original else set()
    assert len(differing) == 3, "as packaging/REVIEW.md says"


def test_the_changelog_of_packages_is_the_projects() -> None:
    debian = out(PACKAGING / "changelog", "debian", "trixie", "0deb13", "Somebody <somebody@example.org>")
    assert debian.startswith(f"disktuner ({__version__}-0deb13) trixie; urgency=medium\n\n  * ")
    assert max(map(len, debian.splitlines())) <= 80
    entries = re.findall(r"^- ", (CHECKOUT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert debian.count("\n  * ") == len(entries)
    assert re.search(rf"^\* .* Somebody <somebody@example.org> - {__version__}-1$", rpm(), re.MULTILINE)
    assert out(PACKAGING / "changelog", "version") == f"{__version__}\n"


def rpm() -> str:
    return out(PACKAGING / "changelog", "rpm", "Somebody <somebody@example.org>")


def test_the_version_has_one_place() -> None:
    assert tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"] == __version__
    assert (
        (CHECKOUT / "CHANGELOG.md")
        .read_text()
        .partition("\n## ")[2]
        .startswith((f"{__version__} ", f"[{__version__}]"))
    )


@pytest.mark.parametrize(("digest", "name"), DIGESTS, ids=[Path(name).name for _, name in DIGESTS])
def test_what_reviewers_know_by_its_digest_has_it(digest: str, name: str) -> None:
    checksum = hashlib.sha256((CHECKOUT / name).read_bytes()).hexdigest()
    assert checksum == digest, "distributions know this file by it: announce it in CHANGELOG.md and packaging/REVIEW.md"


def test_reviewers_know_all_files_of_the_helper_that_others_read() -> None:
    assert {source for part, _, source, _ in ROWS if part == "helper"} == {name for _, name in DIGESTS}


def test_what_debians_test_compares_is_there() -> None:
    called = (PACKAGING / "debian/tests/compare").read_text()
    (listed,) = re.findall(r"--workloads (\S+)", called)
    assert set(listed.split(",")) <= set(WORKLOADS)
