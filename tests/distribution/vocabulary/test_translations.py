# SPDX-License-Identifier: GPL-3.0-or-later
"""Every language covers all current English, in all files, with the same placeholders, and nothing obsolete."""

from __future__ import annotations

import subprocess

from tests.catalogues.catalogue import TRANSLATED, file_of


def test_the_catalogues_are_well_formed() -> None:
    completed = subprocess.run(["i18nspector", *map(file_of, TRANSLATED)], capture_output=True, text=True, check=True)
    assert completed.stdout == ""
