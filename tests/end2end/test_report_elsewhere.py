# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported reports in other people's programs: Chromium without network, a printer's page, a spreadsheet."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from disktuner.report import export
from disktuner.report.machines import machines_page
from tests.unit.fleet.drawing import machine, summary, write
from tests.unit.verdict.making import LAUNCH, made

pytestmark = pytest.mark.machine
CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}c"


def program(name: str, package: str) -> str:
    found = shutil.which(name)
    assert found, f"This test needs {name}: install the distribution's package {package}."
    return found


def chromium(folder: Path, page: Path, *words: str) -> str:
    """Open a page without any network; returns what its console says."""
    command = [program("chromium", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-breakpad"]
    logged = [f"--user-data-dir={folder}/profile", "--enable-logging=stderr", *words, page.as_uri()]
    done = subprocess.run(
        ["sudo", "-n", "unshare", "--net", "--", *command, *logged],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    subprocess.run(["sudo", "-n", "rm", "-rf", f"{folder}/profile"], check=True)  # root's: pytest could not remove it
    return "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@pytest.mark.parametrize("suffix", [".html", ".svg"])
def test_a_browser_shows_it_without_network_and_complaint(tmp_path: Path, suffix: str) -> None:
    page = export(made({(LAUNCH, "bfq"): 0.2}), tmp_path / f"report{suffix}")
    assert chromium(tmp_path, page, f"--screenshot={tmp_path}/page.png") == ""
    assert (tmp_path / "page.png").stat().st_size > 20_000
    wrong = tmp_path / "wrong.html"
    wrong.write_text("<script>console.error('seen')</script>")
    assert "seen" in chromium(tmp_path, wrong, f"--screenshot={tmp_path}/wrong.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_on_many_machines_is_shown_in_both_themes(tmp_path: Path, scheme: str) -> None:
    write(tmp_path / "fleet", *map(machine, range(5)))
    page = tmp_path / "index.html"
    page.write_text(machines_page(summary(tmp_path / "fleet")))
    dark = ("--blink-settings=preferredColorScheme=0",) if scheme == "dark" else ()
    picture = tmp_path / "page.png"
    assert chromium(tmp_path, page, "--window-size=1400,900", *dark, f"--screenshot={picture}") == ""
    with Image.open(picture) as seen:
        corner = seen.convert("L").getpixel((5, 5))
        assert isinstance(corner, int) and (corner < 60) == (scheme == "dark")
        assert len(seen.convert("RGB").getcolors(2**20) or ()) > 50, "text and lines in colour"


def test_it_prints_on_whole_pages(tmp_path: Path) -> None:
    page = export(made({(LAUNCH, "bfq"): 0.2}), tmp_path / "report.html")
    chromium(tmp_path, page, f"--print-to-pdf={tmp_path}/report.pdf", "--no-pdf-header-footer")
    text = subprocess.run(
        [program("pdftotext", "poppler-utils"), "-layout", tmp_path / "report.pdf", "-"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "All comparisons" in text and "undecided" in text
    assert len(text.strip("\f").split("\f")) <= 3


def test_a_spreadsheet_takes_numbers_for_numbers(tmp_path: Path) -> None:
    table = export(made({}), tmp_path / "samples.csv")
    office = [program("soffice", "libreoffice-calc-nogui"), "--headless", "--convert-to", "xlsx", "--outdir"]
    subprocess.run([*office, tmp_path, table], check=True, capture_output=True, timeout=120)
    with zipfile.ZipFile(tmp_path / "samples.xlsx") as book:
        rows = ET.fromstring(book.read("xl/worksheets/sheet1.xml")).iter(CELL)
    types = {cell.get("r"): cell.get("t") for cell in rows}
    names = dict(zip("ABCDEFGHIJK", table.read_text().splitlines()[0].split(","), strict=True))
    numbers = {name for column, name in names.items() if types.get(f"{column}2") == "n"}
    assert numbers == {"round", "order", "value", "duration_s"}
