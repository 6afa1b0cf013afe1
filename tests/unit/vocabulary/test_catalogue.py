# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue holds every sentence for people, each is used, and no code inspects one."""

from __future__ import annotations

import re
import string

from tests.unit.vocabulary import syntax
from tests.unit.vocabulary.syntax import Use

import disktuner_fleet  # noqa: F401 - adds its sentences to the catalogue
import disktuner_watch  # noqa: F401 - so does this
from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS, in_window

COMMAND = re.compile(r"\bdisktuner [a-z]| --[a-z]|\(--[a-z]")
TO_COPY = re.compile(r"(?:disktuner|tuned-adm|ansible-playbook) [a-z-][^.,;\n`')]*")
"""A command within a sentence."""
OTHERS_WORDS = {
    ("block/machine.py", "line.startswith(('model name', 'Model', 'cpu\\t'))"),
}
"""What the kernel, other programs and their files say may be read."""

CODE = [module for module in syntax.modules() if not module.is_vocabulary]


def places(id_: str) -> set[str]:
    """Return the names of a sentence's values, in singular and plural."""
    template = TEXTS[id_]
    texts = [template] if isinstance(template, str) else template
    fields = {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    return {name.partition(".")[0].partition("[")[0] for name in fields}


def wrong(use: Use) -> str | None:
    """Return what is wrong with a use of ids, if anything."""
    known = {id_ for pattern in use.ids for id_ in TEXTS if syntax.pattern(pattern).fullmatch(id_)}
    if not all(any(syntax.pattern(pattern).fullmatch(id_) for id_ in known) for pattern in use.ids):
        return f"{use.place}: not in the catalogue: {use.ids}"
    wanted = set().union(*map(places, known))
    lacking, unknown = wanted - use.names - {"count"}, use.names - wanted - {"count"}
    if use.has_more or any("{}" in id_ for id_ in use.ids):
        lacking = set()
    return f"{use.place}: {known} lack {lacking} and do not know {unknown}" if lacking or unknown else None


def test_every_id_is_words_with_hyphens_and_its_sentence_is_well_formed() -> None:
    for id_, template in TEXTS.items():
        assert isinstance(template, str) or len(template) == 2, f"{id_}: a singular and a plural"
        for form in [template] if isinstance(template, str) else template:
            ways = {way for _, _, way, _ in string.Formatter().parse(form) if way}
            assert ways <= {*units.WAYS, "named"}, f"{id_}: each value is written in a way that there is"
            assert form == form.strip() and "..." not in form, id_
        assert id_ == "literal" or (syntax.ID.fullmatch(id_) and "{" not in id_), f"{id_}: short words with hyphens"


def test_every_id_that_is_used_has_a_sentence_and_its_values() -> None:
    uses = [use for module in syntax.modules() for use in syntax.uses(module)]
    assert len(uses) > 50
    faults = [fault for use in uses if (fault := wrong(use))]
    assert not faults, "\n".join(faults)


def test_every_sentence_is_used() -> None:
    ids = {id_ for module in syntax.modules() if "english" not in module.path for id_ in syntax.strings(module)}
    patterns = [syntax.pattern(id_) for id_ in ids if "{}" in id_ and len(id_.replace("{}", "")) > 3]
    unused = {id_ for id_ in TEXTS if id_ not in ids and not any(pattern.fullmatch(id_) for pattern in patterns)}
    assert unused - {"literal"} == set()


def test_what_the_window_says_otherwise_names_no_command() -> None:
    for here, template in in_window.TEXTS.items():
        id_ = here.removeprefix("in-window-")
        assert COMMAND.search(str(TEXTS[id_])) and not COMMAND.search(str(template)), here
        assert places(here) <= places(id_), here


def test_what_a_command_to_copy_names_is_one_word_for_a_shell() -> None:
    """A name from a file or a disk may hold spaces, or a second command."""
    for id_, template in TEXTS.items():
        for form in [template] if isinstance(template, str) else template:
            named = [place for command in TO_COPY.findall(form) for place in re.findall(r"\{[^}]*\}", command)]
            assert all(place.endswith(":word}") for place in named), f"{id_}: {named}"


def test_no_sentence_stands_outside_the_catalogue() -> None:
    sentences = [sentence for module in CODE for sentence in syntax.sentences(module)]
    assert not sentences, "\n".join(sentences)


def test_no_code_looks_into_a_sentence() -> None:
    comparisons, allowed = [], set()
    for module in syntax.modules():
        for comparison in syntax.comparisons(module):
            path, _, rest = comparison.partition(":")
            place = path, rest.partition(": ")[2]
            if place in OTHERS_WORDS:
                allowed.add(place)
            else:
                comparisons.append(comparison)
    assert not comparisons, "\n".join(comparisons)
    assert allowed == OTHERS_WORDS, "no exception is left over"
