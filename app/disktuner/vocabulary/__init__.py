# SPDX-License-Identifier: GPL-3.0-or-later
"""What the product knows and says: each fact, word and sentence declared once, as data, checked when it is loaded."""
