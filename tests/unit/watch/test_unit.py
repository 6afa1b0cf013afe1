# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder's service is queried and switched through systemctl."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner_watch import unit

SYSTEMCTL = """#!/bin/sh
echo "$*" >>{said}
case "$2" in
show) echo {state} ;;
*) echo "{error}" >&2; test -z "{error}" ;;
esac
"""


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that records systemctl's arguments; the program itself is missing at first."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path / "said"


def install(log: Path, monkeypatch: pytest.MonkeyPatch, state: str = "loaded", error: str = "") -> None:
    program = log.parent / "systemctl"
    program.write_text(SYSTEMCTL.format(said=log, state=state, error=error))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{log.parent}:/bin:/usr/bin")


def test_without_systemd_there_is_none(systemctl: Path) -> None:
    assert not unit.is_there()


@pytest.mark.parametrize(("state", "expected"), [("loaded", True), ("not-found", False), ("masked", False)])
def test_it_is_there_where_systemd_loaded_it(
    state: str, expected: bool, systemctl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(systemctl, monkeypatch, state)
    assert unit.is_there() == expected


def test_it_is_switched_for_now_and_for_every_login(systemctl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(systemctl, monkeypatch)
    unit.switch(True)
    unit.switch(False)
    assert systemctl.read_text().splitlines() == [
        "--user enable --now disktuner-watch.service",
        "--user disable --now disktuner-watch.service",
    ]


def test_what_systemd_says_against_it_is_passed_on(systemctl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(systemctl, monkeypatch, error="Unit is masked.")
    with pytest.raises(MeasurementImpossible, match="Unit is masked"):
        unit.switch(True)
