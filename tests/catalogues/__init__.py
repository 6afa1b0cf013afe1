# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogues of ``resources/languages``: kept up to date by ``./dev languages``, checked by tests."""
