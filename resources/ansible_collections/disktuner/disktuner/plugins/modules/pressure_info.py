#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
"""How much of the time programs waited for disks."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pressure_info
short_description: Tell how much of the time programs wait for disks
description:
  - Reads the kernel's pressure stall information, of the machine or of one control group.
  - It changes nothing.
author: The Disktuner authors (@disktuner)
options:
  path:
    description: The file to read, such as C(/sys/fs/cgroup/system.slice/postgresql.service/io.pressure).
    type: path
    default: /proc/pressure/io
  seconds:
    description: How long to watch. With 0 it returns the kernel's average of the last minute.
    type: int
    default: 0
attributes:
  check_mode:
    description: It changes nothing, so it does the same in check mode.
    support: full
"""

EXAMPLES = r"""
- name: Watch for a minute
  disktuner.disktuner.pressure_info:
    seconds: 60
  register: disktuner_pressure
"""

RETURN = r"""
share:
  description: The share of the time, in percent, in which at least one program waited for a disk.
  returned: always
  type: float
  sample: 2.71
"""

import re
import time

from ansible.module_utils.basic import AnsibleModule

_SOME = re.compile(r"^some .*avg60=([0-9.]+) .*total=([0-9]+)$", re.MULTILINE)


def main() -> None:
    """Answer the task."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "default": "/proc/pressure/io"},
            "seconds": {"type": "int", "default": 0},
        },
        supports_check_mode=True,
    )
    share, before_us = _read(module)
    if module.params["seconds"] > 0:
        began_s = time.monotonic()
        time.sleep(module.params["seconds"])
        _, after_us = _read(module)
        share = (after_us - before_us) / (time.monotonic() - began_s) / 1e4
    module.exit_json(changed=False, share=round(share, 2))


def _read(module: AnsibleModule) -> tuple[float, int]:
    """The last minute's average in percent, and the microseconds of waiting in all (kernel: accounting/psi.rst)."""
    path = module.params["path"]
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123 - as Ansible's modules do
            match = _SOME.search(file.read())
    except OSError as error:
        module.fail_json(msg=f"{path} cannot be read ({error.strerror}). Start this kernel with psi=1, or set "
                             "disktuner_watch_seconds to 0 to roll out without watching.")  # fmt: skip
    if match is None:
        module.fail_json(msg=f"{path} has no pressure stall information. Name a file that has.")
    return float(match[1]), int(match[2])


if __name__ == "__main__":
    main()
