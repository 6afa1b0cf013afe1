# SPDX-License-Identifier: GPL-3.0-or-later
"""A profile of TuneD that includes the active one and gives every disk of a model its scheduler.

A disk belongs to the first section of a profile that wants it (``assign_free_devices`` in tuned/plugins/base.py), and
sections are asked in the order of their ``priority``. So the section for the model has all options of the one that
wants every disk, but for what the choice sets, and comes before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from disktuner.block.sysfs import Tree
from disktuner.block.tuned import PROFILES, active_profiles, profile_options
from disktuner.report.engines.choice import Choice, NothingToRollOut

FILE = "tuned.conf"
_OF_CARDS = "# TuneD from before July 2025 leaves memory cards and eMMC alone (its issue 776).\n"
_OPTIONS = {"queue/read_ahead_kb": "readahead"}
_INSTEAD = {"elevator": ("elevator",), "readahead": ("readahead", "readahead_multiply")}
_CONDITIONS = ("devices", "devices_udev_regex", "cpuinfo_regex", "uname_regex")
_OF_SECTIONS = (*_CONDITIONS, "type", "enabled", "replace", "drop", "priority")  # not of disks
_INCLUDE = re.compile(r"^include[ \t]*=[ \t]*(.+)$", re.MULTILINE)


def profile_name(choice: Choice) -> str:
    """Return the profile's name, which is that of its folder."""
    return f"disktuner-{choice.slug}"


def parents(choice: Choice, tree: Tree) -> tuple[str, ...]:
    """Return the profiles that are active on this machine; instead of the choice's own those that it includes."""
    own = profile_name(choice)
    active = [_included(tree, each) if each == own else (each,) for each in active_profiles(tree)]
    return tuple(dict.fromkeys(name for names in active for name in names if name != own))


def profile(choice: Choice, tree: Tree) -> str:
    """Return the text of the profile. Raises ``NothingToRollOut`` for tunables that TuneD sets by no model."""
    wanted = _wanted(choice)
    above = parents(choice, tree)
    include = f"include={','.join(above)}\n" if above else ""
    name = profile_name(choice)
    activated = f"tuned-adm profile {name}" if above else f"tuned-adm profile ACTIVE {name} # ACTIVE: the one before"
    options = "".join(f"{key}={value}\n" for key, value in {**_place(choice, tree), **wanted}.items())
    return (
        f"# Written by Disktuner: {choice.setting.name} for every {choice.title}.\n"
        f"# To use it: {activated}\n"
        "# To take it back, activate the profile that was active before.\n"
        f"{_OF_CARDS if choice.is_card else ''}"
        f"[main]\nsummary={choice.setting.name} for every {choice.title}\n{include}\n[{name}]\n{options}"
    )


def _included(tree: Tree, name: str) -> Sequence[str]:
    """What the choice's own profile was made to include."""
    texts = (tree.text(f"{folder}/{name}/{FILE}") for folder in PROFILES)
    match = next((found for text in texts if text and (found := _INCLUDE.search(text))), None)
    return re.split(r"\s*[,;]\s*", match[1].strip()) if match else ()


def _wanted(choice: Choice) -> Mapping[str, str]:
    tunables = choice.setting.values
    others = tuple(name for name in tunables if name not in _OPTIONS)
    if others:
        raise NothingToRollOut("tunable-not-for-tuned", names=others, setting=choice.setting.name)
    return {"elevator": choice.setting.scheduler, **{_OPTIONS[name]: str(value) for name, value in tunables.items()}}


def _place(choice: Choice, tree: Tree) -> Mapping[str, str]:
    """What the section takes, before whom, and what it keeps of what the active profile sets for every disk."""
    name = profile_name(choice)
    sections: dict[str, dict[str, str]] = {}
    for option in profile_options(tree):
        sections.setdefault(option.section, {})[option.key] = option.value
    disks = [options for section, options in sections.items()
             if options.get("type", section) == "disk" and section != name]  # fmt: skip
    others = [int(priority) for each in disks if re.fullmatch(r"-?\d{1,9}", priority := each.get("priority", "0"))]
    head = {
        "type": "disk",
        "priority": str(min([0, *others]) - 1),
        "devices_udev_regex": f"^{choice.key}=({'|'.join(map(re.escape, choice.values))})$",
    }
    of_all = next((each for each in disks if not {"enabled", *_CONDITIONS} & each.keys()), {})
    left = {*_OF_SECTIONS, *(option for each in _wanted(choice) for option in _INSTEAD[each])}
    return {**head, **{key: value for key, value in of_all.items() if key not in left}}
