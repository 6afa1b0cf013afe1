# SPDX-License-Identifier: GPL-3.0-or-later
"""How the server workloads parse their programs' output."""

from __future__ import annotations

import pytest

from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.many_files import parse_dbench
from disktuner.workloads.sql import bins, parse_tps, parse_transactions, within_s

SYSBENCH = """Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       0.856 |********                                 1
       1.044 |****************                         2
    1013.597 |****************************************  5

SQL statistics:
    transactions:                        8    (3.99 per sec.)
"""


def test_pgbench_is_read_in_all_versions() -> None:
    assert parse_tps("latency average = 3 ms\ntps = 1968.48 (without initial connection time)\n") == 1968.48
    old = "tps = 90.1 (including connections establishing)\ntps = 91.2 (excluding connections establishing)\n"
    assert parse_tps(old) == 91.2
    with pytest.raises(NotUnderstood):
        parse_tps("pgbench: error")


def test_sysbench_transactions_are_read_with_their_histogram() -> None:
    tps, times = parse_transactions(SYSBENCH)
    assert tps == 3.99
    assert [within_s(times, share) for share in (0.1, 0.5, 0.99)] == [0.000856, 1.013597, 1.013597]
    assert sum(count for _, count in bins(times)) == 8
    with pytest.raises(NotUnderstood):
        parse_transactions("FATAL: no database")


def test_dbench_is_read() -> None:
    measurement = parse_dbench("Throughput 401.871 MB/sec  4 clients  4 procs  max_latency=34.281 ms\n", 3)
    assert measurement.values == {"bytes_per_s": 401.871 * (1 << 20), "worst_s": pytest.approx(0.034281)}
    with pytest.raises(NotUnderstood):
        parse_dbench("(4) ERROR: handle 123 was not found", 3)
