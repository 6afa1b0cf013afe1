#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
"""Chooses a disk's scheduler for good with Disktuner, or gives the disk back what it had."""

from __future__ import annotations

DOCUMENTATION = r"""
module: choice
short_description: Choose a disk's I/O scheduler for good with Disktuner
description:
  - Sets the scheduler of a disk, and its tunables, now and at every start, as C(disktuner set --persist) does.
  - Asks C(disktuner status) before and after, so that nothing is done where it holds already, and what does not hold
    afterwards fails.
  - Root needs no password for that; polkit and the system bus must be there.
author: The Disktuner authors (@disktuner)
options:
  disk:
    description: The kernel's name of the disk.
    type: str
    required: true
  setting:
    description: A scheduler, or one with tunables, such as C(bfq:slice_idle=0). Needed to choose.
    type: str
  before:
    description:
      - What RV(before) was when the disk was changed, or what M(disktuner.disktuner.disks_info) said of it before.
      - Needed to give it back.
    type: dict
  state:
    description: Choose the setting, or give the disk back what it had before.
    type: str
    choices: [chosen, given_back]
    default: chosen
attributes:
  check_mode:
    description: Tells in the difference what would change.
    support: full
  diff_mode:
    description: Shows what the disk has and what is chosen for it, before and after.
    support: full
"""

EXAMPLES = r"""
- name: Choose bfq for sda
  disktuner.disktuner.choice:
    disk: sda
    setting: bfq:slice_idle=0
  register: disktuner_change

- name: Give sda back what it had
  disktuner.disktuner.choice:
    disk: sda
    state: given_back
    before: "{{ disktuner_change.before }}"
"""

RETURN = r"""
before:
  description: What the disk had, and what was chosen for it, before this task.
  returned: always
  type: dict
  sample: {"actual": "mq-deadline", "chosen": null, "chosen_tunables": {}, "until_restart": null}
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.disktuner.disktuner.plugins.module_utils.command import parsed, run, status, texts, words

_KEPT = ("actual", "chosen", "chosen_tunables", "until_restart")


def main() -> None:
    """Answer the task."""
    module = AnsibleModule(
        argument_spec={
            "disk": {"type": "str", "required": True},
            "setting": {"type": "str"},
            "before": {"type": "dict"},
            "state": {"type": "str", "choices": ["chosen", "given_back"], "default": "chosen"},
        },
        required_if=[("state", "chosen", ("setting",)), ("state", "given_back", ("before",))],
        supports_check_mode=True,
    )
    disk = module.params["disk"]
    had = _standing(module, disk)
    if had["in_trial"]:
        module.fail_json(msg=f"{disk} is being measured now. Run the playbook again when that has ended.")
    before, found = module.params["before"], {key: had[key] for key in _KEPT}
    choosing = module.params["state"] == "chosen"
    wanted = _chosen(module.params["setting"]) if choosing else {key: before[key] for key in _KEPT}
    changed = not _is(found, wanted) or had["holds"] is False
    if changed and not module.check_mode:
        if choosing:
            _choose(module, disk, wanted)
        else:
            _give_back(module, disk, found, wanted)
        _require(module, disk, found, wanted)
    module.exit_json(changed=changed, before=found, diff={"before": _shown(disk, found), "after": _shown(disk, wanted)})


def _chosen(setting: str) -> dict[str, Any]:
    scheduler, tunables = parsed(setting)
    return {"actual": scheduler, "chosen": scheduler, "chosen_tunables": tunables, "until_restart": None}


def _standing(module: AnsibleModule, disk: str) -> dict[str, Any]:
    found = [each for each in status(module) if each["name"] == disk]
    if not found:
        module.fail_json(msg=f"There is no disk {disk} here whose scheduler could be set. See 'disktuner list' there.")
    return found[0]


def _is(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether two standings are the same; JSON of a record may hold numbers as texts."""
    return all(found[key] == wanted[key] for key in _KEPT if key != "chosen_tunables") and (
        texts(found["chosen_tunables"]) == texts(wanted["chosen_tunables"])
    )


def _choose(module: AnsibleModule, disk: str, wanted: dict[str, Any]) -> None:
    run(module, "set", disk, *words(wanted["chosen"], wanted["chosen_tunables"]), "--persist")


def _give_back(module: AnsibleModule, disk: str, found: dict[str, Any], before: dict[str, Any]) -> None:
    """First what held for good, then what held until the next restart, then what the disk simply had."""
    if before["chosen"]:
        _choose(module, disk, before)
    else:
        if found["chosen"]:
            run(module, "forget", disk)
        run(module, "revert", disk)
    now = _standing(module, disk)
    if before["until_restart"]:
        run(module, "set", disk, before["until_restart"])
    elif now["actual"] != before["actual"]:  # after a restart nobody remembers what was there before
        run(module, "set", disk, before["actual"])


def _require(module: AnsibleModule, disk: str, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    now = _standing(module, disk)
    if now["actual"] != wanted["actual"] or now["chosen"] != wanted["chosen"] or now["holds"] is False:
        said = f"{disk} has {now['actual']} instead of {wanted['actual']}: {now['verdict']}"
        module.fail_json(msg=said, changed=True, before=found)


def _shown(disk: str, standing: dict[str, Any]) -> dict[str, Any]:
    return {"disk": disk, **standing}


if __name__ == "__main__":
    main()
