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
    "range-faster": "{low:least} to {high:most} faster",
    "range-slower": "{low:least} to {high:most} slower",
    "range-better": "{low:least} to {high:most} better",
    "range-worse": "{low:least} to {high:most} worse",
    "range-less": "{low:least} to {high:most} less",
    "range-more": "{low:least} to {high:most} more",
    "slower-to-faster": "{low:most} slower to {high:most} faster",
    "worse-to-better": "{low:most} worse to {high:most} better",
    "more-to-less": "{low:most} more to {high:most} less",
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
    "at-most-faster": "{by:most} faster",
    "at-most-better": "{by:most} better",
    "at-most-less": "{by:most} less",
    # vocabulary/differences.py: a measured value
    "value-time": "{value:time}",
    "value-in-s": "{value:in_s}",
    "value-in-ms": "{value:in_ms}",
    "value-in-us": "{value:in_us}",
    "value-rate": "{value:rate}",
    "value-per-second": "{value:per_s}",
    "value-number": "{value:digits}",
    "value-in-unit": "{value:digits} {unit}",
    # verdict/answer.py: what a verdict is about
    "activity": "{activity:named}",
    "figure": "“{label:named}”",
    # verdict/answer.py: a result that has no end
    "cut-off-before-first-round": "Interrupted before the first round (unless it is still running).",
    "cut-off-in-round": "Interrupted in round {round} (unless it is still running).",
    # verdict/answer.py: switch and trade-off
    "measured-differs": "{subject!a}: {value} instead of {now}, {difference}.",
    "measured-same": "{subject!a}: no noticeable difference ({value} instead of {now}).",
    "measured-unclear": "{subject!a}: can't tell ({value} instead of {now}).",
    "only-mean-gains": "Only the average over everything that counts shows it: {winner:scheduler} is {difference}.",
    "winner-gains": "{winner:scheduler} is {difference} for {subject}.",
    "part-is": "For {subject}, it is {difference}.",
    "price": "Price: {difference} for {subject}.",
    "price-beyond": "Price: {difference} for {subject}; this goal accepts at most {most}.",
    # verdict/answer.py: conditional
    "if-so-much": "Switch if {subject} may be up to {worst}; measured: {difference}.",
    "more-would-tell": (
        "{count} more round ({seconds:duration}) should settle it.",
        "{count} more rounds ({seconds:duration}) should settle it.",
    ),
    "if-unknown": "Its price was not measured well enough: {subject}.",
    "if-unmeasured": "Its price was not measured: {subject}.",
    "your-call": "You cannot have both: take {winner:scheduler} if the gain matters more to you, otherwise keep "
    "{baseline:scheduler}.",
    "your-call-of-tuning": "You cannot have both: take {winner:scheduler} if the gain matters more to you, otherwise "
    "take {baseline:scheduler} untuned.",
    "gains-more": "{scheduler:scheduler} gains more, but at a price.",
    # verdict/answer.py: keep
    "no-practical-difference": "No practical difference for {subject}: at most {difference} than with "
    "{baseline:scheduler} (95 % sure).",
    "no-more-than": "Nothing is more than {difference} than {baseline:scheduler} for {subject} (95 % sure).",
    "nothing-better": "Nothing is better than {baseline:scheduler} for {subject}.",
    "no-practical-difference-in-all": "No practical difference on average over everything that counts: at most "
    "{difference} than with {baseline:scheduler} (95 % sure).",
    "no-more-than-in-all": "On average over everything that counts, nothing is more than {difference} than "
    "{baseline:scheduler} (95 % sure).",
    "nothing-better-in-all": "On average over everything that counts, nothing is better than {baseline:scheduler}.",
    "nothing-noticed": "Nothing is noticeably better than {baseline:scheduler}.",
    "nothing-felt": "On this disk, nothing that you could feel depends on the scheduler.",
    "no-gain-felt": "On this disk, no other scheduler gains anything that you could feel.",
    "values-alike": "{subject!a}: {now} with {baseline:scheduler}, {value} with {setting:scheduler}.",
    "better-alone": "{subject!a} alone: {value} with {setting:scheduler} instead of {now}.",
    "are-worse": ("{schedulers:scheduler} is worse.", "{schedulers:scheduler} are worse."),
    # verdict/answer.py: tuning
    "tuning-gains-nothing": "Tuning gains too little to be worth it.",
    "left-out-early": (
        "Dropped early, as it was behind: {settings:scheduler}.",
        "Dropped early, as they were behind: {settings:scheduler}.",
    ),
    # verdict/answer.py: undecided
    "measured-so-far": "{subject!a}: {value} instead of {now} so far.",
    "mean-so-far": "On average over everything that counts, {leader:scheduler} is {difference} so far; this is not "
    "certain yet.",
    "nothing-shown": "Nothing is certain yet.",
    "more-rounds": (
        "About {count} more round should settle it.",
        "About {count} more rounds should settle it.",
    ),
    "more-rounds-in-time": (
        "About {count} more round ({seconds:duration}) should settle it.",
        "About {count} more rounds ({seconds:duration}) should settle it.",
    ),
    "more-use": "About another {seconds:duration} of use should settle it.",
    "more-use-unknown": "Can't tell yet how much more use it takes.",
    "not-all-measured": "{settings:scheduler}: too little was measured for this goal. Compare again.",
    "runs-vary-too-much": (
        "The runs vary too much: even {count} more round would not be enough. Close other programs that use the disk "
        "and measure again, or change nothing.",
        "The runs vary too much: even {count} more rounds would not be enough. Close other programs that use the disk "
        "and measure again, or change nothing.",
    ),
    "too-little-measured": "Too little was measured for a comparison. Compare again.",
    "no-valid-sample": "There are no valid samples. Measure again, with nothing else using the disk.",
    "baseline-not-measured": "The baseline, {baseline:scheduler}, was not measured. Measure it too.",
    "only-baseline-measured": "Only {baseline:scheduler} was measured. Compare it with another scheduler.",
    "nothing-decides": "Nothing that counts for {purpose:named} was measured. Choose a goal that fits, and compare "
    "again.",
    "nothing-decides-without-goal": "This result has no goal, so there is no verdict. Choose a goal, and compare "
    "again.",
    "impossible-values": "“{label:named}” has values of zero or less, which is impossible. Measure again.",
    # presentation/priorities.py
    "priority-honoured": "{scheduler:scheduler} honours {commands:list} on this disk.",
    "priority-ignored": "{scheduler:scheduler} does not honour {commands:list} on this disk.",
    "priority-unclear": "Whether {scheduler:scheduler} honours {commands:list} on this disk is unclear.",
    # presentation/comparing.py: two results side by side
    "both-recommend": "Both results recommend {setting:setting}",
    "each-recommends": "The first result recommends {first:setting}, the second {second:setting}",
    "nothing-in-common": "The two results cannot be compared: they have no scheduler and figure in common.",
    "other-unit": "“{label:named}” is not compared: its unit or direction differs.",
    "other-size": "“{label:named}” is not compared: the amount of work differs.",
    # presentation: the answer as a title
    "answer-switch": "Switch to {winner:scheduler}",
    "answer-conditional": (
        "Switch to {winner:scheduler}, on one condition",
        "Switch to {winner:scheduler}, on {count} conditions",
    ),
    "answer-keep": "Keep {baseline:scheduler}",
    "answer-trade-off": "Your call: {winner:scheduler} or {baseline:scheduler}",
    "answer-undecided": "Not decided yet",
    "answer-tuning-keep": "Keep {baseline:scheduler} untuned",
    "answer-tuning-take": "Take {baseline:scheduler} untuned",
    # presentation/glance.py: the answer at one glance
    "glance-sure": "95 % sure",
    "glance-leads": "Not decided yet: {leader:scheduler} leads",
    "glance-gain-daily-use": "Per hour of use, programs freeze for {value} instead of {now}: {difference}.",
    "glance-price": "Price: {value} instead of {now} for {subject}.",
    "glance-price-beyond": "Price: {value} instead of {now} for {subject}; this goal accepts at most {most}.",
    "glance-score": "Mean of all that counts",
    "glance-subject": "{subject!a}",
    "glance-instead": "instead of {now}",
    # presentation/certainty.py: beside an axis of factors with a mark at "worth"
    "sure-at-least": "95 % sure: at least {least:least}",
    "sure-gains": "95 % sure that it gains",
    "sure-far": "95 % sure: more than 10×",
    "sure-less": "95 % sure: less than the {worth:factor} that is worth switching for",
    "sure-not-yet": "Not sure yet that it reaches the {worth:factor} that is worth switching for",
    "sure-axis": "{setting:setting}: {gain:factor}. {finding}",
    # presentation: the answer in a list of results
    "headline-switch": "{winner:setting}: {difference}",
    "headline-conditional": (
        "{winner:setting}: {difference}, on one condition",
        "{winner:setting}: {difference}, on {count} conditions",
    ),
    "headline-trade-off": "{winner:setting}: {difference}, at a price",
    "headline-leads": "Not decided: {leader:setting} leads",
    # presentation: what a button says that adds rounds to a result
    "measure-more": "Measure longer…",
    "measure-more-for": "Measure longer ({seconds:duration})…",
    "measure-more-rounds": ("Measure longer ({count} round)…", "Measure longer ({count} rounds)…"),
    # presentation: settings that competed, and each tunable over its values
    "tried-source": "Source: {source}.",
    "tried-left-out": "Dropped early, as it was behind.",
    "graph-empty": "not measured",
    # presentation: rows of a figure
    "lower-is-better": "lower is better",
    "higher-is-better": "higher is better",
    "had-before": "now",
    "is-tuned": "untuned",
    "now-is": "now: {baseline:setting}",
    "filesystem-on": "{fstype} on {path}",
    "writing-meanwhile": "writing in the background",
    "reading-meanwhile": "reading in the background",
    "writing-beside": "writing during “{activity:named}”",
    "reading-beside": "reading during “{activity:named}”",
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
    "row-of-plain": "{scheduler:setting}: {value}, untuned",
    "row-alone": "{scheduler:setting}: {value}",
    "row-of-unclear": "{scheduler:setting}: {value}, {finding}",
    "row-of-other": "{scheduler:setting}: {value}, {difference}, with 95 % confidence {interval}: {finding}",
    # presentation: what a result rests on
    "unnamed-disk": "unnamed disk",
    "of-kernel": "kernel {release}",
    "felt-on": "felt on {disk}",
    "of-goal": "goal: {goal:named}",
    "of-rounds": ("{count} round", "{count} rounds"),
    "with-more-disks": ("with {count} more disk", "with {count} more disks"),
    "samples-left-out": ("{count} invalid sample not used", "{count} invalid samples not used"),
    "samples-disturbed": ("{count} disturbed sample used", "{count} disturbed samples used"),
    "of-version": "Disktuner {version}",
    "measured-on": ("{count} sample in {rounds} on {disk}", "{count} samples in {rounds} on {disk}"),
    "measured-in": ("{count} sample in {rounds} on {disk}, {path}", "{count} samples in {rounds} on {disk}, {path}"),
    "result-title": "{disk}, {when}",
    "caution-several": (
        "{caution} ({count} more of this kind.)",
        "{caution} ({count} more of this kind.)",
    ),
    "how-measured": "Schedulers ran in random order and are compared round by round. Intervals contain the true "
    "difference with 95 % confidence; “at least” is the lower end. “Same” means that every difference in the interval "
    "is within ±5 %, or too small for anyone to notice.",
    "each-dot": "Each dot is one round.",
    # presentation: samples one by one
    "counts": "yes",
    "counts-disturbed": "yes: {reason!s}",
    "does-not-count": "no",
    "does-not-count-because": "no: {reason!s}",
    # presentation/changes.py
    "from-to": "{before} → {after}",
    # presentation: two results
    "first": "First",
    "second": "Second",
    "first-answer": "First: {title}. {answer}. {why}",
    "second-answer": "Second: {title}. {answer}. {why}",
    "not-the-same": "{what} differs: {first} → {second}",
    "not-in-turns": "The two results were not measured in turns: anything else that changed in between (files, "
    "temperature, other programs) is part of the difference.",
}
