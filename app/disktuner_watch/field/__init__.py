# SPDX-License-Identifier: GPL-3.0-or-later
"""The trial in daily use: two settings alternate at random while somebody works, and stalls are counted."""
