# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue holds every sentence that a person reads, each is used, and no code looks into one."""

from __future__ import annotations

import string

import pytest
from tests.unit.vocabulary import syntax
from tests.unit.vocabulary.syntax import Use, parsed

from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS

OTHERS_WORDS = {
    ("block/writers/services.py", "'tlp-usb-udev disk' in line"),
    ("comparison/record.py", "line.startswith(('model name', 'Model', 'cpu\\t'))"),
}
"""What the kernel, other programs and their files say may be read."""

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


def test_every_id_is_words_with_hyphens_and_its_sentence_is_well_formed() -> None:
    for id_, template in TEXTS.items():
        assert ways(id_) <= {*units.WAYS, "named"}, f"{id_}: each value is written in a way that there is"
        assert isinstance(template, str) or len(template) == 2, f"{id_}: a singular and a plural"
        for each in [template] if isinstance(template, str) else template:
            assert each == each.strip() and "..." not in each, id_
        assert id_ == "literal" or (syntax.ID.fullmatch(id_) and "{" not in id_), f"{id_}: short words with hyphens"


def test_every_id_that_is_used_has_a_sentence_and_its_values() -> None:
    assert len(syntax.all_uses()) > 50
    found = [said for use in syntax.all_uses() if not is_words(use) and (said := wrong(use))]
    assert not found, "\n".join(found)


def test_every_error_is_made_with_an_id() -> None:
    assert not {use.place.partition(":")[0] for use in syntax.all_uses() if is_words(use)}
    assert not [each for module in syntax.modules() for each in syntax.errors_of_variables(module)]


def test_every_sentence_is_used() -> None:
    ids = {id_ for module in syntax.modules() if "english" not in module.path for id_ in syntax.strings(module)}
    patterns = [syntax.pattern(id_) for id_ in ids if "{}" in id_ and len(id_.replace("{}", "")) > 3]
    unused = {id_ for id_ in TEXTS if id_ not in ids and not any(each.fullmatch(id_) for each in patterns)}
    assert unused - {"literal"} == set()


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


# ---- that these rules find what they are to find ----

HEAD = "from disktuner.vocabulary.messages import message, text\n"


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("message('no-such-id')", False),
        ("text('program-missing', program='fio')", False),
        ("MeasurementImpossible('raw-disk-empty', disk='sda')", False),
        ("message('no-such-id' if small else 'raw-disk-empty')", False),
        ("text('program-missing', **values)", True),
        ("message('program-failed' if said else 'program-failed-silently', program=p, status=1, output=said)", True),
        ("message(f'raw-disk-{state}')", True),
    ],
)
def test_a_wrong_use_is_found(code: str, right: bool) -> None:
    (use,) = syntax.uses(parsed(HEAD + code))
    assert (wrong(use) is None) is right


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("if reason == 'the disk is gone': pass", True),
        ("reason.startswith(('the disk is gone', 'read-only'))", True),
        ("say(problem.message).partition(':')", True),
        ("try: run()\nexcept OSError as problem: print(str(problem).split(':'))", True),
        ("if message.id == 'disk-gone': pass", False),
        ("name.split()\n'a b' + name\nline.split(' ')", False),
    ],
)
def test_looking_into_words_is_found_and_looking_at_ids_is_allowed(code: str, found: bool) -> None:
    assert bool(list(syntax.comparisons(parsed(code)))) is found


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("print('The disk is gone. Plug it in.')", 1),
        ("print(f'The disk {name} is gone.')", 1),
        ("'A docstring of a file.'\nX = 1\nlog.debug('The disk is gone.')\nraise ValueError('A goal has a name.')", 0),
    ],
)
def test_a_sentence_of_ones_own_is_found(code: str, count: int) -> None:
    assert len(list(syntax.sentences(parsed(code)))) == count
