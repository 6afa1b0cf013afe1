# SPDX-License-Identifier: GPL-3.0-or-later
"""From samples to comparisons to a decision for a goal."""
