# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of programs: desktop entries as specified, and commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.vocabulary.errors import NoSuchThing
from disktuner.workloads.programs import Program, find_program, installed_programs

ENTRY = "[Desktop Entry]\nType=Application\nName=Lots\nName[de]=Viel\nExec=env A=%%b cat --new %U\n"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_DATA_DIRS": f"{tmp_path}/system:relative", "PATH": "/usr/bin:/bin"}


def _entry(folder: Path, name: str, text: str = ENTRY) -> None:
    path = folder / "applications" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_an_entry_is_found_by_its_id(tmp_path: Path, environment: dict[str, str]) -> None:
    _entry(tmp_path / "system", "org.example.Lots.desktop")
    _entry(tmp_path / "system", "kde4/few.desktop", ENTRY + "Terminal=true\n")
    expected = Program("Lots", ("env", "A=%b", "cat", "--new"), stays=True)
    assert find_program("org.example.Lots", environment) == expected
    assert find_program("org.example.Lots.desktop", environment) == expected
    assert not find_program("kde4-few", environment).stays


def test_the_users_own_entry_goes_first(tmp_path: Path, environment: dict[str, str]) -> None:
    _entry(tmp_path / "system", "a.desktop")
    _entry(tmp_path / ".local/share", "a.desktop", ENTRY.replace("Lots", "Mine"))
    assert find_program("a", environment).title == "Mine"
    assert [program.title for _, program in installed_programs(environment)] == ["Mine"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\xff",
        ENTRY + "NoDisplay=true\n",
        ENTRY.replace("Application", "Link"),
        ENTRY.replace("env", "disktuner-none"),
        "[Desktop Entry]\nType=Application\nName=x\nExec='open\n",
        "[Desktop Entry]\nType=Application\nName=x\n",
    ],
)
def test_what_no_menu_shows_is_none(tmp_path: Path, environment: dict[str, str], text: str) -> None:
    _entry(tmp_path / "system", "odd.desktop", text)
    assert installed_programs(environment) == ()
    with pytest.raises(NoSuchThing, match="no application or command “odd”"):
        find_program("odd", environment)


def test_a_command_is_itself(environment: dict[str, str]) -> None:
    assert find_program("cat 'a b'", environment) == Program("cat 'a b'", ("cat", "a b"))
    assert find_program("/usr/bin/env", environment).command == ("/usr/bin/env",)
    with pytest.raises(NoSuchThing, match="quotation marks"):
        find_program("cat 'a", environment)
    with pytest.raises(NoSuchThing):
        find_program("", environment)
