# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner watch`` lists and shows incidents, and says whether more will be recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.watch.test_command import Output

from disktuner.cli.main import main


def test_one_is_shown_whole_with_its_picture(kept: list[str], tmp_path: Path, capsys: Output) -> None:
    picture = tmp_path / "freeze.png"
    assert main(["watch", kept[1], "--image", str(picture)]) == 0
    output = capsys.readouterr().out
    assert "Your programs froze for" in output and "The disk of / (vda) was idle." in output
    assert output.endswith("Find out what helps: disktuner compare sdb --felt /\n")
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["nothing"], 4), (["--image", "x.png"], 4), (["--now"], 5), (["--image", "x.jpg"], 2)]
)
def test_what_cannot_be_shown_is_told(arguments: list[str], code: int, capsys: Output) -> None:
    assert main(["watch", *arguments]) == code
    assert capsys.readouterr().err.startswith("disktuner: ")
