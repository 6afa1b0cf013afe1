# SPDX-License-Identifier: GPL-3.0-or-later
"""A TuneD profile that includes the active one and gives every disk of a model its scheduler.

A disk goes to the first section of a profile that claims it (``assign_free_devices`` in tuned/plugins/base.py), in the
order of their ``priority``. So the model's section comes before the one that claims every disk, and has all its options
except those that the choice sets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from disktuner.block.sysfs import Tree
from disktuner.block.tuned import PROFILES, active_profile, active_profiles
from disktuner.report.roll_out import NothingToRollOut, RollOut

FILE = "tuned.conf"
_OF_CARDS = "# TuneD from before July 2025 leaves memory cards and eMMC alone (its issue 776).\n"
_OPTIONS = {"queue/read_ahead_kb": "readahead"}
_INSTEAD = {"elevator": ("elevator",), "readahead": ("readahead", "readahead_multiply")}
_CONDITIONS = ("devices", "devices_udev_regex", "cpuinfo_regex", "uname_regex")
_OF_SECTIONS = (*_CONDITIONS, "type", "enabled", "replace", "drop", "priority")  # not of disks
_INCLUDE = re.compile(r"^include[ \t]*=[ \t]*(.+)$", re.MULTILINE)


def profile_name(roll_out: RollOut) -> str:
    """Return the name of the profile and its folder."""
    return f"disktuner-{roll_out.slug}"


def parents(roll_out: RollOut, tree: Tree) -> tuple[str, ...]:
    """Return the profiles active on this machine; the choice's own profile is replaced by those that it includes."""
    own_profile = profile_name(roll_out)
    active = [_parents_of(tree, profile) if profile == own_profile else (profile,) for profile in active_profiles(tree)]
    return tuple(dict.fromkeys(name for names in active for name in names if name != own_profile))


def profile(roll_out: RollOut, tree: Tree) -> str:
    """Return the text of the profile. Raises ``NothingToRollOut`` for tunables that TuneD cannot set by model."""
    wanted = _wanted_tunables(roll_out)
    above = parents(roll_out, tree)
    include = f"include={','.join(above)}\n" if above else ""
    name = profile_name(roll_out)
    activated = f"tuned-adm profile {name}" if above else f"tuned-adm profile ACTIVE {name} # ACTIVE: the one before"
    options = "".join(f"{key}={value}\n" for key, value in {**_place(roll_out, tree), **wanted}.items())
    return (
        f"# Written by Disktuner: {roll_out.setting.name} for every {roll_out.title}.\n"
        f"# To use it: {activated}\n"
        "# To take it back, activate the profile that was active before.\n"
        f"{_OF_CARDS if roll_out.is_card else ''}"
        f"[main]\nsummary={roll_out.setting.name} for every {roll_out.title}\n{include}\n[{name}]\n{options}"
    )


def _parents_of(tree: Tree, name: str) -> Sequence[str]:
    """Return the profiles that an existing profile includes."""
    texts = (tree.text(f"{folder}/{name}/{FILE}") for folder in PROFILES)
    match = next((include for text in texts if text and (include := _INCLUDE.search(text))), None)
    return re.split(r"\s*[,;]\s*", match[1].strip()) if match else ()


def _wanted_tunables(roll_out: RollOut) -> Mapping[str, str]:
    tunables = roll_out.setting.values
    others = tuple(name for name in tunables if name not in _OPTIONS)
    if others:
        raise NothingToRollOut("tunable-not-for-tuned", names=others, setting=roll_out.setting.name)
    return {"elevator": roll_out.setting.scheduler, **{_OPTIONS[name]: str(value) for name, value in tunables.items()}}


def _place(roll_out: RollOut, tree: Tree) -> Mapping[str, str]:
    """Return the section's disks and priority, and the options that it keeps of the section for every disk."""
    name = profile_name(roll_out)
    sections: dict[str, dict[str, str]] = {}
    for option in active_profile(tree).options:
        sections.setdefault(option.section, {})[option.key] = option.value
    disks = [options for section, options in sections.items()
             if options.get("type", section) == "disk" and section != name]  # fmt: skip
    others = [
        int(priority) for section in disks if re.fullmatch(r"-?\d{1,9}", priority := section.get("priority", "0"))
    ]
    head = {
        "type": "disk",
        "priority": str(min([0, *others]) - 1),
        "devices_udev_regex": f"^{roll_out.key}=({'|'.join(map(re.escape, roll_out.values))})$",
    }
    of_all = next((section for section in disks if not {"enabled", *_CONDITIONS} & section.keys()), {})
    left = {*_OF_SECTIONS, *(option for tunable in _wanted_tunables(roll_out) for option in _INSTEAD[tunable])}
    return {**head, **{key: value for key, value in of_all.items() if key not in left}}
