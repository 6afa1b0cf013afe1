# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences and units of the window, in one place; those about results are told in ``telling``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk, Mount, Suggestion
from disktuner.gui.choice import Choice
from disktuner.vocabulary.messages import named, say
from disktuner.vocabulary.schedulers import SCHEDULERS
from disktuner.vocabulary.schedulers import scheduler as facts_of
from disktuner.vocabulary.workloads import WORKLOADS

APP = "Disktuner"
TITLE_DONE = "Result – Disktuner"
AS_ROOT = (
    "Disktuner's window does not run as root, because measurements must run as you and a window with all rights "
    "is a risk. Start it as your usual user: it asks for the administrator's password when it needs it."
)
NO_SCREEN = "There is no screen to open the window on. Use “disktuner list” and “disktuner compare” in the terminal."

DISKS = "Disks"
MONITOR = "Monitor"
BACK = "Back"
NEXT = "Next"
CANCEL = "Cancel"
CLOSE = "Close"
APPLY = "Apply"
FIND_BEST = "Find the best scheduler…"
CHANGE = "Change…"
GO_BACK = "Go back"
TRY_AGAIN = "Try again"
SHOW_OTHERS = "Show {count} more that cannot be tuned"
HIDE_OTHERS = "Hide those that cannot be tuned"

LEFTOVERS = "An interrupted measurement left {size} in {folder}. It can be removed; your own files are not touched."
LEFTOVERS_SEVERAL = (
    "Interrupted measurements left {size} in {count} folders, the first in {folder}. They can be removed."
)
LEFTOVERS_REMOVE = "Remove"
LEFTOVERS_GONE = "What interrupted measurements had left is removed: {size} are free again."
LEFTOVERS_STAY = "{folder} could not be removed. Look for the disk's errors (dmesg), then start Disktuner again."

READING = "Looking at the disks of this computer…"
NO_DISKS = "No disks to tune"
NO_DISKS_WHY = (
    "The kernel shows no disk with a choice of schedulers. In a container or on a very small virtual machine "
    "that is normal; a disk that you plug in appears here by itself."
)
READ_FAILED = "The disks cannot be read"
NO_HELPER = "Changes are not possible right now"
NO_HELPER_WHY = (
    "You can look at the disks, but Disktuner's helper, which sets schedulers, cannot be reached. {reason} "
    "Install Disktuner completely (./dev install from a checkout) and try again."
)
NO_RIGHTS = "Nothing was changed. {why}"
ANOTHER_BY_NOW = (
    "{disk} is another disk by now than the one that was measured, so nothing was changed. Measure this one anew."
)
CHANGED_BEFORE = "Changed before that: {disks}. “Go back” on its card puts it back."
VANISHED = "{disk} is gone: it was removed or switched off. Plug it in again to go on."
DONE_SET = "{disk} now uses {scheduler}, until the next restart."
DONE_SET_THEN = "{disk} now uses {scheduler}, until the next restart; then {kept} again, which you keep."
DONE_PERSIST = "{disk} uses {scheduler} from now on, after every restart too."
DONE_PERSIST_UNLESS = "{disk} uses {scheduler} now. {outlook}"
DONE_HALF = "{disk} uses {scheduler} now, but none of its fine settings was changed. {why}"
DONE_BACK = "{disk} is back at what it had before: {scheduler}."
DONE_FORGOT = "{disk} is back at {scheduler}, and the rule for later starts is removed."
DONE_FORGOT_ONLY = "The rule for later starts of {disk} is removed. It keeps {scheduler} until the next restart."
DONE_CHANGED = "The changes to {disk} are applied, until the next restart."
DONE_CHANGED_THEN = "The changes to {disk} are applied, until the next restart; then what you keep holds again."
WORKING = "Waiting for the helper. If a password is asked for, it is yours or an administrator's."
NO_MOUNT = "Nothing of it is mounted, so there is no place to measure on. Mount a file system of it first."
LIES_ELSEWHERE = "This folder lies on {there}: that disk will be measured, not {asked}."
LIES_ON_SEVERAL = "This folder lies on several disks: {disks}. They are switched and measured together."
NO_WRITABLE_MOUNT = "You may not write to any folder on it. Choose a folder of your own on this disk."

CHOSEN_SESSION = "chosen by you, until restart"
CHOSEN_SESSION_THEN = "chosen by you, until restart; then {kept}"
CHOSEN_PERSISTENT = "chosen by you, also after restart"
CHOSEN_PORT = "chosen by you, also after restart, for whatever disk is plugged in here"
CHOSEN_ELSEWHERE = "you chose {scheduler}, but something else changed it"
NOT_MOUNTED = "Not mounted"
SUGGESTION = "Worth trying first: {scheduler}"
SUGGESTION_SAME = "A good starting point for this kind of disk"

GOING_BACK = "Sets the disk back to {scheduler}."
GOING_BACK_RULE = "The rule for later starts is removed too."
GOING_BACK_RULE_ONLY = "Removes the rule for later starts; {scheduler} stays in use until the next restart."
IDLE = "idle"
ACTIVE = "↓ {read}  ↑ {written}"

GOAL_QUESTION = "What is this disk for?"
GOAL_HINT = "It decides what is measured, and what counts most."
WHERE_QUESTION = "Where, and how long?"
WHERE_HINT = "The measurement works in a folder of its own, which is removed at the end. Your files are not touched."
FOLDER = "Folder to measure in"
CHOOSE_FOLDER = "Choose another folder…"
HOW_LONG = "How long may it take?"
ANNOUNCING = "Looking at the disk for a few seconds, to say how long it takes…"
WILL_TIME = "Time"
WILL_WRITE = "Writes at most"
WILL_NEED = "Room needed"
WILL_COMPARE = "Compares"
WILL_RUN = "Runs"
START = "Start measuring"
START_NOTE = "While it measures, the disk switches between its schedulers. At the end it has the one it has now."
WEAR_NOTE = "That is {share} of what the disk holds: flash wears a little with everything written."
FREE = "{size} free"
NEEDED_OF_FREE = "{needed} of {free} free"

AWAKE_WHY = "Measuring a disk"
STOPPED_HEAD = "Measuring stopped"
DONE_HEAD = "Measured: {answer}"

STEP_GOAL, STEP_WHERE, STEP_RUN, STEP_RESULT = "Purpose", "Where and how long", "Measuring", "Result"
STARTING = "Preparing…"
RUN_OF = "Run {order} of {total}"
RUN_WHAT = "{workload}, with {scheduler}"
TIME_LEFT = "{duration} left"
ALMOST = "Almost done"
PAUSE, RESUME = "Pause", "Continue"
PAUSING = "Pauses after this run"
PAUSED = "The disk keeps the scheduler of the trial until you continue or cancel."
CANCELLING = "Cancelling, and setting the disk back…"
CANCELLED = "Cancelled. The disk has the scheduler it had, and the scratch files are removed."
SO_FAR = "So far"
SO_FAR_EMPTY = "The first comparison appears after the first full round."
THROUGHPUT, LATENCY = "Throughput", "Time per request"
NOT_COUNTED = "getting ready, not counted"
LEAVE_QUESTION = "A measurement is running"
LEAVE_TEXT = "If you stop now, its results so far are kept, and the disk goes back to the scheduler it had."
LEAVE_STOP, LEAVE_STAY = "Stop measuring", "Go on measuring"

TRY_NOW = "Try it now"
KEEP_ALWAYS = "Keep after restart"
KEEP_QUESTION = "{scheduler} will not last on {disk}"
KEEP_ANYWAY = "Keep it all the same"
TRY_WILL_NOT_LAST = "After a restart it will not last. {warnings}"
LEAVE = "Leave as it is"
TRY_TITLE = "Keep {scheduler}?"
TRY_TEXT = (
    "{disk} works with {scheduler} now. Use the computer as you always do and see how it feels: start programs, "
    "copy something."
)
TRY_LEFT = "Without an answer it goes back to {scheduler} in {seconds}."
TRY_BACK = "Go back now"
TRY_KEEP_UNTIL = "Keep until restart"
TRY_OVER = "{disk} is back at {scheduler}: nothing was kept."
DONE = "Done"
TRY_LEADER = "Try {scheduler} now"
KEEP_WHAT_IS = "Keep what I have"
MEASURE_LONGER = "Measure longer ({minutes} min)…"
MEASURE_AGAIN = "Measure again ({minutes} min)…"
MEASURE_HINT = "Shows what it would write before it starts, in the same folder and for the same purpose."
SAVE = "Save or copy"
COPY_PICTURE = "Copy picture"
COPIED = "The picture is on the clipboard. To let others open the result itself, save the picture and send the file."
SAVED = "Saved as {path}."
FORM_LIGHT, FORM_DARK = "Picture, light…", "Picture, dark…"
FORM_SVG = "Vector picture…"
FORM_HTML = "Report to read and print…"
FORM_MARKDOWN = "Table for a forum…"
FORM_CSV = "All samples as a table…"
FORM_JSON = "Result file…"
PERSONAL = "With serial number, paths and notes"
ALL_COURSE = "Live figures"
ALL_SAMPLES = "All samples"
ALL_FIGURES = "All figures"
WAITS = "How long requests waited"
WAITS_HINT = "How many requests waited longer than the time below. Further left is better."
SCALING = "Speed with more threads"
SCALING_HINT = "Requests per second (and bytes) with ever more threads at once. Higher is better."
TRADE_OFF = "Trade-off"
TRADE_OFF_HINT = "Up and to the right is better. The cross is what the disk had."
GAIN = "better: {figure}"
TIMES = "{factor:g}×"
WARNINGS = "Read this before you trust it"
HAD_BEFORE = "what it had"
BASELINE_NOTE = "{baseline} = 100 %, what the disk had before"
BETTER_LOWER, BETTER_HIGHER = "lower is better", "higher is better"
SAMPLE_COLUMNS = ("Run", "Round", "Scheduler", "Figure", "Value", "Counts")
COUNTS = "yes"
CHART_SPEECH = "{scheduler}: {ratio} of {baseline}, between {low} and {high}, {outcome}"
CHART_TOO_FEW = "{scheduler}: too few samples for an interval, {outcome}"

CHANGE_TITLE = "Change {disk}"
CHANGE_SCHEDULER = "Scheduler"
CHANGE_NOTE = "Nothing is changed before you press Apply."
TUNABLES = "Fine settings"
TUNABLES_NONE = "This scheduler has no fine settings."
TUNABLES_LATER = "The fine settings of {scheduler} can be changed once it is in use."
RESET = "Reset"
RESET_ALL = "Reset all"
RESET_ALL_HINT = "Sets every fine setting back to its usual value, or to what this disk had before any change."
RESET_SPEECH = "Set {name} back to {default}"
DEFAULT = "usually {default}"
HAD_FIRST = "before any change {default}"
WAS = "now {value}"
ALSO_KEPT = "kept after restart"
RANGE = "{low} to {high}"
CHANGES = {0: "No changes", 1: "1 change"}
CHANGES_MANY = "{count} changes"
NOT_IN_KERNEL = "This kernel was built without: {names}."
LOADED_FIRST = "{scheduler} (loaded first)"
ALSO_AFTER_RESTART = "Keep after restart"
SCOPE_SESSION = "Holds until the next restart."
SCOPE_RULE = "Holds until the next restart; then what you kept holds again: {kept}."
SCOPE_KEPT = "Holds now and after every restart: {kept}."
SCOPE_KEPT_UNLESS = "Holds now, but will not last: {kept}. {warnings}"

MONITOR_COLUMNS = (
    "Disk",
    "Scheduler",
    "Reads/s",
    "Read",
    "Read wait",
    "Writes/s",
    "Written",
    "Write wait",
    "Queue",
    "Busy",
)
MONITOR_HINT = "What every disk does right now, as “iostat -x” shows it."

HISTORY = "History"
HISTORY_COLUMNS = ("Measured", "Disk", "Purpose", "Answer", "Note")
HISTORY_SEARCH = "Search disk, purpose, answer, note…"
HISTORY_READING = "Reading the kept results…"
HISTORY_EMPTY = (
    "Nothing here yet. Every comparison is kept here; "
    "results and pictures from elsewhere can be dropped on this window."
)
HISTORY_NOT_FOUND = "No result holds all these words."
HISTORY_OPEN = "Open"
HISTORY_COMPARE = "Compare two"
HISTORY_NOTE = "Note…"
HISTORY_REMOVE = "Remove…"
HISTORY_REMOVE_NOW = "Remove"
HISTORY_ADD = "Add a file…"
HISTORY_ADDED = "The result is kept in your history."
HISTORY_COMPARED = "Two results compared"
HISTORY_COMPARE_HOW = "Choose two results (with Ctrl) to compare them."
RESULT_FILTER = "Results and pictures (*.json *.png);;All files (*)"
NOTE_LABEL = "Note on {disk}, {when}"
REMOVE_QUESTION = "Remove this result for good?"
REMOVE_TEXT = "{disk}, {when}. Its figures cannot be brought back, unless you saved them elsewhere."
FIRST_SECOND = ("First", "Second")
BETWEEN_CAVEAT = (
    "The two were not measured in turns: whatever else changed between them (other files, temperature, other work) is "
    "part of the difference."
)
BETWEEN_NOTE = (
    "100 % is the first result; dots with lines are the second, with 95 % confidence for all of them together."
)
NOT_THE_SAME = "Not the same"

_HYPHENED = tuple(name for name in SCHEDULERS if "-" in name)
_DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB")


def plain(text: str) -> str:
    """A text for a place where Qt guesses whether it is markup (tool tips, dialogs): shown as it is, whatever it is."""
    if "<" not in text and "&" not in text:
        return text
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


def size(count: float) -> str:
    """A number of bytes as disk makers print it: 1000 to a step, three figures."""
    value, unit = float(count), 0
    while value >= 999.5 and unit < len(_DECIMAL) - 1:
        value, unit = value / 1000, unit + 1
    digits = 0 if unit == 0 or value >= 99.5 else 1 if value >= 9.95 else 2
    text = f"{value:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {_DECIMAL[unit]}"


def rate(bytes_per_s: float) -> str:
    """Bytes a second."""
    return f"{size(bytes_per_s)}/s"


def latency(seconds: float | None) -> str:
    """A time per request in µs, ms or s."""
    if seconds is None:
        return "–"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale * 0.9995:
            value = seconds / scale
            return f"{value:.0f} {unit}" if value >= 99.5 else f"{value:.3g} {unit}"
    return "0 ms"


def duration(seconds: float) -> str:
    """A rough duration that a person can plan with."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"{round(seconds / 10) * 10} seconds"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"


def seconds(count: int) -> str:
    """Whole seconds, for a countdown."""
    return "1 second" if count == 1 else f"{count} seconds"


def one_in(share: float) -> str:
    """A small share as people say it."""
    return "half" if share == 0.5 else f"1 in {round(1 / share):,}"


def threads(count: int) -> str:
    """How many work at once."""
    return "1 thread" if count == 1 else f"{count} threads"


def speed(ios_per_s: float, bytes_each: float | None) -> str:
    """Requests a second, with the bytes that this is."""
    text = f"{ios_per_s:,.0f}/s" if ios_per_s >= 10 else f"{ios_per_s:.2g}/s"
    return text if bytes_each is None else f"{text} · {rate(ios_per_s * bytes_each)}"


def percent(share: float) -> str:
    """A share as whole percent, finer below 10."""
    value = share * 100
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.1f} %"


def figure(value: float, unit: str) -> str:
    """A measured value with its unit."""
    if unit == "s":
        return latency(value)
    if unit == "bytes_per_s":
        return rate(value)
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{text}/s" if unit == "per_s" else f"{text} {unit}".strip()


def titles(disks: Sequence[Disk]) -> str:
    """Disks that are measured and changed together, as one name."""
    return " + ".join(disk.title for disk in disks)


def before(disks: Sequence[Disk]) -> str:
    """The schedulers that disks have, once where it is the same."""
    names = dict.fromkeys(disk.scheduler or "" for disk in disks)
    if len(names) == 1:
        return next(iter(names))
    return ", ".join(f"{disk.scheduler} ({disk.name})" for disk in disks)


def unbroken(text: str) -> str:
    """The same text, in which no line ends within the name of a scheduler: only to be shown, not to be copied."""
    for name in _HYPHENED:
        text = text.replace(name, name.replace("-", "\N{NON-BREAKING HYPHEN}"))
    return text


def kind(disk: Disk) -> str:
    """What it is, with a word of doubt where the sources contradict each other."""
    text = named(disk.kind.name)
    return text if disk.kind_certain else f"probably: {text}"


def headline(disk: Disk) -> str:
    """The name a person knows a disk by."""
    known = " ".join(part for part in (disk.vendor, disk.model) if part)
    return known or named(disk.kind.name)


def details(disk: Disk) -> str:
    """Size, kind and the kernel's name in one line."""
    parts = (size(disk.size_bytes), kind(disk), disk.name)
    return " · ".join(part for part in parts if part)


def places(mounts: tuple[Mount, ...], shown: int = 3) -> str:
    """Where a disk is mounted, with the free room of the first."""
    if not mounts:
        return NOT_MOUNTED
    paths = ", ".join(mount.path for mount in mounts[:shown])
    more = f" and {len(mounts) - shown} more" if len(mounts) > shown else ""
    free = max(mount.free_bytes for mount in mounts)
    return f"{paths}{more} · {FREE.format(size=size(free))}"


def scheduler(name: str | None) -> str:
    """What a scheduler does, in plain words."""
    return named(facts_of(name).about) if name else ""


def workload(workload_id: str) -> str:
    """What a workload does, in plain words; its id where another program or version measured it."""
    facts = WORKLOADS.get(workload_id)
    return named(facts.activity[:1].upper() + facts.activity[1:]) if facts else workload_id


def changes(count: int) -> str:
    """How many settings differ."""
    return CHANGES.get(count) or CHANGES_MANY.format(count=count)


def title_progress(done: int, total: int) -> str:
    """The window's title while it measures, so that a minimised window tells how far it is."""
    return f"{round(100 * done / max(total, 1))} % – {APP}"


def chosen(disk: Disk, choice: Choice) -> str:
    """Whether the disk's scheduler is the user's choice, and for how long; empty where it is not."""
    kept = disk.persistent.scheduler if disk.persistent else choice.chosen
    held = disk.until_restart
    wanted = held.scheduler if held else kept
    if wanted is not None and wanted != disk.scheduler and (held or choice.is_ours):
        return CHOSEN_ELSEWHERE.format(scheduler=wanted)
    if held or kept is None:
        lasting = CHOSEN_SESSION if kept in {None, disk.scheduler} else CHOSEN_SESSION_THEN.format(kept=kept)
        return lasting if held or choice.is_ours else ""
    return CHOSEN_PORT if disk.persistent and disk.persistent.by_port else CHOSEN_PERSISTENT


def done_set(disks: Sequence[Disk], scheduler_name: str) -> str:
    """That a scheduler is used until the next restart, and what comes then."""

    def said(disk: Disk, called: str) -> str:
        kept = disk.persistent.scheduler if disk.persistent else scheduler_name
        text = DONE_SET if kept == scheduler_name else DONE_SET_THEN
        return text.format(disk=called, scheduler=scheduler_name, kept=kept)

    return _of_all(disks, said)


def done_persist(disks: Sequence[Disk], scheduler_name: str, outlook: Callable[[Disk], str]) -> str:
    """That a scheduler is kept, or what becomes of it instead: ``outlook`` of a disk, empty where it lasts."""

    def said(disk: Disk, called: str) -> str:
        text = DONE_PERSIST_UNLESS if outlook(disk) else DONE_PERSIST
        return text.format(disk=called, scheduler=scheduler_name, outlook=outlook(disk))

    return _of_all(disks, said)


def _of_all(disks: Sequence[Disk], said: Callable[[Disk, str], str]) -> str:
    """One sentence where the same is true of all, else one for each; ``said`` of a disk under a name."""
    if len({said(disk, "") for disk in disks}) == 1:
        return said(disks[0], titles(disks))
    return " ".join(said(disk, disk.title) for disk in disks)


def going_back(disk: Disk, choice: Choice) -> str:
    """What *Go back* will do."""
    if not choice.before:
        return GOING_BACK_RULE_ONLY.format(scheduler=disk.scheduler)
    what = GOING_BACK.format(scheduler=choice.before)
    return f"{what} {GOING_BACK_RULE}" if disk.persistent or choice.persistent else what


def suggestion(disk: Disk, first: Suggestion | None) -> str:
    """The starting point for a disk, with its reason; never worded as a finding."""
    if first is None:
        return ""
    if first.scheduler == disk.scheduler:
        return f"{SUGGESTION_SAME}: {say(first.why)}"
    return f"{SUGGESTION.format(scheduler=first.scheduler)}. {say(first.why)}"


def about_choice(disk: Disk, chosen: str) -> str:
    """What a scheduler does, and which known ones this kernel cannot have."""
    missing = ", ".join(disk.compiled_out)
    about = f"{chosen}: {scheduler(chosen)}"
    return f"{about} {NOT_IN_KERNEL.format(names=missing)}" if missing else about


def activity(figures: Figures) -> str:
    """What a disk does right now."""
    if figures.read_bytes_per_s + figures.write_bytes_per_s < 1000:
        return IDLE
    return ACTIVE.format(read=rate(figures.read_bytes_per_s), written=rate(figures.write_bytes_per_s))


def time_left(seconds: float) -> str:
    """How long it still takes."""
    return TIME_LEFT.format(duration=duration(seconds))


def tunable_limits(low: int, high: int, unit: str, default: int | None, first: int | None) -> str:
    """The range of a tunable, with the kernel's default, or what this disk had first where the kernel has none."""
    limits = f"{RANGE.format(low=f'{low:,}', high=f'{high:,}')} {unit}".strip()
    if default is not None:
        return f"{limits}, {DEFAULT.format(default=f'{default:,}')}"
    return limits if first is None else f"{limits}, {HAD_FIRST.format(default=f'{first:,}')}"


def kept(scheduler_name: str, tunables: Mapping[str, object]) -> str:
    """What a rule for later starts sets, in one line."""
    settings = (f"{name.partition('/')[2]} {value}" for name, value in tunables.items())
    return ", ".join((scheduler_name, *settings))


def scope(wanted_kept: str | None, rule: str | None, warnings: Sequence[str] = ()) -> str:
    """For how long a change holds: what would be kept, what is kept already, and who would undo it."""
    more = " ".join(warnings)
    if wanted_kept is not None:
        return (SCOPE_KEPT_UNLESS if warnings else SCOPE_KEPT).format(kept=wanted_kept, warnings=more)
    return f"{SCOPE_SESSION if rule is None else SCOPE_RULE.format(kept=rule)} {more}".rstrip()
