# SPDX-License-Identifier: GPL-3.0-or-later
"""Which language is chosen, and that numbers, units and times follow its conventions."""

from __future__ import annotations

import pytest

from disktuner.__main__ import main


def test_a_command_speaks_the_language_of_its_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANGUAGE", "pl")
    with pytest.raises(SystemExit):
        main(["set", "--help"])
    polish = capsys.readouterr().out
    assert polish.startswith("użycie: disktuner set") and "pokazuje tę pomoc" in polish
    with pytest.raises(SystemExit):
        main(["set"])
    assert "DISK, SCHEDULER" in (output := capsys.readouterr().err) and "required" not in output
    monkeypatch.setenv("LC_ALL", "C")
    with pytest.raises(SystemExit):
        main(["set", "--help"])
    assert capsys.readouterr().out.startswith("usage: disktuner set")
