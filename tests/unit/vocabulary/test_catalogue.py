# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue holds every sentence that a person reads, each is used, and no code looks into one."""

from __future__ import annotations

import string

import pytest
from tests.unit.vocabulary import syntax
from tests.unit.vocabulary.syntax import Module, Use, parsed

from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS

OTHERS_WORDS = {
    ("block/record.py", "product == GOOGLE"),
    ("block/writers/scripts.py", "product == GOOGLE"),
    ("block/writers/services.py", "'tlp-usb-udev disk' in line"),
    ("block/kind.py", "evidence.vendor.startswith(_HYPERVISOR_VENDORS)"),
    ("comparison/record.py", "line.startswith(('model name', 'Model', 'cpu\\t'))"),
    ("experiment/run.py", "IO_ERROR in error.output"),
    ("workloads/sql.py", "text.partition(_HISTOGRAM_END)"),
}
"""What the kernel, other programs and their files say may be read."""

KEPT: frozenset[str] = frozenset()
"""Ids that only old results have."""

MODULES = {module.path: module for module in syntax.modules()}
CODE = [module for module in syntax.modules() if not module.is_vocabulary]


def places(id_: str) -> set[str]:
    """The names of a sentence's values, in singular and plural."""
    template = TEXTS[id_]
    texts = [template] if isinstance(template, str) else template
    found = {name for each in texts for _, name, _, _ in string.Formatter().parse(each) if name is not None}
    return {name.partition(".")[0].partition("[")[0] for name in found}


def ways(id_: str) -> set[str]:
    template = TEXTS[id_]
    texts = [template] if isinstance(template, str) else template
    return {way for each in texts for _, _, way, _ in string.Formatter().parse(each) if way}


def wrong(use: Use) -> str | None:
    """What is wrong with a place where ids are used."""
    known = {id_ for each in use.ids for id_ in TEXTS if syntax.pattern(each).fullmatch(id_)}
    if not all(any(syntax.pattern(each).fullmatch(id_) for id_ in known) for each in use.ids):
        return f"{use.place}: not in the catalogue: {use.ids}"
    wanted = set().union(*map(places, known))
    lacking, unknown = wanted - use.names - {"count"}, use.names - wanted - {"count"}
    if use.has_more or any("{}" in id_ for id_ in use.ids):
        lacking = set()
    return f"{use.place}: {known} lack {lacking} and do not know {unknown}" if lacking or unknown else None


def is_words(use: Use) -> bool:
    """Whether words were given instead of an id."""
    return not all(syntax.ID.fullmatch(id_) for id_ in use.ids)


@pytest.mark.parametrize("id_", TEXTS)
def test_an_id_is_words_with_hyphens_and_its_sentence_is_well_formed(id_: str) -> None:
    assert ways(id_) <= {*units.WAYS, "named"}, "each value is written in a way that there is"
    template = TEXTS[id_]
    if not isinstance(template, str):
        assert len(template) == 2, "a singular and a plural"
    for each in [template] if isinstance(template, str) else template:
        assert each == each.strip() and "..." not in each
    if id_ != "literal":
        assert syntax.ID.fullmatch(id_) and "{" not in id_, "an id is short words with hyphens"


def test_every_id_that_is_used_has_a_sentence_and_its_values() -> None:
    uses = [use for module in syntax.modules() for use in syntax.uses(module)]
    assert len(uses) > 50
    found = [said for use in uses if not is_words(use) and (said := wrong(use))]
    assert not found, "\n".join(found)


def test_every_error_is_made_with_an_id() -> None:
    found = {use.place.partition(":")[0] for module in syntax.modules() for use in syntax.uses(module) if is_words(use)}
    assert not found
    others = [each for module in syntax.modules() for each in syntax.errors_of_variables(module)]
    assert not others


def test_every_sentence_is_used() -> None:
    ids = {id_ for module in syntax.modules() if "english" not in module.path for id_ in syntax.strings(module)}
    patterns = [syntax.pattern(id_) for id_ in ids if "{}" in id_ and len(id_.replace("{}", "")) > 3]
    unused = {id_ for id_ in TEXTS if id_ not in ids and not any(each.fullmatch(id_) for each in patterns)}
    assert unused - {"literal"} == KEPT


def test_no_sentence_stands_outside_the_catalogue() -> None:
    found = [each for module in CODE for each in syntax.sentences(module)]
    assert not found, "\n".join(found)


def test_no_code_looks_into_a_sentence() -> None:
    found, allowed = [], set()
    for module in syntax.modules():
        for each in syntax.comparisons(module):
            path, _, rest = each.partition(":")
            place = path, rest.partition(": ")[2]
            if place in OTHERS_WORDS:
                allowed.add(place)
            else:
                found.append(each)
    assert not found, "\n".join(found)
    assert allowed == OTHERS_WORDS, "no exception is left over"


HEAD = "from disktuner.vocabulary.messages import message, text\n"


@pytest.mark.parametrize(
    "code",
    [
        "message('no-such-id')",
        "text('program-missing', program='fio')",
        "text('program-missing', program='fio', package='fio', more=1)",
        "MeasurementImpossible('raw-disk-empty', disk='sda')",
        "message('no-such-id' if small else 'raw-disk-empty')",
        "message(f'never-such-{kind}')",
    ],
)
def test_a_wrong_use_is_found(code: str) -> None:
    (use,) = syntax.uses(parsed(HEAD + code))
    assert wrong(use)


@pytest.mark.parametrize(
    "code",
    [
        "text('program-missing', program='fio', package='fio')",
        "text('program-missing', **values)",
        "message('program-failed' if said else 'program-failed-silently', program=p, status=1, output=said)",
        "message(f'raw-disk-{state}')",
    ],
)
def test_a_right_use_is_none(code: str) -> None:
    (use,) = syntax.uses(parsed(HEAD + code))
    assert not wrong(use)


@pytest.mark.parametrize(
    "code",
    [
        "if reason == 'the disk is gone': pass",
        "reason.startswith('the disk is gone')",
        "'Input/output error' in str(problem)",
        "GONE = 'the disk is gone'\nALL = (GONE, 'read-only')\nreason.startswith(GONE)",
        "say(problem.message).partition(':')",
        "try: run()\nexcept OSError as problem: print(str(problem).split(':'))",
        "re.match('The disk .* is gone', reason)",
        "match reason:\n    case 'the disk is gone': pass",
    ],
)
def test_looking_into_words_is_found(code: str) -> None:
    assert list(syntax.comparisons(parsed(code)))


@pytest.mark.parametrize(
    "code", ["if message.id == 'disk-gone': pass", "name.split()", "'a b' + name", "line.split(' ')"]
)
def test_looking_at_ids_is_allowed(code: str) -> None:
    assert not list(syntax.comparisons(parsed(code)))


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("print('The disk is gone. Plug it in.')", 1),
        ("print(f'The disk {name} is gone.')", 1),
        ("'''A docstring of a file.'''\nX = 1\n'''What X means to us.'''", 0),
        ("log.debug('The disk is gone.')", 0),
        ("raise ValueError('A goal has a name.')", 0),
        ("print('sda')", 0),
    ],
)
def test_a_sentence_of_ones_own_is_found(code: str, count: int) -> None:
    assert len(list(syntax.sentences(parsed(code)))) == count


def test_the_modules_of_the_program_are_read() -> None:
    assert isinstance(MODULES["vocabulary/messages.py"], Module)
    assert len(MODULES) > 100
