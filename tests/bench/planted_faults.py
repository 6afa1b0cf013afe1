# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants one fault after the other in a copy of the program, and says which test of the usual run finds it.

`./dev bench planted_faults` is the list of what is promised (README.md, SECURITY.md) with what proves it: each row is a
promise, the line that keeps it, that line broken, and where a test has to fail then. DISKTUNER_FAULTS=3,7 plants some.
"""

# ruff: noqa: E501 - lines of the program stand here as they are

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
COPIED = ("app", "helper", "tests", "resources", "packaging", "requirements", "docs", "dev", "pyproject.toml")
COPIED += ("README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "ARCHITECTURE.md", ".ci")
HELPER = Path("/usr/libexec/disktuner-helper")


@dataclass(frozen=True, slots=True)
class Fault:
    """A promise, and how it is broken: ``right`` stands once in ``file`` and is replaced by ``wrong``."""

    promise: str
    file: str
    right: str
    wrong: str
    test: str

    def plant(self, tree: Path) -> str:
        """Break it; returns the file's text as it was. Raises ValueError where the line is no longer there once."""
        file = tree / self.file
        text = file.read_text()
        if text.count(self.right) != 1:
            raise ValueError(f"{self.file} has {text.count(self.right)} times: {self.right}")
        file.write_text(text.replace(self.right, self.wrong))
        return text


FAULTS = (
    Fault(
        "Numbers are shown in decimal units",
        "app/disktuner/vocabulary/units.py",
        "left, unit = left / 1000, unit + 1",
        "left, unit = left / 1024, unit + 1",
        "tests/unit/vocabulary",
    ),
    Fault(
        "The scheduler shown is the active one",
        "app/disktuner/block/queue.py",
        "        if word != name:\n            chosen = name",
        "        if chosen is None:\n            chosen = name",
        "tests/unit/block",
    ),
    Fault(
        "What is felt elsewhere is measured on the other disk",
        "app/disktuner/workloads/elsewhere.py",
        "folder=scratch.elsewhere / self.id",
        "folder=scratch.folder / self.id",
        "tests/unit/workloads/test_elsewhere.py",
    ),
    Fault(
        "A copy leaves it to the kernel when it is written",
        "app/disktuner/workloads/load.py",
        "        return self.writer_bytes\n",
        "        return self.writer_bytes // 2\n",
        "tests/unit/workloads/test_elsewhere.py",
    ),
    Fault(
        "A check-up blames only what is far from sensible",
        "app/disktuner/checkup/suspicions.py",
        "if value is None or value <= _far(facts):",
        "if value is None or value < _far(facts) // 4:",
        "tests/unit/checkup",
    ),
    Fault(
        "What may wait in memory goes back to the millionth",
        "helper/disktuner_helper/queue.py",
        "derived = _OF_SHARE if _SHARE in self.tunables else ()",
        "derived = (_SHARE,)",
        "tests/unit/helper/test_queue.py",
    ),
    Fault(
        "A limit that follows the free memory is not taken for one that somebody changed",
        "app/disktuner/vocabulary/tunables.py",
        "        return max(wanted, now) <= _DRIFT * min(wanted, now)",
        "        return wanted == now",
        "tests/unit/experiment/test_guard.py",
    ),
    Fault(
        "A disk whose name was reused is not changed",
        "helper/disktuner_helper/queue.py",
        "if diskseq not in (None, self.diskseq):",
        "if diskseq is False:",
        "tests/unit/helper",
    ),
    Fault(
        "What was measured before a crash is kept",
        "app/disktuner/results/codec.py",
        "            if number < len(steps):\n                raise",
        "            raise",
        "tests/unit/results",
    ),
    Fault(
        "A result is replaced only by a whole new one",
        "app/disktuner/writing.py",
        "        temporary.replace(folder / path.name)",
        "        (folder / path.name).write_bytes(data)",
        "tests/unit/results",
    ),
    Fault(
        "A figure from the page cache is marked invalid",
        "app/disktuner/experiment/guard.py",
        '    yield _beyond_moved("page-cache", measured.read_bytes, read_bytes)',
        "    yield None",
        "tests/unit/experiment",
    ),
    Fault(
        "Progress never goes back",
        "app/disktuner/experiment/progress.py",
        "(1 - share) * expected_s / (max(expected_s, left_s) + _END_S)",
        "expected_s / (max(expected_s, left_s) + _END_S)",
        "tests/unit/experiment",
    ),
    Fault(
        "A figure of another scheduler is marked invalid",
        "app/disktuner/experiment/guard.py",
        "            if found != scheduler:",
        "            if found is None:",
        "tests/unit/experiment",
    ),
    Fault(
        "Scratch files are removed whatever happens",
        "app/disktuner/experiment/scratch.py",
        "        if folder.remove():\n            known.forget(name)\n        else:\n            with",
        "        if folder and True:\n            known.forget(name)\n        else:\n            with",
        "tests/unit/experiment",
    ),
    Fault(
        "Only one's own scratch folder is ever removed",
        "app/disktuner/private_folder.py",
        "return status.st_uid == os.geteuid() and not status.st_mode & 0o022",
        "return True",
        "tests/unit/experiment",
    ),
    Fault(
        "dd's figure counts what is on the disk, not in memory",
        "app/disktuner/workloads/dd.py",
        ', "conv=fdatasync")',
        ")",
        "tests/unit/workloads",
    ),
    Fault(
        "A copy to a stick waits for nothing, as one by cp",
        "app/disktuner/workloads/dd.py",
        "_write(scratch, target, spec, abort_after_s)",
        '_write(scratch, target, spec, abort_after_s, "conv=fdatasync")',
        "tests/unit/workloads",
    ),
    Fault(
        "A stick is safe to unplug when the kernel has written all of it",
        "app/disktuner/workloads/dd.py",
        "            scratch.sync(spec.timeout_s)\n",
        "",
        "tests/unit/workloads",
    ),
    Fault(
        "Better is better: the verdict's sign",
        "app/disktuner/verdict/levels.py",
        "return -log if self.is_lower else log",
        "return log if self.is_lower else -log",
        "tests/unit/verdict",
    ),
    Fault(
        "What nobody notices does not count",
        "app/disktuner/verdict/levels.py",
        "return self._signed(math.log(value + self.unnoticed))",
        "return self._signed(math.log(value))",
        "tests/unit/verdict",
    ),
    Fault(
        "A headline names the part whose own row shows it",
        "app/disktuner/verdict/judge.py",
        "        and made.outcome is Outcome.BETTER\n",
        "",
        "tests/unit/presentation",
    ),
    Fault(
        "What another program did not measure may cost anything",
        "app/disktuner/vocabulary/questions.py",
        "[] if asked.prices else missing[:1]",
        "[]",
        "tests/unit/verdict",
    ),
    Fault(
        "No practical difference is said where it is true",
        "app/disktuner/verdict/judge.py",
        "return replace(undecided, decision=Decision.KEEP, ties",
        "return replace(undecided, decision=Decision.UNDECIDED, ties",
        "tests/unit/verdict",
    ),
    Fault(
        "A fleet's folder is read without following links",
        "app/disktuner/fleet/gathering.py",
        "os.O_RDONLY | os.O_NOFOLLOW",
        "os.O_RDONLY",
        "tests/unit/fleet",
    ),
    Fault(
        "Smaller is better where it is: how a difference is said",
        "app/disktuner/presentation/panels.py",
        'text("lower-is-better" if metric.better is Better.LOWER',
        'text("lower-is-better" if metric.better is Better.HIGHER',
        "tests/unit/presentation",
    ),
    Fault(
        "A run that nobody can count is no result",
        "app/disktuner/comparison/comparison.py",
        "    if not any(sample.valid for sample in result.samples):",
        "    if False:",
        "tests/unit/comparison",
    ),
    Fault(
        "A hostile name in a result does nothing in a report",
        "app/disktuner/report/sheet.py",
        "return markup.escape(printable(shown))",
        "return printable(shown)",
        "tests/unit/report",
    ),
    Fault(
        "A result that is passed on names nobody",
        "app/disktuner/report/exporting.py",
        '{str(result.disk.get("serial") or ""), ',
        "{",
        "tests/unit/report",
    ),
    Fault(
        "No rights without polkit's word",
        "helper/disktuner_helper/authority.py",
        "if not allowed or call.gone.is_cancelled():",
        "if call.gone.is_cancelled():",
        "tests/unit/helper",
    ),
    Fault(
        "Who was authorised for daily use changes that disk only until the date",
        "helper/disktuner_helper/field.py",
        "        if not trial.since <= self._clock() < trial.until:",
        "        if False:",
        "tests/unit/helper/test_field.py",
    ),
    Fault(
        "Nobody else uses the right of a trial in daily use",
        "helper/disktuner_helper/field.py",
        "and uid in (trial.uid, 0):",
        "and uid >= 0:",
        "tests/unit/helper/test_field.py",
    ),
    Fault(
        "Nothing is felt while the computer sleeps",
        "app/disktuner/field/feeling.py",
        " or slept_s > SUSPENDED_S:",
        ":",
        "tests/unit/field",
    ),
    Fault(
        "In daily use a coin decides which setting comes first",
        "app/disktuner/field/blocks.py",
        ".randrange(2) ^",
        ".randrange(1) ^",
        "tests/unit/field",
    ),
    Fault(
        "What the kernel ignored is not told as done",
        "helper/disktuner_helper/queue.py",
        '        if self.scheduler != scheduler:\n            raise errors.NotTunable("scheduler-ignored", disk=self.name)',
        "        return",
        "tests/unit/helper",
    ),
    Fault(
        "A crafted serial number injects no rule",
        "helper/disktuner_helper/identity.py",
        "    harmless = all(map(contract.IDENTITY.fullmatch, (value, short)))",
        "    harmless = True",
        "tests/unit/helper",
    ),
    Fault(
        "Every value of the queue is put back, tunables too",
        "helper/disktuner_helper/queue.py",
        "        for name, value in setting.kept.items():\n            with suppress",
        "        for name, value in ():\n            with suppress",
        "tests/bus/test_put_back.py",
    ),
    Fault(
        "No link that a neighbour puts in the place of ./results is followed",
        "packaging/workplace.py",
        "FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC",
        "FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC",
        "tests/end2end/test_workplace.py",
    ),
    Fault(
        "What a program printed is not kept in the log",
        "app/disktuner/log.py",
        '        if kept := getattr(record, "kept", None):',
        "        if kept := None:",
        "tests/unit/test_log.py",
    ),
    Fault(
        "A trial's end restores, also where the helper does not answer",
        "app/disktuner/helper_client/client.py",
        "        except DisktunerError as error:\n            self._client.close()",
        "        except DisktunerError as error:\n            pass",
        "tests/unit/helper_client",
    ),
    Fault(
        "Who may not even meet the disk is not blamed",
        "app/disktuner/remedies.py",
        "            if rival.writes or (is_lost and rival.may_set(disk.scheduler)):",
        "            if rival:",
        "tests/unit/test_remedies.py",
    ),
    Fault(
        "udev is not asked where asking would write",
        "app/disktuner/block/writers/udevadm.py",
        "    if not files or not subject.udev or not _is_only_roots(folder):",
        "    if not files or not subject.udev:",
        "tests/bus/test_owners.py",
    ),
    Fault(
        "The window ends although a disk does not answer",
        "app/disktuner/gui/jobs.py",
        "        return not self._jobs",
        "        return True",
        "tests/gui/test_closing.py",
    ),
    Fault(
        "What a stranger's result says is not run",
        "app/disktuner/comparison/comparison.py",
        "not is_marked(own):",
        "not own:",
        "tests/unit/comparison/test_trust.py",
    ),
    Fault(
        "A mark holds for what was asked for here, word by word",
        "app/disktuner/results/mark.py",
        "hmac.compare_digest(_sign(own, key).encode(), own.mark.encode())",
        "bool(own)",
        "tests/unit/results/test_mark.py",
    ),
    Fault(
        "A pipe in the place of a file is never waited for",
        "app/disktuner/opening.py",
        "    if not stat.S_ISREG(os.fstat(fd).st_mode):",
        "    if False:",
        "tests/unit/test_opening.py",
    ),
    Fault(
        "A disk that was not put back stays remembered",
        "helper/disktuner_helper/trial.py",
        "            self.remember(held)",
        "            pass",
        "tests/unit/helper/test_bus_object.py",
    ),
    Fault(
        "Where a rule was not written, what was there before is back",
        "helper/disktuner_helper/persist.py",
        "                    changing.enter_context(files.changing(file, content))",
        "                    files.replace(file, content) if content else files.remove(file)",
        "tests/unit/helper/test_persist.py",
    ),
    Fault(
        "Scripts see by the exit status what went wrong",
        "app/disktuner/cli/main.py",
        "        return error.exit_code",
        "        return 1",
        "tests/unit/cli",
    ),
    Fault(
        "Several disks are changed together or not at all",
        "helper/disktuner_helper/service.py",
        "            with queue.undoing(before):",
        "            with suppress():",
        "tests/unit/helper/test_bus_object.py",
    ),
    Fault(
        "Nothing is changed for who has left before it was his turn",
        "helper/disktuner_helper/service.py",
        '            if call.gone.is_cancelled():\n                raise errors.AccessDenied("caller-left")\n            yield',
        "            yield",
        "tests/unit/helper/test_bus_object.py",
    ),
    Fault(
        "No record is written that could not be read again",
        "helper/disktuner_helper/files.py",
        "        if len(content) > _LIMIT_BYTES:",
        "        if False:",
        "tests/unit/helper/test_trial.py",
    ),
    Fault(
        "polkit's rules are told of all disks that are changed",
        "helper/disktuner_helper/service.py",
        "        contract.check_number_of(disks)\n        with self.lock:",
        "        with self.lock:",
        "tests/unit/helper/test_bus_object.py",
    ),
    Fault(
        "Whoever gives up on the helper leaves the bus",
        "app/disktuner/helper_client/client.py",
        "                self.leave()\n            raise from_glib(error, call.silence) from error",
        "                pass\n            raise from_glib(error, call.silence) from error",
        "tests/unit/helper_client",
    ),
    Fault(
        "A comparison whose helper ended begins its trial again",
        "app/disktuner/comparison/real.py",
        "        except (NoSuchTrial, HelperNotThere) as error:",
        "        except ZeroDivisionError as error:",
        "tests/unit/comparison/test_real.py",
    ),
    Fault(
        "Python's collector works in the window's thread only",
        "app/disktuner/gui/application.py",
        "        self._sources.helper.close()",
        "        self._sources.helper.close()\n        __import__('gc').enable()",
        "tests/gui/test_collector.py",
    ),
    Fault(
        "Python is isolated from the folder it is called in",
        "packaging/bin/disktuner",
        "-I",
        "-P",
        "tests/end2end/test_isolated_starts.py",
    ),
    Fault(
        "A copy alone at work is no freeze",
        "app/disktuner/watch/detector.py",
        "if each.held_up and (is_short or each.name not in at_work)",
        "if each.held_up",
        "tests/unit/watch/test_recorder.py",
    ),
    Fault(
        "Another disk's write-back is told from writes to the disk that programs use",
        "app/disktuner/watch/causes.py",
        "not disk.mostly_writes or disk.name in seen.own:",
        "not disk.mostly_writes:",
        "tests/unit/watch/test_recorder.py",
    ),
    Fault(
        "Nobody is blamed for what a child of theirs wrote",
        "app/disktuner/watch/reading.py",
        ' - inherited[pid, "written"], 0)',
        ", 0)",
        "tests/unit/watch/test_reading.py",
    ),
    Fault(
        "A program that sleeps in io_uring does not stop a roll-out",
        "app/disktuner/block/waiting.py",
        "self._witnesses[disk].confirmed_s(interval(wall_s, pressure_s, disk, counters, now[2]), held_up)",
        "pressure_s",
        "tests/unit/block/test_waiting_shares.py",
    ),
    Fault(
        "Any ending that is one result's alone names it",
        "app/disktuner/results/store.py",
        "if each.endswith(part) or short.endswith(part)]",
        "if each.endswith(part)]",
        "tests/unit/cli/test_results.py",
    ),
    Fault(
        "Two rows never carry the same label",
        "app/disktuner/verdict/answer.py",
        "if workload is None or question.deciding_workloads == (metric.workload,):",
        "if True:",
        "tests/unit/verdict/test_judge.py",
    ),
)


def copy() -> Path:
    """The checkout without its history, for breaking."""
    tree = Path(tempfile.mkdtemp(prefix="disktuner-faults-"))
    tree.chmod(0o755)
    for name in COPIED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, symlinks=True)
        else:
            shutil.copy2(source, tree / name)
    (tree / ".venv").symlink_to(CHECKOUT / ".venv")
    return tree


def failing(tree: Path, tests: Iterable[str]) -> tuple[str, ...]:
    """The tests that fail in the copy; empty where all pass. Raises RuntimeError where pytest did not come that far."""
    path = f"{tree}/packaging/bin:{tree}/.venv/bin:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": f"{tree}/app", "PYTHONDONTWRITEBYTECODE": "1"}
    # As `./dev test` starts it: without what PYTHONPATH would add.
    argv = [sys.executable, "-I", "-m", "pytest", "-p", "no:cacheprovider", "-q", "-x", "--tb=line", "-rfE", *tests]
    done = subprocess.run(argv, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1, 2}:
        raise RuntimeError(done.stdout + done.stderr)
    said = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return tuple(line.split(" ")[1] for line in said) or (
        ("nothing could be imported",) if done.returncode == 2 else ()
    )


def use_helper_of(tree: Path) -> None:
    """Have the bus start the copy's helper."""
    text = (CHECKOUT / "resources/libexec/disktuner-helper").read_text()
    text = text.replace("/usr/lib/disktuner/helper", str(tree / "helper"))
    subprocess.run(["sudo", "-n", "tee", HELPER], input=text, text=True, check=True, stdout=subprocess.DEVNULL)


def end_helper() -> None:
    """The bus starts the next one with the next call."""
    subprocess.run(["sudo", "-n", "pkill", "-f", "disktuner.*/helper"], check=False)


def main() -> int:
    """Plant each, and print what found it; the exit status is how many nobody found."""
    chosen = os.environ.get("DISKTUNER_FAULTS", "")
    numbers = [int(each) for each in chosen.split(",")] if chosen else list(range(1, len(FAULTS) + 1))
    tree, missed = copy(), 0
    use_helper_of(tree)
    broken = failing(tree, sorted({FAULTS[number - 1].test for number in numbers}))
    if broken:
        print(f"without any fault, these fail: {', '.join(broken)}")
        return 1
    for number in numbers:
        fault = FAULTS[number - 1]
        before = fault.plant(tree)
        end_helper()  # one that runs would answer for it
        found = failing(tree, [fault.test])
        (tree / fault.file).write_text(before)
        missed += not found
        print(f"{number:2} {fault.promise}\n   {fault.file}: {found[0] if found else 'NOBODY FOUND IT'}", flush=True)
    print(f"{len(numbers) - missed} of {len(numbers)} found")
    shutil.rmtree(tree)
    return missed


if __name__ == "__main__":
    sys.exit(main())
