# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: somebody has the best scheduler of a disk fine-tuned in Disktuner's window, and keeps the answer.

``tuning tune DISK FOLDER PICTURES`` goes from the disk's card by a comparison and a fine-tuning after it to a setting
that is tried, and kept for good. ``tuning back DISK PICTURES`` opens the window and goes back from what is kept. See
window.py.
"""

from __future__ import annotations

from dataclasses import replace

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Request
from tests.machine.guest.window import Sitting, sit


def briefly(request: Request) -> Comparison:
    """What the wizard asked for in one workload, and before the tuning of one scheduler beside the present one."""
    schedulers = None if request.after else ("bfq",)
    return Comparison(replace(request, schedulers=schedulers, workloads=("mapped-reads",), seed=11), real_environment())


def tune(somebody: Sitting, folder: str) -> None:
    """To the answer, and what comes of it."""
    somebody.choose(folder)
    somebody.begin("where")
    page = somebody.result("result")
    plain = page.presented.verdict
    somebody.click(lambda: page.offer.button)
    somebody.until(lambda: somebody.wizard.step == 1)
    somebody.begin("offered")
    somebody.watch("running")
    page = somebody.result("answer")
    somebody.pictures("answer", page)
    found = page.presented
    somebody.apply(page)
    somebody.keep(
        plain=(plain.decision, plain.winner),
        decision=found.verdict.decision,
        winner=found.verdict.winner,
        tried=found.result.plan.schedulers,
        reasons=sorted({sample.reason.id for sample in found.result.samples if sample.reason}),
        said=somebody.app.window.notice.text,
    )


def go_back(somebody: Sitting) -> None:
    """What is kept is not wanted any more."""
    somebody.show_card()
    somebody.picture("after")
    kept, chosen = somebody.card._chip.text(), somebody.card._chosen.text()
    somebody.click(lambda: somebody.card._back)
    somebody.until(lambda: not somebody.card._chosen.text() and somebody.card._find.isEnabled())
    somebody.keep(kept=(kept, chosen), said=somebody.app.window.notice.text)


if __name__ == "__main__":
    sit({"tune": tune, "back": go_back}, briefly)
