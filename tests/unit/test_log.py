# SPDX-License-Identifier: GPL-3.0-or-later
"""The log: where it is, what it holds, and that nothing depends on it."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest
from tests.waiting import HANG_S, until

from disktuner import __main__ as program
from disktuner import log
from disktuner.log import logging_on, path, unforeseen
from disktuner.vocabulary.messages import message, say, text, without_words

LOG = logging.getLogger("disktuner.somewhere")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer that stands still is not a disk that does not answer, as tests/end2end/test_silent_disk.py has it."""
    monkeypatch.setattr(log, "_PATIENCE_S", HANG_S)


def test_it_is_a_private_file_in_a_private_folder() -> None:
    with logging_on(debug=False):
        LOG.debug("a detail")
    assert "DEBUG disktuner.somewhere: a detail" in path().read_text()
    assert stat.S_IMODE(path().stat().st_mode) == 0o600
    assert stat.S_IMODE(path().parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("package", ["disktuner", "disktuner_fleet", "disktuner_watch"])
def test_it_holds_what_each_package_says(package: str) -> None:
    with logging_on(debug=False):
        logging.getLogger(f"{package}.somewhere").debug("a detail")
    assert f"DEBUG {package}.somewhere: a detail" in path().read_text()


def test_it_stays_small() -> None:
    with logging_on(debug=False):
        for _ in range(2000):
            LOG.debug("x" * 1000)
    sizes = [file.stat().st_size for file in path().parent.iterdir()]
    assert len(sizes) == 2
    assert max(sizes) <= 256 * 1024


def test_a_warning_is_always_seen(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with logging_on(debug=False):
        LOG.warning("Not put back: %s.", "sd\x1b[31ma")
    assert capsys.readouterr().err == "disktuner: Not put back: sd\\u001b[31ma.\n"
    assert "\x1b" not in path().read_text()
    assert len(caplog.records) == 1


def test_what_a_program_printed_is_for_the_screen_only(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    failed = message(
        "own-cleanup-failed", error=message("own-failed", command="make SECRET", status=2, output="SECRET")
    )
    with logging_on(debug=False):
        LOG.warning(say(failed), extra={"kept": without_words(failed)})
    assert "SECRET" in capsys.readouterr().err and len(caplog.records) == 1
    assert (
        "own-cleanup-failed (error own-failed (status 2))" in path().read_text() and "SECRET" not in path().read_text()
    )


def linked_file(folder: Path, target: Path) -> None:
    folder.mkdir(parents=True)
    path().symlink_to(target)


def linked_folder(folder: Path, target: Path) -> None:
    folder.parent.mkdir(parents=True)
    target.unlink()
    target.mkdir()
    folder.symlink_to(target)


def open_folder(folder: Path, target: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)


def pipe(folder: Path, target: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    os.mkfifo(path())


def no_folder(folder: Path, target: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("")


@pytest.mark.parametrize("broken", [linked_file, linked_folder, open_folder, no_folder, pipe])
@pytest.mark.usefixtures("caplog")
def test_what_is_not_private_is_not_written_to_and_nothing_else_changes(
    broken: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "target"
    target.write_text("")
    assert callable(broken)
    broken(path().parent, target)
    with logging_on(debug=False):
        sentence = unforeseen(ValueError("odd"))
    assert sentence == text("unforeseen-unlogged", what="ValueError: odd")
    assert not path().is_file() or path().read_text() == ""
    assert (target.is_dir() and not any(target.iterdir())) or target.read_text() == ""
    assert capsys.readouterr().err == ""


def handles_of_log() -> list[int]:
    """This process's handles of the log's file."""
    return [int(handle.name) for handle in Path("/proc/self/fd").iterdir() if os.path.realpath(handle) == str(path())]


def test_a_full_disk_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_on(debug=False):
        LOG.debug("opened")
        (handle,) = until(handles_of_log)
        with Path("/dev/full").open("wb") as full:
            os.dup2(full.fileno(), handle)
        LOG.debug("no room")
    assert capsys.readouterr().err == ""


def test_an_unforeseen_error_names_the_log_which_has_the_traceback(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disktuner.cli.results.run_history", lambda _: 1 // 0)
    assert program.main(["history"]) == 1
    words = "ZeroDivisionError: integer division or modulo by zero"
    assert capsys.readouterr().err == f"disktuner: {text('unforeseen', what=words, log=str(path()))}\n"
    assert "Traceback" in path().read_text() and "1 // 0" in path().read_text()
    assert caplog.records[-1].levelname == "ERROR"
