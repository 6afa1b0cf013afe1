# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes one small thing after the other in what judges, guards and has root's rights, and says what no test notices.

mutmut makes the mutants and tests each (``[tool.mutmut]`` of pyproject.toml). It wants packages in ./src, so
this lays them out there. All take hours; DISKTUNER_MUTANTS is a pattern of mutants' names (``*[27]``: every fifth,
``*verdict.knee*``), DISKTUNER_KEPT a folder to work in that is kept, and gone on from.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mutmut.stats import status_by_exit_code

from tests.bench.disks import CHECKOUT

MUTMUT = Path(sys.executable).with_name("mutmut")
NOTICED = {"killed", "timeout", "segfault"}


def lay_out(tree: Path) -> None:
    """Packages in ./src, and in ./mutants, where mutmut starts the tests, what else these read of the checkout."""
    (tree / "mutants").mkdir(parents=True)
    for package in ("app/disktuner", "app/disktuner_fleet", "app/disktuner_watch", "helper/disktuner_helper"):
        shutil.copytree(CHECKOUT / package, tree / "src" / Path(package).name)
    shutil.copy2(CHECKOUT / "pyproject.toml", tree)
    (tree / "tests").symlink_to(CHECKOUT / "tests")
    for name in ("app", "helper"):
        (tree / "mutants" / name).symlink_to("src")
    for name in ("docs", "packaging", "requirements", "resources", "README.md", "SECURITY.md"):
        (tree / "mutants" / name).symlink_to(CHECKOUT / name)


def run(tree: Path, pattern: str) -> None:
    """Have mutmut test them. Raises ``CalledProcessError``."""
    started = f"{tree}/mutants/src:{tree}/mutants"
    environment = {**os.environ, "PYTHONPATH": started, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([MUTMUT, "run", *([pattern] if pattern else [])], cwd=tree, env=environment, check=True)


def tested(tree: Path) -> Iterator[tuple[str, str, str]]:
    """The module, name and status of each mutant that was tested."""
    for file in sorted(tree.glob("mutants/src/**/*.meta")):
        module = str(file.relative_to(tree / "mutants/src")).removesuffix(".py.meta")
        for name, code in json.loads(file.read_text())["exit_code_by_key"].items():
            if code is not None:
                yield module, name, status_by_exit_code[code]


def main() -> int:
    """Print survivors as differences, and the share of mutants that are noticed by module."""
    kept = os.environ.get("DISKTUNER_KEPT")
    tree = Path(kept or tempfile.mkdtemp(prefix="disktuner-mutants-", dir="/var/tmp"))
    if not (tree / "src").exists():
        lay_out(tree)
    run(tree, os.environ.get("DISKTUNER_MUTANTS", ""))
    noticed, total = Counter[str](), Counter[str]()
    for module, name, status in tested(tree):
        total[module] += 1
        noticed[module] += status in NOTICED
        if status == "survived":
            subprocess.run([MUTMUT, "show", name], cwd=tree, check=True)
    for module in total:
        print(f"{noticed[module]:5} of {total[module]:5}  {module}")
    print(f"{noticed.total()} of {total.total()} mutants noticed ({noticed.total() / total.total():.0%})")
    if not kept:
        shutil.rmtree(tree)
    return 0


if __name__ == "__main__":
    sys.exit(main())
