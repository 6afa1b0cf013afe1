# SPDX-License-Identifier: GPL-3.0-or-later
"""What `./dev install` puts into a machine that boots, with its own libraries."""

from __future__ import annotations

import pytest

from tests.end2end.test_install import FOR_OTHERS, OURS, PROGRAMS
from tests.machine.machine import Machine

_NEW = "cd /usr && find * -path 'lib/python3*' -prune -o -newercc /opt/checkout/dev ! -type d -print"
"""What was changed since the checkout was unpacked, but for what Python may have compiled of its own."""


def _walk(machine: Machine) -> None:
    """Check that only root may change what is there, nothing is setuid, and no link leads elsewhere."""
    new = set(machine.out(_NEW).splitlines())
    assert new >= PROGRAMS | FOR_OTHERS
    assert [name for name in new - PROGRAMS - FOR_OTHERS if not name.startswith(f"{OURS}/")] == []
    rows = machine.out(rf"cd /usr && find {OURS} {' '.join(PROGRAMS | FOR_OTHERS)} -printf '%y\t%m\t%U:%G\t%p\t%l\n'")
    for row in rows.splitlines():
        kind, mode, owners, name, target = f"{row}\t".split("\t")[:5]
        assert kind in "dfl" and owners == "0:0", row
        assert kind == "l" or not int(mode, 8) & 0o7022, row
        assert kind != "l" or "/" not in target or target.startswith(("/usr/bin/python3", "../")), row
        assert kind != "f" or name.startswith(f"{OURS}/venv/") or (mode == "755") is (name in PROGRAMS), row


@pytest.mark.smoke
def test_all_that_was_installed_is_roots_alone(debian13: Machine) -> None:
    _walk(debian13)


def test_libraries_of_its_own_are_roots_alone(debian12: Machine) -> None:
    _walk(debian12)
