# SPDX-License-Identifier: GPL-3.0-or-later
"""What the manual page of ``disktuner-fleet`` says besides the arguments."""

from disktuner.cli.manual import Page
from disktuner.vocabulary.messages import message
from disktuner_fleet.__main__ import FLEET

PAGE = Page(
    FLEET,
    "manual-fleet-summary",
    ("manual-fleet-what-it-does", "manual-no-telemetry"),
    (0, 1, 2, 4, 5, 130),
    (("~/.local/share/disktuner/", "results"), ("~/.local/state/disktuner/log", "log")),
    (
        (message("manual-fleet-example-summary", folder="results"), ("disktuner-fleet summary results",)),
        (message("manual-fleet-example-export"), ("disktuner-fleet export result.json --to fleet --as ansible",)),
    ),
    (("disktuner", 1), ("ansible-playbook", 1), ("udev", 7), ("tuned-adm", 8)),
)
