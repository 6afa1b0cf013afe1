# SPDX-License-Identifier: GPL-3.0-or-later
"""The page on many machines is self-contained and names nobody; defaults hold clear verdicts in harmless characters."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.unit.fleet.drawing import machine, summary, write

from disktuner_fleet.defaults import HWDB, RULES, defaults
from disktuner_fleet.page import machines_page
from disktuner_fleet.presented import present_group


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.shown: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src") or name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Three models: one with a clear verdict, one with an odd machine, and one with a hostile name."""
    folder = tmp_path / "fleet"
    write(folder, *(machine(number) for number in range(5)), prefix="web.secret.example-")
    odd = [machine(10 + number, model="ST4000DM004-2CV104", gain=0.4 if number == 0 else 2.0) for number in range(6)]
    write(folder / "b", *odd, prefix="mail-")
    write(folder / "c", *(machine(20 + number, model='A"&<script>x()</script>') for number in range(4)))
    (folder / "cut.json").write_text("{")
    write(folder / "d", machine(1), prefix="again-")
    return folder


def test_the_page_needs_nothing_and_runs_nothing(fleet: Path) -> None:
    page = machines_page(summary(fleet))
    shown_page = Page(page)
    assert "default-src 'none'" in page and {"script", "img", "link"} - {"link"} & set(shown_page.tags) == set()
    assert all(link == "data:," or re.fullmatch(r"#g\d+", link) for link in shown_page.links)
    assert 'A"&<script>x()</script>' in shown_page.shown and shown_page.tags.count("figure") == 3
    for group in summary(fleet).groups:
        shown = present_group(group)
        assert all(sentence in shown_page.shown for sentence in (shown.model, shown.answer, *shown.why, *shown.remarks))
        assert all(row.interval in shown_page.shown for _, row in shown.rows if row.interval)


def test_the_page_names_files_only_where_that_is_wanted(fleet: Path) -> None:
    page, personal = machines_page(summary(fleet)), machines_page(summary(fleet), personal=True)
    assert not re.search(r"secret|mail-|again-|cut\.json", page, re.IGNORECASE)
    assert "SECRET" not in personal
    assert all(
        name in personal for name in ("web.secret.example-0.json", "b/mail-0.json", "cut.json", "d/again-0.json")
    )


def test_defaults_hold_what_is_clear(fleet: Path) -> None:
    write(fleet / "e", *(machine(30 + number, kernel="6.1.0-28-amd64") for number in range(5)))
    chosen = defaults(summary(fleet).groups)
    assert chosen.files is not None
    hwdb = chosen.files[HWDB].splitlines()
    clear = hwdb[hwdb.index("disktuner:WDC_WD10EZEX-08WN4A0") :]
    assert clear[:4] == [
        "disktuner:WDC_WD10EZEX-08WN4A0", "disktuner:WDC WD10EZEX-08WN4A0",
        " DISKTUNER_SCHEDULER_6_1=bfq", " DISKTUNER_SCHEDULER_6_12=bfq",
    ]  # fmt: skip
    matches = [line for line in hwdb if line.startswith("disktuner:")]
    assert len(matches) == 4 and not any("ST4000" in line for line in matches), "one of six disagrees"
    assert all(re.fullmatch(r"[A-Za-z0-9+.:=@_/ ,-]+", line) for line in matches)
    rules = chosen.files[RULES]
    assert rules.count("SYSCTL{kernel.osrelease}") == 2 and "script" not in rules


def test_no_model_writes_a_line_of_its_own(tmp_path: Path) -> None:
    for number, model in enumerate(('X" OPTIONS+="y', "A*?[b]", "Ünicode 1", "X_Y", "X Y", "a: B=c", "A #1")):
        write(
            tmp_path / str(number), *(machine(number * 10 + number_of_one, model=model) for number_of_one in range(4))
        )
    chosen = defaults(summary(tmp_path).groups)
    assert chosen.files is not None and [note.id for note in chosen.left_out] == ["defaults-odd-model"] * 3
    properties = [line for line in chosen.files[HWDB].splitlines() if line.startswith(" ")]
    assert properties == [" DISKTUNER_SCHEDULER_6_12=bfq"] * 4
    assert all(line[:1] in ("#", "", " ") or line.startswith("disktuner:") for line in chosen.files[HWDB].splitlines())
    assert not re.search(r'[*?\[\]"\\#]', "".join(line for line in chosen.files[HWDB].splitlines() if line[:1] != "#"))
