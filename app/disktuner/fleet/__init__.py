# SPDX-License-Identifier: GPL-3.0-or-later
"""Result files of many machines, to one verdict per disk model, kernel and goal."""
