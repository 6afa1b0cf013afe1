# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the best scheduler, step by step: purpose, where and how long, measuring, result."""
