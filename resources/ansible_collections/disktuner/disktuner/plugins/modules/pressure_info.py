#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
"""How much of the time programs waited for disks."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pressure_info
short_description: Tell how much of the time programs wait for disks
description:
  - Watches what programs wait for as far as the disks confirm it, as C(disktuner monitor --json) tells it.
  - The kernel's figure alone is not believed. Since Linux 6.5 a program that sleeps in io_uring counts as waiting.
  - It changes nothing.
author: The Disktuner authors (@disktuner)
options:
  disks:
    description: The kernel's names of the disks.
    type: list
    elements: str
    required: true
  seconds:
    description: How long to watch.
    type: int
    default: 60
attributes:
  check_mode:
    description: It changes nothing, so it does the same in check mode.
    support: full
"""

EXAMPLES = r"""
- name: Watch for a minute
  disktuner.disktuner.pressure_info:
    disks: [sda, sdb]
  register: disktuner_pressure
"""

RETURN = r"""
share:
  description: The share of the time, in percent, in which at least one program waited for one of the disks.
  returned: always
  type: float
  sample: 2.71
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.disktuner.disktuner.plugins.module_utils.command import run, waiting_share

_LOOKS_PER_S = 5
"""As often as Disktuner looks while it doubts the kernel's figure."""


def main() -> None:
    """Answer the task."""
    module = AnsibleModule(
        argument_spec={
            "disks": {"type": "list", "elements": "str", "required": True},
            "seconds": {"type": "int", "default": 60},
        },
        supports_check_mode=True,
    )
    interval_s, looks = 1 / _LOOKS_PER_S, max(module.params["seconds"] * _LOOKS_PER_S, 1)
    words = ["--interval", str(interval_s), "--count", str(looks), "--json"]
    share = waiting_share(run(module, "monitor", *module.params["disks"], *words))
    if share is None:
        module.fail_json(msg="This kernel does not count what programs wait for. Start it with psi=1, or set "
                             "disktuner_watch_seconds to 0 to roll out without watching.")  # fmt: skip
    module.exit_json(changed=False, share=round(100 * share, 2))


if __name__ == "__main__":
    main()
