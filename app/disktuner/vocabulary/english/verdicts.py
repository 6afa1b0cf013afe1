# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences that a verdict says, and of the result as people see it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # vocabulary/differences.py: how a value differs from the baseline's; "amount" is 1.2× or 40×
    "no-difference": "no difference",
    "is-faster": "{by:amount} faster",
    "is-slower": "{by:amount} slower",
    "is-better": "{by:amount} better",
    "is-worse": "{by:amount} worse",
    "is-less": "{by:amount} less",
    "is-more": "{by:amount} more",
    "range-faster": "{low:factor} to {high:factor} faster",
    "range-slower": "{low:factor} to {high:factor} slower",
    "range-better": "{low:factor} to {high:factor} better",
    "range-worse": "{low:factor} to {high:factor} worse",
    "range-less": "{low:factor} to {high:factor} less",
    "range-more": "{low:factor} to {high:factor} more",
    "slower-to-faster": "{low:factor} slower to {high:factor} faster",
    "worse-to-better": "{low:factor} worse to {high:factor} better",
    "more-to-less": "{low:factor} more to {high:factor} less",
    "interval-at-least": "at least {least:least}",
    "at-least-faster": "{about:about} faster (at least {least:least})",
    "at-least-better": "{about:about} better (at least {least:least})",
    "at-least-less": "{about:about} less (at least {least:least})",
    "far-faster-at-least": "more than 10× faster (at least {least:least})",
    "far-better-at-least": "more than 10× better (at least {least:least})",
    "far-less-at-least": "more than 10× less (at least {least:least})",
    "far-faster": "more than 10× faster",
    "far-better": "more than 10× better",
    "far-less": "more than 10× less",
    "far-slower": "more than 10× slower",
    "far-worse": "more than 10× worse",
    "far-more": "more than 10× more",
    # verdict/why.py: what a verdict is about
    "activity": "{activity:named}",
    "figure": "“{label:named}”",
    "purpose": "{purpose:named}",
    "all-that-decides": "all that decides",
    # verdict/why.py: a result that has no end
    "cut-off-before-first-round": "Interrupted before its first round (unless it is still being measured).",
    "cut-off-in-round": "Interrupted in round {round} (unless it is still being measured).",
    # verdict/why.py: switch and trade-off
    "winner-gains": "{winner:scheduler} is {difference} for {subject}.",
    "part-is": "For {subject}, it is {difference}.",
    "price": "The price: {difference} for {subject}.",
    "price-beyond": "The price: {difference} for {subject}, more than this goal accepts ({most}).",
    # verdict/why.py: conditional
    "if-so-much": "Switch if {subject} may be {worst}; measured: {difference}.",
    "more-would-tell": (
        "{count} more round ({seconds:duration}) would tell.",
        "{count} more rounds ({seconds:duration}) would tell.",
    ),
    "if-unknown": "What it costs was not measured enough: {subject}.",
    "your-call": (
        "Both cannot be had: take {winner:scheduler} if the gain matters more to you, else keep {baseline:scheduler}."
    ),
    "your-call-of-tuning": (
        "Both cannot be had: take {winner:scheduler} if the gain matters more to you, else {baseline:scheduler} as it "
        "is."
    ),
    "gains-more": "{scheduler:scheduler} gains more: it is {difference} for {subject}, but at a price.",
    # verdict/why.py: keep
    "no-practical-difference": (
        "No practical difference for {subject}: at most {difference} than with {baseline:scheduler} (95 % sure)."
    ),
    "no-more-than": "Nothing is more than {difference} than {baseline:scheduler} for {subject} (95 % sure).",
    "nothing-better": "Nothing is better than {baseline:scheduler} for {subject}.",
    "are-worse": ("{schedulers:scheduler} is worse.", "{schedulers:scheduler} are worse."),
    # verdict/why.py: tuning
    "tuning-gains-nothing": "Tuning gains nothing that is worth it.",
    "left-out-early": (
        "Left out early, for it was behind: {settings:scheduler}.",
        "Left out early, for they were behind: {settings:scheduler}.",
    ),
    # verdict/why.py: undecided
    "leads": "{leader:scheduler} leads: {chance:percent} likely to gain {worth:amount} or more.",
    "more-rounds": (
        "About {count} more round would tell.",
        "About {count} more rounds would tell.",
    ),
    "more-rounds-in-time": (
        "About {count} more round ({seconds:duration}) would tell.",
        "About {count} more rounds ({seconds:duration}) would tell.",
    ),
    "not-all-measured": (
        "{settings:scheduler} was not measured for this. Compare again for this goal.",
        "{settings:scheduler} were not measured for this. Compare again for this goal.",
    ),
    "runs-vary-too-much": (
        "The runs vary too much to decide: even {count} more round would not be enough. Close other programs that use "
        "the disk and measure again, or keep what you have.",
        "The runs vary too much to decide: even {count} more rounds would not be enough. Close other programs that use "
        "the disk and measure again, or keep what you have.",
    ),
    "too-little-measured": "Too little was measured to compare anything. Compare again.",
    "no-valid-sample": "There is no valid sample to judge. Measure again, with nothing else using the disk.",
    "baseline-not-measured": (
        "The baseline {baseline:scheduler} was not measured, so nothing can be compared with it. Measure it too."
    ),
    "only-baseline-measured": (
        "Only {baseline:scheduler} was measured, so there is nothing to compare it with. Compare two schedulers."
    ),
    "nothing-decides": "Nothing was measured that decides for {purpose:named}. Compare again with a goal that fits.",
    "nothing-decides-without-goal": (
        "Without a goal, nothing that was measured decides. Compare again with a goal that fits."
    ),
    "impossible-values": "The values of “{label:named}” are zero or negative, which cannot be. Measure again.",
    # presentation/priorities.py
    "priority-honoured": "{scheduler:scheduler} honours {commands:list} on this disk.",
    "priority-ignored": "{scheduler:scheduler} does not honour {commands:list} on this disk.",
    "priority-unclear": "Whether {scheduler:scheduler} honours {commands:list} on this disk cannot be decided.",
    # presentation/comparing.py: from one result to another
    "nothing-in-common": "Nothing can be compared: the two results have no figure and scheduler in common.",
    "second-differs": "With {scheduler:scheduler}, the second result is {difference} for {subject}.",
    "more-are-better": ("{count} more comparison is better.", "{count} more comparisons are better."),
    "more-are-worse": ("{count} more comparison is worse.", "{count} more comparisons are worse."),
    "second-is-same": "No practical difference: everything that both measured is within 5 %.",
    "second-is-unclear": "No difference is proved: more rounds in both would show whether there is one.",
    "other-unit": "“{label:named}” is not compared: the two results give it another unit or direction.",
    "other-size": "“{label:named}” is not compared: it was measured with another amount of work.",
    # presentation: the answer as a title
    "answer-switch": "Switch to {winner:scheduler}",
    "answer-conditional": "Switch to {winner:scheduler}, on a condition",
    "answer-keep": "Keep {baseline:scheduler}",
    "answer-trade-off": "Your call: {winner:scheduler} or {baseline:scheduler}",
    "answer-undecided": "Not decided yet",
    "answer-tuning-keep": "Keep plain {baseline:scheduler}",
    "answer-tuning-take": "Take plain {baseline:scheduler}",
    # presentation/glance.py: the answer at one glance
    "glance-sure": "95 % sure",
    "glance-likely": "{chance:percent} likely",
    "glance-leads": "Not decided yet: {leader:scheduler} leads",
    "glance-gain": "{value} instead of {now} for {subject}.",
    "glance-price": "Price: {value} instead of {now} for {subject}.",
    "glance-price-beyond": "Price: {value} instead of {now} for {subject}; this goal accepts {most} at most.",
    "glance-score": "All that decides for {purpose:named}",
    # presentation: the answer in a list of results
    "headline-switch": "{winner:setting}: {difference}",
    "headline-conditional": "{winner:setting}: {difference}, on a condition",
    "headline-trade-off": "{winner:setting}: {difference}, at a price",
    "headline-leads": "Not decided: {leader:setting} leads ({chance:percent})",
    # presentation: what a button says that adds rounds to a result
    "measure-on": "Measure longer…",
    "measure-on-for": "Measure longer ({seconds:duration})…",
    "measure-on-rounds": ("Measure longer ({count} round)…", "Measure longer ({count} rounds)…"),
    # presentation: settings that competed, and each tunable over its values
    "tried-source": "From {source}.",
    "tried-left-out": "Left out early, for it was behind.",
    "graph-empty": "not measured",
    # presentation: rows of a figure
    "lower-is-better": "lower is better",
    "higher-is-better": "higher is better",
    "had-before": "now",
    "is-tuned": "what is tuned",
    "now-is": "now: {baseline:setting}",
    "filesystem-on": "{fstype} on {path}",
    "writing-meanwhile": "writing meanwhile",
    "reading-meanwhile": "reading meanwhile",
    "finding-better": "better",
    "finding-worse": "worse",
    "finding-same": "same",
    "finding-undecided": "can't tell",
    # presentation/bars.py
    "bars-title": "{label} ({direction})",
    "shorter-is-better": "shorter is better",
    "longer-is-better": "longer is better",
    "rows-more": ("{count} more", "{count} more"),
    "row-of-baseline": "{scheduler:setting}: {value}, now",
    "row-of-plain": "{scheduler:setting}: {value}, what is tuned",
    "row-alone": "{scheduler:setting}: {value}",
    "row-of-unclear": "{scheduler:setting}: {value}, {finding}",
    "row-of-other": "{scheduler:setting}: {value}, {difference}, with 95 % confidence {interval}: {finding}",
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
    "caution-several": (
        "{caution} (And {count} more of this kind: see all samples.)",
        "{caution} (And {count} more of this kind: see all samples.)",
    ),
    "how-measured": (
        "Each interval holds the true difference with 95 % confidence; “at least” is its lower end. Schedulers ran in "
        "random order and are compared within rounds; dots are single rounds. “Same” means that the whole interval "
        "lies within ±5 %."
    ),
    # presentation: samples one by one
    "counts": "yes",
    "counts-disturbed": "yes: {reason!s}",
    "does-not-count": "no",
    "does-not-count-because": "no: {reason!s}",
    # presentation: two results
    "first": "First",
    "second": "Second",
    "first-answer": "First: {title}. {why}",
    "second-answer": "Second: {title}. {why}",
    "from-to": "{before} → {after}",
    "not-the-same": "Not the same: {what}: {first} → {second}",
    "not-in-turns": (
        "The two were not measured in turns: whatever else changed between them (other files, temperature, other work) "
        "is part of the difference."
    ),
}
