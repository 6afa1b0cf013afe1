# SPDX-License-Identifier: GPL-3.0-or-later
"""A line of the log says who asked for what, and what became of it, in harmless characters."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from disktuner_helper import audit


@pytest.mark.parametrize(("uid", "who"), [(-1, "unknown"), (0, "0"), (1000, "1000")])
def test_who_asked_is_named_by_number_root_too(uid: int, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(audit, "write", lambda text, _priority: lines.append(text))
    call: Any = SimpleNamespace(uid=uid, sender=":1.7\n", method="Set", disk='sda"', change="none to bfq ")
    audit.decision(call, "done")
    (line,) = lines
    assert line.startswith(f'uid="{who}" caller=":1.7') and line.endswith('change="none to bfq" outcome="done"')
    assert "\n" not in line and line.count('"') == 12
