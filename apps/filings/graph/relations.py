"""Read the relations that the sentences of a block state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from apps.filings.graph.contracts import End, EntityType, ReadRelation, RelationType
from apps.filings.graph.forms import DEFINITION, FORMS, OWN, UNSTATED, Form
from apps.filings.graph.keys import keys_of_name
from apps.filings.graph.sentences import Marked, Sentence, mark_sentence

_MARK: Final = re.compile(r"\x02[A-Z](\d+)\x03")
_OWN_END: Final = End(type=EntityType.ORGANISATION, key="", name="")
_DOCUMENT: Final = End(type=EntityType.DOCUMENT, key="", name="")
_MAY_STATE: Final = re.compile(
    r"acqui|bought|purchas|took over|takeover|subsidiar|parent|compet|headquarter|head office|registered|based"
    r"|located|domiciled"
    r"|principal executive|seat in|govern|subject to|regulat|supervis|overseen|affiliat|related part|joint venture"
    r"|joined|employed|works for"
    r"|appointed|named|elected|promoted|hired|[Oo]fficer|C[EFO]O\b|[Cc]hair|[Pp]resident|[Dd]irector|[Tt]reasurer"
    r"|[Ss]ecretary|[Cc]ounsel|[Cc]ontroller"
    r"|[Ff]ounder|[Pp]artner|[Hh]ead of|übern|erw[ao]rb|[gk]ekauft|kaufte|[Tt]ochter|Enkel|[Vv]orstand|[Aa]ufsicht"
    r"|[Gg]eschäftsführer|Prokurist"
    r"|[Ss]itz\b|unterlieg|Wettbewerb|konkurrier|verbunden|common control|nahesteh|assoziiert|Gemeinschaftsunternehmen"
)


def relations_in(
    text: str, sentence: Sentence, entities: Sequence[Marked], *, page: int, names_itself: bool
) -> Iterator[ReadRelation]:
    """Yield what a sentence states of its entities, each once.

    Args: entities: those of the sentence, in order, none overlapping another.
          names_itself: whether "we" and "the Company" mean the document's own company.
    """
    if not _MAY_STATE.search(text, sentence.start, sentence.end):
        return
    marked = mark_sentence(text, sentence, entities)
    if UNSTATED.search(marked):
        return
    told = set()
    for form in FORMS:
        for match in form.pattern.finditer(marked):
            for subject in _ends(match["subject"], form, text, entities):
                for object in _ends(match["object"], form, text, entities):
                    own = _OWN_END in (subject, object)
                    if (own and not names_itself) or (subject.type, subject.key) == (object.type, object.key):
                        continue
                    if (form.relation, subject.key, object.key) in told:
                        continue
                    told.add((form.relation, subject.key, object.key))
                    yield ReadRelation(
                        relation=form.relation,
                        subject=subject,
                        object=object,
                        page=page,
                        start=sentence.start,
                        end=sentence.end,
                    )


def _ends(written: str, form: Form, text: str, entities: Sequence[Marked]) -> Iterator[End]:
    marks = _MARK.findall(written)
    if not marks:
        yield _OWN_END if OWN.fullmatch(written) else _DOCUMENT
    for mark in marks:
        each = entities[int(mark)]
        yield End(type=each.type, key=each.key, name=" ".join(text[each.start : each.end].split()))


def definition_in(text: str, sentence: Sentence, *, page: int) -> tuple[ReadRelation, Marked] | None:
    """Return that the document defines a term, with the place of the term; None if the sentence defines none."""
    match = DEFINITION.match(text[sentence.start : sentence.end])
    if match is None:
        return None
    group = "term" if match["term"] else "our_term"
    start, end = (sentence.start + place for place in match.span(group))
    name = " ".join(match[group].split())
    key = next(iter(keys_of_name(EntityType.CONCEPT, name)), "")
    if not key or not name[0].isalnum():
        return None
    relation = ReadRelation(
        relation=RelationType.DEFINES,
        subject=_DOCUMENT,
        object=End(type=EntityType.CONCEPT, key=key, name=name),
        page=page,
        start=sentence.start,
        end=sentence.end,
    )
    return relation, Marked(start, end, EntityType.CONCEPT, key)
