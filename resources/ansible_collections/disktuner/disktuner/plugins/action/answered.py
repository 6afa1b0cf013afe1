# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
"""Runs each module of the collection, and hands on of a machine's answer what the module may say, and nothing else.

Ansible takes variables, statistics, warnings and more from any answer: a machine that lies would set what tasks on the
controller read. So an answer that sets variables is refused, and of the others only the named keys are kept.
"""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase
from ansible_collections.disktuner.disktuner.plugins.filter.rolling_out import answer

FOUND_PYTHON = "discovered_interpreter_python"
"""The one variable that Ansible itself adds to an answer: where it found Python on the machine."""


class ActionModule(ActionBase):
    """Ansible's way to it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer of a machine, or why it is refused."""
        super().run(tmp, task_vars)
        said = self._execute_module(task_vars=task_vars)
        facts = said.pop("ansible_facts", None) or {}
        host = (task_vars or {}).get("inventory_hostname", "The machine")
        if set(facts) - {FOUND_PYTHON}:
            return {"failed": True, "msg": f"{host} is left out: its answer sets variables of Ansible. Look at it."}
        kept = answer(self._task.action.rpartition(".")[2], said)
        if kept is None:
            return {"failed": True, "msg": f"{host} is left out: it says what no machine says. Look at it."}
        return kept | ({"ansible_facts": facts} if facts else {})
