# SPDX-License-Identifier: GPL-3.0-or-later
"""Two real users of one machine: neither reads the other's files."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from disktuner.folders import state_folder
from disktuner.results.definition import Definition
from disktuner.results.mark import marked
from disktuner.results.store import Store
from tests.conftest import Sudo
from tests.end2end.conftest import Run
from tests.unit.verdict.making import made

OTHER = "dt-other"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which both may write, with the user's own folders that others may enter as far as permitted."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    mask = os.umask(0o022)
    for name in ("data", "state"):
        (folder / name).mkdir()
    yield folder
    os.umask(mask)
    shutil.rmtree(folder)


def test_a_neighbour_reads_neither_results_nor_key_nor_log(place: Path, disktuner: Run, sudo: Sudo) -> None:
    marked(Definition("true"))
    store = Store()
    (place / "data/disktuner").mkdir(mode=0o755)  # as an earlier version made it
    store.save(made({}))
    exported = place / "out.json"
    assert disktuner("export", store.path_of("made"), "--to", exported, "--personal").returncode == 0
    assert disktuner("verdict", "nothing").returncode == 2, "which is logged"
    for secret in (store.path_of("made"), exported, state_folder() / "key", store.folder, state_folder()):
        assert secret.exists()
        with pytest.raises(AssertionError, match="Permission denied"):
            sudo("ls" if secret.is_dir() else "cat", secret, user=OTHER)
    assert json.loads(exported.read_text())["disk"]["serial"] == "WD-SECRET99"
