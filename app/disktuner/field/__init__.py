# SPDX-License-Identifier: GPL-3.0-or-later
"""The trial in daily use: two settings change places by lot while somebody works, and what is felt is counted."""
