# SPDX-License-Identifier: GPL-3.0-or-later
"""A real program on the tested disk: the Python interpreter with many of its modules, copied there and started cold."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.workload import MIB, Processes

# All of Python's own library that distributions install with the interpreter; what is missing is left out.
MODULES = [
    "argparse",
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "cgitb",
    "cmd",
    "code",
    "codecs",
    "collections",
    "concurrent.futures",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "email.message",
    "email.mime.text",
    "fractions",
    "ftplib",
    "getpass",
    "gettext",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "html.parser",
    "http.client",
    "http.server",
    "imaplib",
    "importlib.metadata",
    "inspect",
    "ipaddress",
    "json",
    "locale",
    "logging.config",
    "logging.handlers",
    "lzma",
    "mailbox",
    "mimetypes",
    "multiprocessing.pool",
    "optparse",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "platform",
    "plistlib",
    "poplib",
    "pprint",
    "profile",
    "pydoc",
    "queue",
    "random",
    "sched",
    "secrets",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "smtplib",
    "socketserver",
    "sqlite3",
    "ssl",
    "statistics",
    "string",
    "subprocess",
    "symtable",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "timeit",
    "tokenize",
    "trace",
    "traceback",
    "tracemalloc",
    "typing",
    "unittest.mock",
    "urllib.request",
    "uuid",
    "wave",
    "webbrowser",
    "wsgiref.simple_server",
    "xml.dom.minidom",
    "xml.etree.ElementTree",
    "xml.sax",
    "xmlrpc.client",
    "xmlrpc.server",
    "zipfile",
    "zoneinfo",
]
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


def copy_program(folder: Path, processes: Processes) -> None:
    """Copy the interpreter and every file that its start reads into a new folder, all durable.

    Raises ``RunFailed`` or ``OSError``.
    """
    interpreter, prefix = _interpreter(), Path(sys.base_prefix)
    text = processes.run([str(interpreter), *_ALONE, "-c", _IMPORT.format(names=MODULES) + _LIST], Path("/"), 60).out
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
    code = (
        f"import sys\nsys.path[:] = {[str(library), str(library / 'lib-dynload')]!r}\n{_IMPORT.format(names=MODULES)}"
    )
    own = folder / interpreter.relative_to(prefix)
    may_execute = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    argv = [str(own if may_execute else interpreter), *_ALONE, "-c", code]
    return processes.run(argv, folder, timeout_s).wall_s


def _interpreter() -> Path:
    """The distribution's own, not the one of a virtual environment around it."""
    return Path(os.path.realpath(sys.executable))
