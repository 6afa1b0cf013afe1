# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences that a verdict says, and of the result as people see it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # vocabulary/differences.py: how a value differs from the baseline's; "amount" is 15 % or 2.9×
    "no-difference": "no difference",
    "is-faster": "{by:amount} faster",
    "is-slower": "{by:amount} slower",
    "is-better": "{by:amount} better",
    "is-worse": "{by:amount} worse",
    "is-less": "{by:amount} less",
    "is-more": "{by:amount} more",
    "range-faster": "{low:amount} to {high:amount} faster",
    "range-slower": "{low:amount} to {high:amount} slower",
    "range-better": "{low:amount} to {high:amount} better",
    "range-worse": "{low:amount} to {high:amount} worse",
    "range-less": "{low:amount} to {high:amount} less",
    "range-more": "{low:amount} to {high:amount} more",
    "slower-to-faster": "{low:amount} slower to {high:amount} faster",
    "worse-to-better": "{low:amount} worse to {high:amount} better",
    "more-to-less": "{low:amount} more to {high:amount} less",
    # presentation: the answer as a title
    "answer-switch": "Switch to {winner:scheduler}",
    "answer-keep": "Keep {baseline:scheduler}",
    "answer-undecided": "Not decided yet",
    # presentation: rows of a figure
    "lower-is-better": "lower is better",
    "higher-is-better": "higher is better",
    "had-before": "what it had",
    "too-few-rounds": "too few rounds",
    "finding-better": "better",
    "finding-worse": "worse",
    "finding-same": "no practical difference",
    "finding-undecided": "cannot be decided yet",
    "row-of-baseline": "{scheduler}: {value}, what the disk had before",
    "row-alone": "{scheduler}: {value}",
    "row-of-too-few": "{scheduler}: {value}, too few rounds for an interval",
    "row-of-other": "{scheduler}: {value}, {difference}, with 95 % confidence {interval}: {finding}",
    "gain-tick": "{gain:digits}×",
    "gain-axis": "times better than {baseline} →",
    # presentation: what a result rests on
    "unnamed-disk": "unnamed disk",
    "of-kernel": "kernel {release}",
    "of-goal": "goal: {goal:named}",
    "of-rounds": ("{count} round", "{count} rounds"),
    "samples-left-out": ("{count} invalid sample left out", "{count} invalid samples left out"),
    "samples-disturbed": ("{count} disturbed sample used", "{count} disturbed samples used"),
    "of-version": "Disktuner {version}",
    "measured-on": ("{count} sample in {rounds} on {disk}", "{count} samples in {rounds} on {disk}"),
    "measured-in": ("{count} sample in {rounds} on {disk}, {path}", "{count} samples in {rounds} on {disk}, {path}"),
    "result-title": "{disk}, {when}",
    "caution-several": "{caution} (And {count} more of this kind: see all samples.)",
    "how-measured": (
        "Bars show the ratio to the baseline with 95 % confidence for all of them together. Schedulers ran in random "
        "order and are compared within rounds; each dot is one round. “No practical difference” means that the whole "
        "bar lies within ±5 %."
    ),
    # presentation: samples one by one
    "counts": "yes",
    "counts-disturbed": "yes; {reason!s}",
    "does-not-count": "no",
    "does-not-count-because": "no; {reason!s}",
    # presentation: two results
    "first": "First",
    "second": "Second",
    "first-answer": "First: {title}. {why}",
    "second-answer": "Second: {title}. {why}",
    "not-compared": "Not compared: {label:named}, because {reason!s}.",
    "from-to": "{before} → {after}",
    "against-first": "times better than the first result →",
    "not-in-turns": (
        "The two were not measured in turns: whatever else changed between them (other files, temperature, other work) "
        "is part of the difference."
    ),
}
