# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue holds every sentence that a person reads, each is used, and no code looks into one."""

from __future__ import annotations

import string

from tests.unit.vocabulary import syntax
from tests.unit.vocabulary.syntax import Use

from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS

OTHERS_WORDS = {
    ("block/machine.py", "line.startswith(('model name', 'Model', 'cpu\\t'))"),
}
"""What the kernel, other programs and their files say may be read."""

CODE = [module for module in syntax.modules() if not module.is_vocabulary]


def places(id_: str) -> set[str]:
    """The names of a sentence's values, in singular and plural."""
    template = TEXTS[id_]
    texts = [template] if isinstance(template, str) else template
    found = {name for each in texts for _, name, _, _ in string.Formatter().parse(each) if name is not None}
    return {name.partition(".")[0].partition("[")[0] for name in found}


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


def test_every_id_is_words_with_hyphens_and_its_sentence_is_well_formed() -> None:
    for id_, template in TEXTS.items():
        assert isinstance(template, str) or len(template) == 2, f"{id_}: a singular and a plural"
        for each in [template] if isinstance(template, str) else template:
            ways = {way for _, _, way, _ in string.Formatter().parse(each) if way}
            assert ways <= {*units.WAYS, "named"}, f"{id_}: each value is written in a way that there is"
            assert each == each.strip() and "..." not in each, id_
        assert id_ == "literal" or (syntax.ID.fullmatch(id_) and "{" not in id_), f"{id_}: short words with hyphens"


def test_every_id_that_is_used_has_a_sentence_and_its_values() -> None:
    uses = [use for module in syntax.modules() for use in syntax.uses(module)]
    assert len(uses) > 50
    found = [said for use in uses if (said := wrong(use))]
    assert not found, "\n".join(found)


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
