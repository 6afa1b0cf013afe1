#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
"""What Disktuner says of a machine's disks."""

from __future__ import annotations

DOCUMENTATION = r"""
module: disks_info
short_description: Tell what Disktuner knows of a machine's disks
description:
  - Returns the disks whose scheduler can be set, what was chosen for them with Disktuner, and whether that holds.
  - It changes nothing.
author: The Disktuner authors (@disktuner)
options: {}
attributes:
  check_mode:
    description: It changes nothing, so it does the same in check mode.
    support: full
"""

EXAMPLES = r"""
- name: Look at the disks
  disktuner.disktuner.disks_info:
  register: disktuner_seen
"""

RETURN = r"""
kernel:
  description: The release of the running kernel.
  returned: always
  type: str
  sample: 6.12.48+deb13-amd64
disks:
  description: >-
    The disks whose scheduler can be set. Each has name, model, vendor, serial and wwn; in "folder" where the writable
    file system with most room is mounted from it, or null; and as "disktuner status" has them, actual, chosen,
    chosen_tunables, until_restart, in_trial and holds.
  returned: always
  type: list
  elements: dict
"""

import json
import platform
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.disktuner.disktuner.plugins.module_utils.command import run, status

_WHO = ("name", "model", "vendor", "serial", "wwn")
_HOW = ("actual", "chosen", "chosen_tunables", "until_restart", "in_trial", "holds")


def main() -> None:
    """Answer the task."""
    module = AnsibleModule(argument_spec={}, supports_check_mode=True)
    standing = {each["name"]: each for each in status(module)}
    disks = [
        {**{key: disk[key] for key in _WHO}, "folder": _folder(disk["mounts"]),
         **{key: standing[disk["name"]][key] for key in _HOW}}
        for disk in json.loads(run(module, "list", "--json"))["disks"]
        if disk["tunable"] and disk["name"] in standing
    ]  # fmt: skip
    module.exit_json(changed=False, kernel=platform.release(), disks=disks)


def _folder(mounts: list[dict[str, Any]]) -> str | None:
    writable = [mount for mount in mounts if "ro" not in mount["options"]]
    return max(writable, key=lambda mount: mount["free_bytes"])["path"] if writable else None


if __name__ == "__main__":
    main()
