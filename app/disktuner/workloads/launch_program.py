# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``launch-program-under-writes``: Python, copied to the tested disk, started cold beside writers."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, Workload
from disktuner.workloads.writers import SETTLE_S, SOURCE_BYTES, Load, Writers, load_for

WRITERS = 2
BESIDE = 4
"""How many times as long the reads of a start take beside writers as alone; only sizes rest on this."""
MOST_STARTS = 8

# All of Python's own library that distributions install with the interpreter; what is missing is left out.
MODULES = """
    argparse asyncio base64 bisect calendar cgitb cmd code codecs collections concurrent.futures configparser
    contextlib copy csv ctypes datetime decimal difflib dis email.message email.mime.text fractions ftplib getpass
    gettext glob gzip hashlib heapq html.parser http.client http.server imaplib importlib.metadata inspect ipaddress
    json locale logging.config logging.handlers lzma mailbox mimetypes multiprocessing.pool optparse pathlib pdb
    pickle pickletools platform plistlib poplib pprint profile pydoc queue random sched secrets selectors shelve
    shlex shutil smtplib socketserver sqlite3 ssl statistics string subprocess symtable tarfile tempfile textwrap
    threading timeit tokenize trace traceback tracemalloc typing unittest.mock urllib.request uuid wave webbrowser
    wsgiref.simple_server xml.dom.minidom xml.etree.ElementTree xml.sax xmlrpc.client xmlrpc.server zipfile zoneinfo
"""
BYTES = 32 * MIB
"""At least what the copy takes: 21 MB in 531 files with Python 3.11 of Debian 12, 7 of them the interpreter."""
READS = 300
"""Requests of one cold start on ext4, counted in /sys/block/X/stat: 290, and 16 MB (Python 3.11 of Debian 12)."""
CPU_S = 0.15
"""A start with all of it in memory: 0.12 s there. Only sizes rest on these three."""
_IMPORT = """\
import importlib
for name in {names!r}:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
"""
_LIST = """
import json, sys
print(json.dumps(sorted({
    name
    for module in list(sys.modules.values())
    for name in (getattr(module, "__file__", None), getattr(module, "__cached__", None))
    if name
})))
"""
_ALONE = ("-I", "-S", "-B", "-W", "ignore")  # nothing but its own library, and it writes nothing


class LaunchProgramUnderWrites(Workload):
    """``scale`` is the number of starts, each cold, ``extra`` the MiB that each of two writers writes beside them.

    The program is the Python interpreter with some hundred of its modules, copied to the tested disk, so that all it
    reads comes from there. On a fast disk its start is mostly work for the CPU: then no scheduler makes a difference,
    and that is the truth about such a start.
    """

    id = "launch-program-under-writes"

    def unavailable(self) -> Message | None:
        """The interpreter that runs this program is there, where it is all in one place."""
        if not _interpreter().is_relative_to(sys.base_prefix):
            return message("python-not-in-one-place", workload="launch-under-writes")
        return None

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many starts as fit into that time beside the writers, and writers for all of it."""
        start_s = CPU_S + BESIDE * (READS * probe.random_read_s + BYTES / probe.read_bytes_per_s)
        starts = max(1, min(MOST_STARTS, int(seconds / start_s)))
        load = load_for(probe.write_bytes_per_s, SETTLE_S + starts * start_s, WRITERS)
        kept = load.total_bytes + BYTES
        expected_s = SETTLE_S + starts * start_s + 0.5
        return Size(starts, load.total_bytes, BYTES, expected_s, kept, SOURCE_BYTES, load.mib_each)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:  # noqa: ARG002 - one program
        """Copy the program."""
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        copy_program(folder / "program", processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the writers, start the program so many times cold, end the writers; the mean start counts."""
        scratch = replace(scratch, folder=scratch.folder / self.id)
        program = scratch.folder / "program"
        cool(program)
        writers = Writers(Load(WRITERS, size.extra), scratch, processes)
        writers.start()
        spent_s = 0.0
        for number in range(size.scale):
            if number:
                cool(program)
            spent_s += start(program, processes, size.timeout_s)
        written = writers.finish(size.timeout_s)
        return Measurement({"wall_s": spent_s / size.scale}, spent_s, written_bytes=written.size_bytes)


def copy_program(folder: Path, processes: Processes) -> None:
    """Copy the interpreter and every file that its start reads into a new folder, all durable.

    Raises ``RunFailed`` or ``OSError``.
    """
    interpreter, prefix = _interpreter(), Path(sys.base_prefix)
    text = processes.run(
        [str(interpreter), *_ALONE, "-c", _IMPORT.format(names=MODULES.split()) + _LIST], Path("/"), 60
    ).out
    try:
        files = [Path(name) for name in json.loads(text)]
    except ValueError as error:
        raise NotUnderstood("python3", text) from error
    for source in (interpreter, *files):
        processes.check()
        if source.is_relative_to(prefix) and source.is_file():
            target = folder / source.relative_to(prefix)
            target.parent.mkdir(0o700, parents=True, exist_ok=True)
            shutil.copy2(source, target)  # with its time: a .pyc is only good for the .py of that time
    processes.run(["sync", "--file-system", "."], folder, 120)


def cool(folder: Path) -> None:
    """Drop all files of the copy from memory. The folders' own entries stay: to drop those one must be root."""
    for path in folder.rglob("*"):
        if path.is_file():
            make_cold(path)


def start(folder: Path, processes: Processes, timeout_s: float) -> float:
    """Start the copy, wait until it is ready and has ended, and return how long that took in seconds.

    Where the file system lets nobody execute anything (``noexec``), the system's interpreter starts the copied modules.
    """
    prefix, interpreter = Path(sys.base_prefix), _interpreter()
    library = folder / Path(sysconfig.get_path("stdlib")).relative_to(prefix)
    places = [str(library), str(library / "lib-dynload")]
    code = f"import sys\nsys.path[:] = {places!r}\n{_IMPORT.format(names=MODULES.split())}"
    own = folder / interpreter.relative_to(prefix)
    may_execute = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    argv = [str(own if may_execute else interpreter), *_ALONE, "-c", code]
    return processes.run(argv, folder, timeout_s).wall_s


def _interpreter() -> Path:
    """The distribution's own, not the one of a virtual environment around it."""
    return Path(os.path.realpath(sys.executable))


RUNNERS = (LaunchProgramUnderWrites(),)
