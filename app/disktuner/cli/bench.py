# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner bench``: run one workload with the scheduler that the disk has now; asks for no rights."""

from __future__ import annotations

import argparse
import statistics
import sys
from contextlib import nullcontext
from pathlib import Path

from disktuner.cli.progress import Progress, run_cancellable, tell_plan
from disktuner.results.model import Result


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("bench", help="run one workload with the current scheduler")
    parser.add_argument("target", metavar="TARGET", help="a folder on the disk, or a disk such as sda")
    parser.add_argument("--workload", required=True, metavar="ID", help="see `disktuner workloads`")
    parser.add_argument("--rounds", type=rounds, default=3, help="how many runs that count (default: 3)")
    parser.add_argument("--seconds", type=seconds, default=5.0, help="how long one run should take (default: 5)")
    parser.add_argument("--seed", type=int, help="repeat the choices of an earlier run")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result file there")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON document")


def rounds(text: str) -> int:
    """Read a number of rounds."""
    number = int(text)
    if not 1 <= number <= 1000:
        raise argparse.ArgumentTypeError("must be 1 to 1000")
    return number


def seconds(text: str) -> float:
    """Read a duration."""
    number = float(text)
    if not 0.1 <= number <= 600:
        raise argparse.ArgumentTypeError("must be 0.1 to 600")
    return number


def run(args: argparse.Namespace) -> int:
    """Announce, measure, print."""
    from disktuner.comparison.bench import Bench, BenchRequest  # noqa: PLC0415 - loaded when needed
    from disktuner.comparison.real import real_parts  # noqa: PLC0415
    from disktuner.helper_client.text_agent import text_agent  # noqa: PLC0415
    from disktuner.results.codec import encode  # noqa: PLC0415
    from disktuner.verdict.priorities import priorities_found  # noqa: PLC0415
    from disktuner.vocabulary.messages import say_all  # noqa: PLC0415
    from disktuner.workloads.dd import RawRead  # noqa: PLC0415

    request = BenchRequest(args.target, args.workload, args.rounds, args.seconds, args.seed, args.out)
    progress = Progress()
    asking = text_agent() if args.workload == RawRead.id else nullcontext()
    with asking, Bench(request, real_parts()) as bench:

        def work() -> Result:
            tell_plan(bench.announce(progress))
            return bench.run(progress)

        try:
            result = run_cancellable(work, bench.cancel)
        finally:
            progress.close()
    print(encode(result) if args.json else _table(result))
    if not args.json and (found := priorities_found(result)):
        print(say_all(found))
    _tell_invalid(result)
    return 0


def _table(result: Result) -> str:
    """Typical value, least and most of every metric over the runs that count."""
    lines = []
    for name, metric in result.metrics.items():
        values = [sample.value for sample in result.samples if sample.metric == name and sample.valid]
        if values:
            typical, least, most = statistics.median(values), min(values), max(values)
            lines.append(
                f"{name}: {_figure(typical, metric.unit)}  "
                f"({_figure(least, metric.unit)} to {_figure(most, metric.unit)}, {len(values)} runs)  {metric.label}"
            )
    return "\n".join(lines)


def _figure(value: float, unit: str) -> str:
    match unit:
        case "bytes_per_s":
            return f"{value / 1e6:.1f} MB/s"
        case "s" if value < 1:
            return f"{value * 1000:.3g} ms"
        case "s":
            return f"{value:.3g} s"
        case "per_s":
            return f"{value:.0f}/s"
        case _:
            return f"{value:.3g}"


def _tell_invalid(result: Result) -> None:
    orders = {sample.order for sample in result.samples if not sample.valid}
    if orders:
        print(f"{len(orders)} runs did not count; the result file says why.", file=sys.stderr)
