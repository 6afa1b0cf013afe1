#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
"""Measures as a user who may do nothing else, and leaves nothing of it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: comparison
short_description: Compare the schedulers of the disk below a folder as a user of its own
description:
  - Makes a user and lets it begin trials, compares as that user, and returns the result file's content.
  - The user makes its files itself; root neither follows a link nor gives anything away.
  - The right ends by itself. User, right and folders go when it has ended, and what a run that was broken off left goes
    at the next start. A user of that name that was there before stays.
author: The Disktuner authors (@disktuner)
options:
  folder:
    description: The folder on the disk, which is its mount point or below it.
    type: path
    required: true
  arguments:
    description: Further arguments of C(disktuner compare).
    type: list
    elements: str
    default: []
  user:
    description: The user that measures.
    type: str
    default: disktuner-measure
attributes:
  check_mode:
    description: It is skipped in check mode.
    support: none
"""

EXAMPLES = r"""
- name: Measure
  disktuner.disktuner.comparison:
    folder: /srv
    arguments: [--goal, server, --budget, quick]
  register: disktuner_comparison
"""

RETURN = r"""
result:
  description: The content of the result file.
  returned: success
  type: str
"""

import errno
import fcntl
import os
import pwd
import re
import secrets
import signal
import stat
import time
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.disktuner.disktuner.plugins.module_utils.command import program

LOCK = "/run/disktuner-measure.lock"
MARK = "Disktuner measures as this user"
NAMED = "// Made while Disktuner measures; it ends by itself."
RULES = ("/run/polkit-1/rules.d/49-disktuner-measure.rules", "/etc/polkit-1/rules.d/49-disktuner-measure.rules")
"""Of the first nothing stays at the next start of the computer, but polkit before 125 does not read it."""
RULE = """%s
polkit.addRule(function(action, subject) {
    if (action.id == "org.disktuner.trial" && subject.user == "%s" && Date.now() < %d) {
        return polkit.Result.YES;
    }
});
"""
ENDS_S, HEARD_S, ENDING_S, LOOK_S = 6 * 3600, 10.0, 30.0, 0.2
"""For how long the right lasts at most; how long polkit may take to hear of a rule, and programs to end; the pause."""
OURS = re.compile(r"disktuner\.[0-9a-f]{16}")
MEASURE = """
disktuner=$1
folder=$2
shift 2
umask 077
here=$(mktemp -d /tmp/disktuner.XXXXXXXXXXXX)
trap 'rm -rf "$here"' EXIT
cd "$here"
export XDG_DATA_HOME="$here/data" XDG_STATE_HOME="$here/state"
"$disktuner" compare "$folder" "$@" --out "$here/result.json" >&2
cat "$here/result.json"
"""
TIDY = "find /tmp -maxdepth 1 -user \"$(id -u)\" -name 'disktuner.*' -exec rm -rf {} +"
EMPTY = 'find "$1" -xdev -mindepth 1 -delete'


class Refused(Exception):
    """Why nothing can be measured, as a sentence."""


class User:
    """The user that measures, for as long as this is a context; at the beginning of it, what was left goes."""

    def __init__(self, module: AnsibleModule, name: str) -> None:
        self._module, self._name = module, name
        self._made = False

    def __enter__(self) -> User:
        _take_rules_away()
        try:
            self._made = pwd.getpwnam(self._name).pw_gecos == MARK
        except KeyError:
            shell = ["--shell", "/usr/sbin/nologin", "--comment", MARK]
            self._module.run_command(["useradd", "--system", "--no-create-home", *shell, self._name], check_rc=True)
            self._made = True
        self.script(TIDY)
        return self

    def __exit__(self, *_: object) -> None:
        _take_rules_away()
        if self._made:
            self._end_all()
        self.script(TIDY)
        if self._made:
            self._module.run_command(["userdel", self._name])

    def _end_all(self) -> None:
        """End what still runs as the user, where we are told to stop; a comparison gives the disk back first."""
        number = pwd.getpwnam(self._name).pw_uid
        for each in ("TERM", "KILL"):
            self.script(f"kill -{each} -1 2>/dev/null || true")
            end = time.monotonic() + ENDING_S
            while _is_at_work(number) and time.monotonic() < end:
                time.sleep(LOOK_S)

    @property
    def group(self) -> int:
        """The number of its own group."""
        return pwd.getpwnam(self._name).pw_gid

    def script(self, script: str, *words: str) -> tuple[int, str, str]:
        """Run a shell script as the user: exit status, output, messages."""
        command = ["runuser", "-u", self._name, "--", "/bin/sh", "-euc", script, "sh", *words]
        return self._module.run_command(command, cwd="/", environ_update={"LC_ALL": "C.UTF-8", "HOME": "/nonexistent"})

    def may_write(self, folder: str) -> bool:
        """Whether it may make files in a folder."""
        return self.script('test -w "$1"', folder)[0] == 0

    def allow(self) -> None:
        """Let it begin trials, until ``ENDS_S`` are over. Raises ``Refused`` where polkit does not heed that."""
        for path in RULES:
            _write_rule(path, self._name)
            end = time.monotonic() + HEARD_S
            while time.monotonic() < end:
                if self.script("pkcheck --action-id org.disktuner.trial --process $$")[0] == 0:
                    return
                time.sleep(LOOK_S)
            _take_rules_away()
        raise Refused("polkit does not let the user begin trials. Look at its log on this machine.")


class Place:
    """A folder in which the user may make its own: the named one, or one that root makes in it for the user's group.

    Root's is made only where nobody else can exchange anything, by a handle that no link led to, with mode and group as
    it is to have them: nothing is given away afterwards. Raises ``Refused``.
    """

    def __init__(self, user: User, folder: str) -> None:
        self._user, self._folder = user, folder
        self._handle = -1
        self._name = ""

    def __enter__(self) -> str:
        if self._user.may_write(self._folder):
            return self._folder
        self._handle = opened(self._folder)
        found = os.fstat(self._handle)
        if found.st_uid or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise Refused(
                f"{self._folder} is not root's alone, and not the user's. Have a folder there that it may use."
            )
        for name in filter(OURS.fullmatch, os.listdir(self._handle)):  # noqa: PTH208 - by the handle
            self._remove(name)
        self._name = f"disktuner.{secrets.token_hex(8)}"
        mask, group = os.umask(0o007), os.getegid()
        os.setegid(self._user.group)
        try:
            os.mkdir(self._name, 0o1770, dir_fd=self._handle)
        except OSError as error:
            raise Refused(f"No folder can be made in {self._folder} ({error.strerror}).") from error
        finally:
            os.setegid(group)
            os.umask(mask)
        return f"{self._folder}/{self._name}"

    def __exit__(self, *_: object) -> None:
        if self._name:
            self._remove(self._name)
        if self._handle >= 0:
            os.close(self._handle)

    def _remove(self, name: str) -> None:
        """Have the user empty a folder of root's, and remove it then; who puts something else there keeps it."""
        self._user.script(EMPTY, f"{self._folder}/{name}")
        try:
            os.rmdir(name, dir_fd=self._handle)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY):
                raise


def opened(folder: str) -> int:
    """Open a folder from the root on; nothing on the way may be a link."""
    handle = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    for name in filter(None, folder.split("/")):
        try:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
        except OSError as error:
            raise Refused(f"{folder} cannot be opened without following links ({error.strerror}).") from error
        finally:
            os.close(handle)
        handle = inner
    return handle


def _write_rule(path: str, user: str) -> None:
    """Only root may write there, so nobody else can have put anything in its place."""
    Path(path).parent.mkdir(0o755, parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(handle, "w") as file:
        os.fchmod(handle, 0o644)
        file.write(RULE % (NAMED, user, int((time.time() + ENDS_S) * 1000)))


def _take_rules_away() -> None:
    """Remove the rules that were made here, and no other of that name."""
    for path in RULES:
        try:
            if Path(path).read_text().startswith(NAMED):
                Path(path).unlink()
        except FileNotFoundError:
            continue


def _is_at_work(number: int) -> bool:
    """Whether any process is a user's."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if entry.stat().st_uid == number:
                return True
        except FileNotFoundError:
            continue
    return False


def _stopped(*_: object) -> None:
    raise SystemExit(143)


def main() -> None:
    """Answer the task."""
    module = AnsibleModule(
        argument_spec={
            "folder": {"type": "path", "required": True},
            "arguments": {"type": "list", "elements": "str", "default": []},
            "user": {"type": "str", "default": "disktuner-measure"},
        },
    )
    given: dict[str, Any] = module.params
    for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(each, _stopped)
    with Path(LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with User(module, given["user"]) as user, Place(user, given["folder"]) as place:
                user.allow()
                code, out, err = user.script(MEASURE, program(module), place, *given["arguments"])
        except Refused as why:
            module.fail_json(msg=str(why))
    if code:
        module.fail_json(msg=err.strip() or "disktuner compare failed.", rc=code)
    module.exit_json(changed=False, result=out)


if __name__ == "__main__":
    main()
