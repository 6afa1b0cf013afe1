# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: somebody sees on a disk's card in Disktuner's window that the check-up found something.

``checking mend DISK FOLDER PICTURES`` opens what was found, measures it, sets it for good, goes back, and sets it for
good once more. ``checking back DISK PICTURES`` opens the window and goes back from there. See window.py.
"""

from __future__ import annotations

from dataclasses import replace

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Request
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.vocabulary.messages import say
from tests.machine.guest.window import Sitting, sit


def planned(request: Request) -> Comparison:
    """What was asked for; only what chance decides is given."""
    return Comparison(replace(request, seed=11), real_environment())


def open_page(somebody: Sitting, picture: str) -> CheckPage:
    """From the disk's card to what was found."""
    somebody.until(lambda: somebody.card.findings is not None)
    somebody.show_card()
    somebody.picture(picture)
    somebody.click(lambda: somebody.card.check_line.link)
    opened = somebody.app.window.opened
    assert opened is not None and isinstance(opened.content, CheckPage)
    return opened.content


def mend(somebody: Sitting, folder: str) -> None:
    """From the card to a disk that is mended."""
    page = open_page(somebody, "card")
    line = somebody.card.check_line.link.text()
    somebody.until(lambda: page.cards and page.cards[0].keep_button.isEnabled())
    somebody.pictures("page", page)
    (finding,) = (each.finding for each in page.cards)
    somebody.click(lambda: page.cards[0].measure_button)
    somebody.until(lambda: somebody.wizard.where_page._looked)
    somebody.wizard.where_page.use_folder(folder)
    somebody.begin("proposed")
    somebody.watch("measuring")
    result = somebody.result("measured")
    found = result.presented
    somebody.app.window.back()
    set_for_good(somebody, page)
    somebody.picture("mended")
    somebody.click(lambda: page.back_button)
    somebody.until(lambda: page.cards and page.cards[0].keep_button.isEnabled() and not page.foot.isVisible())
    somebody.picture("as-before")
    set_for_good(somebody, page)
    said = somebody.app.window.notice.text
    somebody.app.window.back()
    somebody.keep(
        line=line,
        check=finding.check.id,
        set_by=say(finding.set_by),
        fix=finding.fix.name if finding.fix else None,
        decision=found.verdict.decision,
        winner=found.verdict.winner,
        compared=found.result.plan.schedulers,
        said=said,
    )


def set_for_good(somebody: Sitting, page: CheckPage) -> None:
    """Until nothing is found any more, and there is a way back."""
    somebody.click(lambda: page.cards[0].keep_button)
    somebody.until(lambda: not page.cards and page.back_button.isVisible() and page.back_button.isEnabled())


def go_back(somebody: Sitting) -> None:
    """What is kept is not wanted any more."""
    page = open_page(somebody, "after")
    line = somebody.card.check_line.link.text()
    somebody.until(lambda: page.back_button.isVisible() and page.back_button.isEnabled())
    somebody.picture("holds")
    somebody.click(lambda: page.back_button)
    somebody.until(lambda: not page.foot.isVisible())
    said = somebody.app.window.notice.text
    somebody.picture("taken-back")
    somebody.app.window.back()
    somebody.until(somebody.card._find.isEnabled)
    somebody.keep(line=line, said=said)


if __name__ == "__main__":
    sit({"mend": mend, "back": go_back}, planned)
