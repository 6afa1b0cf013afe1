# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run does and costs: planned for a disk, shortened, stored in a result and read by strangers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from disktuner.workloads.catalogue import catalogue
from disktuner.workloads.spec import BadSpec
from disktuner.workloads.workload import Probe, Workload

OTHER = Probe(500e6, 550e6, 100e-6, 8 << 30, 100 << 30)
HDD = Probe(110e6, 145e6, 0.009, 8 << 30, 500 << 30, 0.017, 0.1, elsewhere=OTHER)
STICK = Probe(8e6, 20e6, 0.001, 4 << 30, 8 << 30, 0.02, 0.05, elsewhere=OTHER)
NVME = Probe(2.9e9, 3.2e9, 70e-6, 32 << 30, 500 << 30, 60e-6, 3e-4, elsewhere=OTHER)
every = pytest.mark.parametrize("workload", catalogue(), ids=lambda workload: workload.id)


@every
@pytest.mark.parametrize("probe", [HDD, STICK, NVME], ids=["hdd", "stick", "nvme"])
def test_a_spec_is_kept_and_made_shorter(workload: Workload, probe: Probe) -> None:
    spec = workload.plan(probe, 4.0)
    assert workload.spec_from(spec.as_json()) == spec
    assert spec.growth(spec) == 1.0 and spec.with_estimates(spec) == spec
    cost = spec.cost
    assert 0 <= cost.bytes_expected <= cost.bytes_written
    for share in (0.9, 0.3, 0.001):
        short = spec.sized(share)
        assert short.expected_s == pytest.approx(share * spec.expected_s)
        assert short.cost.bytes_written <= cost.bytes_written and short.cost.bytes_prepared <= cost.bytes_prepared
        assert short.cost.bytes_expected <= cost.bytes_expected
        assert workload.spec_from(short.as_json()).growth(short) == 1.0
    longer = spec.sized(2.0)
    assert (longer.growth(spec) == pytest.approx(2.0)) if spec.CAN_GROW else (longer == spec)
    assert longer.cost.bytes_prepared == cost.bytes_prepared


@every
@pytest.mark.parametrize("wrong", [-1, 0, 2**64, float("nan"), True, "1", None, {}])
def test_no_spec_of_a_stranger_is_believed(workload: Workload, wrong: Any) -> None:
    spec = workload.plan(HDD, 4.0)
    fields = spec.as_json()
    for name in fields.keys() - ({"writing"} if wrong == 0 else set()):
        with pytest.raises(BadSpec):
            workload.spec_from(fields | {name: wrong})
    for other in ({}, [], fields | {"more": 1}):
        with pytest.raises(BadSpec):
            workload.spec_from(other)


@every
def test_bytes_that_a_file_hides_are_counted_all_the_same(workload: Workload) -> None:
    spec = workload.plan(HDD, 4.0)
    hiding = structs.replace(spec, **{name: int(name != "writing") for name in spec.ESTIMATES})
    assert hiding.with_estimates(spec).cost == spec.cost
    with_more = [name for name in spec.WORK if hasattr(spec, name)]
    grown = structs.replace(spec, **{name: 100 * getattr(spec, name) for name in with_more})
    assert grown.growth(spec) == pytest.approx(100 if with_more else 1)
