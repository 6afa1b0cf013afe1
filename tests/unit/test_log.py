# SPDX-License-Identifier: GPL-3.0-or-later
"""The log: where it lies, what it holds, and that nothing depends on it."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest

from disktuner import __main__ as program
from disktuner.log import logging_on, path, unforeseen
from disktuner.vocabulary.messages import message, say, text, without_words

LOG = logging.getLogger("disktuner.somewhere")


def test_it_is_a_private_file_in_a_private_folder() -> None:
    with logging_on(debug=False):
        LOG.debug("a detail")
    assert "DEBUG disktuner.somewhere: a detail" in path().read_text()
    assert stat.S_IMODE(path().stat().st_mode) == 0o600
    assert stat.S_IMODE(path().parent.stat().st_mode) == 0o700


def test_it_stays_small() -> None:
    with logging_on(debug=False):
        for _ in range(2000):
            LOG.debug("x" * 1000)
    sizes = [each.stat().st_size for each in path().parent.iterdir()]
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
        said = unforeseen(ValueError("odd"))
    assert said == text("unforeseen-unlogged", what="ValueError: odd")
    assert not path().is_file() or path().read_text() == ""
    assert (target.is_dir() and not any(target.iterdir())) or target.read_text() == ""
    assert capsys.readouterr().err == ""


def test_a_full_disk_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_on(debug=False):
        LOG.debug("opened")
        (in_file,) = (each for each in logging.getLogger("disktuner").handlers if hasattr(each, "baseFilename"))
        with Path("/dev/full").open("wb") as full:
            os.dup2(full.fileno(), in_file.stream.fileno())  # type: ignore[attr-defined]
        LOG.debug("no room")
    assert capsys.readouterr().err == ""


def test_an_unforeseen_error_names_the_log_which_has_the_traceback(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disktuner.cli.measuring.run_workloads", lambda _: 1 // 0)
    assert program.main(["workloads"]) == 1
    what = "ZeroDivisionError: integer division or modulo by zero"
    assert capsys.readouterr().err == f"disktuner: {text('unforeseen', what=what, log=str(path()))}\n"
    assert "Traceback" in path().read_text() and "1 // 0" in path().read_text()
    assert caplog.records[-1].levelname == "ERROR"
