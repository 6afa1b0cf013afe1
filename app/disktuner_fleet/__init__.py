# SPDX-License-Identifier: GPL-3.0-or-later
"""Result files of many machines, to one verdict per disk model, kernel and goal; and what rolls that out."""

from disktuner.vocabulary.english import add
from disktuner_fleet.english import TEXTS

add(TEXTS)
