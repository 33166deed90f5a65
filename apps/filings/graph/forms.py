"""The grammatical forms in which a sentence states a relation, in English and German.

A form begins where its sentence begins, or after an adverbial of time, because elsewhere its first entity may be part
of another subject ("the head of X acquired Y"). It ends where its object ends, because a word behind it makes another
object of it ("acquired X's stores"). S is the subject, O the object; both may be several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.filings.graph.contracts import RelationType
from apps.filings.graph.people import ADDRESS, OFFICE

_OWN: Final = r"(?:[Ww]e|[Tt]he (?:Company|Group|Corporation|Registrant)|[Ww]ir|[Dd]ie Gesellschaft|[Dd]er Konzern)"
_OUR: Final = r"(?:[Oo]ur|[Tt]he (?:Company|Group|Corporation|Registrant)'s|[Uu]nsere[rnms]?)"


def _mark(letters: str) -> str:
    return rf"\x02[{letters}]\d+\x03"


def _list(letters: str) -> str:
    one = _mark(letters)
    return rf"{one}(?:(?:, and |, und |, | and | und |, or | sowie ){one})*"


_AT: Final = (
    r"^(?:(?:In|On|During|Since|Effective|As of|After|At|Later|Earlier|Also|Subsequently|Recently|Until|By|Through)\b"
    r"[^,;:\x02]{0,80}, |(?:Additionally|Currently|Historically|Finally|Furthermore|In addition), )?"
)
_BESIDE: Final = r"(?:, (?:an?|the|one of|our|eine?r?|ein) [^,;:\x02]{1,100},)?"
_STOP: Final = (
    r"(?=[.;:)]|$|, (?!(?:and |und |or )?\x02)| (?:in|on|for|from|at|during|by|effective|under|to|through|which|who"
    r"|im|am|für"
    r"|zum|von|mit|with|as|that|worldwide|completed|across|since|until|zu|seit|ab)\b| (?:and|und) (?!\x02|its\b"
    r"|their\b|other\b))"
)
_S: Final = rf"(?P<subject>{_list('O')}|{_OWN})"
_ONE: Final = rf"(?P<subject>{_mark('O')}|{_OWN})"
_O: Final = rf"(?P<object>{_list('O')})"
_MONTHS: Final = (
    r"January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
)
_QUARTER: Final = r"the (?:first|second|third|fourth) quarter of"
_BEFORE_YEAR: Final = rf"(?:Jahr|Jahre|Geschäftsjahr|fiscal|{_QUARTER}|{_MONTHS})"
_TIME: Final = rf"(?: (?:(?:in|im|am|on|seit|zum|per) )?(?:{_BEFORE_YEAR} )?(?:DATE|\d{{4}}))?"
_HAS: Final = r"(?:(?:has|have|had) )?(?:(?:also|recently|subsequently|successfully|previously) )?"
_ALL: Final = (
    r"(?:(?:all (?:of )?(?:the )?(?:issued and )?(?:outstanding )?(?:shares|stock|common stock|equity interests"
    r"|equity|capital stock|ownership interests)"
    r"(?: of| in)|100 ?% of(?: the (?:shares|stock|equity) of)?|the remaining [^,;\x02]{0,40}(?:interest|stake"
    r"|shares|equity|% )(?: in| of)"
    r"|control of|a (?:majority|controlling) (?:stake|interest) in) )?"
)
_ALL_GERMAN: Final = r"(?:(?:sämtliche|alle|100 ?% der) (?:Anteile|Aktien|Geschäftsanteile) (?:an|von|der) )?"
_WHOLLY: Final = (
    r"(?:(?:direct|indirect|wholly[- ]owned|majority[- ]owned|100 ?%[- ]owned|consolidated|principal|operating"
    r"|direct or indirect|and) ?,? ?){0,4}"
)
_GERMAN_WHOLLY: Final = (
    r"(?:(?:hundertprozentige|100[- ]?%ige|mittelbare|unmittelbare|indirekte|direkte|konsolidierte) )?"
)
_DAUGHTER: Final = r"(?:Tochtergesellschaft|Tochterunternehmen|Tochter|Enkelgesellschaft)"
_IS: Final = r"(?:is|are|was|were|remains|became|has been|have been)"
_PLACE: Final = rf"(?:{_mark('L')}, )?(?P<object>{_mark('L')})"
_IN_PLACE: Final = rf"(?:[A-Z][\w.-]+(?: [A-Z][\w.-]+)?, )?{_PLACE}"
_RULE: Final = rf"(?P<object>{_list('R')})"
_LAWS: Final = (
    rf"(?:the )?(?:internal |federal |substantive )?laws? of (?:the )?(?:State of |Commonwealth of |Republic of "
    rf")?(?P<object>{_mark('L')})"
)
_PAPER: Final = (
    r"(?P<subject>(?:This|The present|These|Such|The) (?:Agreement|Notes?|Indenture|Contract|Policy|Plan|Deed"
    r"|Terms(?: and Conditions)?|terms(?: and conditions)?|policy|agreement|contract|document)|Diese[rs]? (?:Vertrag"
    r"|Vereinbarung|Richtlinie|Bedingungen|Satzung|Dokument)|Auf diesen Vertrag)"
)
_UNDER: Final = (
    r"(?:(?:the )?(?:requirements|provisions|supervision|oversight|regulation|rules|jurisdiction|reporting "
    r"requirements|disclosure requirements|authority) (?:of|under) )?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form, with the groups subject and object."""

    relation: RelationType
    pattern: re.Pattern[str]


def _forms(relation: RelationType, *patterns: str) -> tuple[Form, ...]:
    return tuple(Form(relation=relation, pattern=re.compile(each)) for each in patterns)


_P: Final = rf"(?:{ADDRESS} )?(?P<subject>{_mark('P')})"

FORMS: Final = (
    *_forms(
        RelationType.ACQUIRED,
        rf"{_AT}{_S}{_BESIDE} {_HAS}(?:acquired|bought|purchased|took over) {_ALL}{_O}{_STOP}",
        rf"{_AT}{_ONE}{_BESIDE} {_HAS}(?:completed|closed|consummated|finalized) (?:its|our|the|their) (?:previously "
        rf"announced )?"
        rf"(?:acquisition|purchase|takeover) of {_ALL}{_O}{_STOP}",
        rf"{_AT}{_O}{_BESIDE} (?:was|were|has been|have been) (?:acquired|bought|purchased|taken over) by {_S}{_STOP}",
        rf"{_AT}(?:[Tt]he )?(?:acquisition|takeover) of {_ALL}{_O} by {_S}{_TIME} (?:was|were|has been) (?:completed"
        rf"|closed|consummated)\b",
    ),
    *_forms(
        RelationType.ACQUIRED,
        rf"^{_S} (?:übernahm|erwarb|kaufte){_TIME} {_ALL_GERMAN}{_O}(?=[.;,]|$| (?:im|am|für|zum|von|mit|in)\b)",
        rf"^{_S} (?:hat|haben){_TIME} {_ALL_GERMAN}{_O}{_TIME} (?:vollständig )?(?:übernommen|erworben|gekauft)\b",
        rf"^(?:Im|Am|In)[^,;:\x02]{{1,40}} (?:hat|haben) {_S} {_ALL_GERMAN}{_O} (?:vollständig )?(?:übernommen"
        rf"|erworben|gekauft)\b",
        rf"^(?:Im|Am|In)[^,;:\x02]{{1,40}} (?:übernahm|erwarb|kaufte|übernahmen|erwarben) {_S} "
        rf"{_ALL_GERMAN}{_O}(?=[.;,]|$)",
        rf"^{_O} (?:wurde|wurden){_TIME} von {_S}{_TIME} (?:vollständig )?(?:übernommen|erworben|gekauft)\b",
    ),
    *_forms(
        RelationType.SUBSIDIARY_OF,
        rf"{_AT}(?P<subject>{_list('O')}) {_IS} (?:an? )?(?:now )?(?:an? )?{_WHOLLY}subsidiar(?:y|ies) of "
        rf"(?P<object>{_mark('O')}|the Company|the Group){_STOP}",
        rf"(?P<subject>{_mark('O')}), (?:an? |its |the )?{_WHOLLY}subsidiary of (?P<object>{_mark('O')}|the Company"
        rf"|ours?){_STOP}",
        rf"(?P<object>{_OUR}|{_mark('O')}'s) {_WHOLLY}subsidiar(?:y|ies),? (?P<subject>{_list('O')})(?!'s)(?=\W|$)",
        rf"(?P<object>{_mark('O')}) and its {_WHOLLY}subsidiary,? (?P<subject>{_mark('O')})(?!'s)(?=\W|$)",
        rf"{_AT}(?P<object>{_mark('O')}) is the parent(?: company)? of (?P<subject>{_list('O')}){_STOP}",
    ),
    *_forms(
        RelationType.SUBSIDIARY_OF,
        rf"^(?P<subject>{_list('O')}) (?:ist|sind|war) (?:eine? )?{_GERMAN_WHOLLY}{_DAUGHTER}(?:en)? (?:von "
        rf")?(?P<object>{_mark('O')}|der Gesellschaft)(?!'s)(?=[.;,]|$| )",
        rf"(?P<subject>{_mark('O')}), eine {_GERMAN_WHOLLY}{_DAUGHTER} (?:von )?(?P<object>{_mark('O')})(?=[.;,]|$| )",
        rf"(?P<object>{_OUR}) {_GERMAN_WHOLLY}{_DAUGHTER},? (?P<subject>{_mark('O')})(?=\W|$)",
    ),
    *_forms(
        RelationType.WORKS_FOR,
        rf"{_P}(?:, \d\d)?, (?:who is |is )?(?:the |an? )?{OFFICE} (?:of|at) (?P<object>{_mark('O')}|the "
        rf"Company){_STOP}",
        rf"{_AT}{_P}(?:, \d\d,)? (?:is|serves as|has been|has served as|currently serves as) (?:the |an? |our "
        rf")?{OFFICE} (?:of|at) (?P<object>{_mark('O')}|the Company){_STOP}",
        rf"{_AT}{_P}(?:, \d\d,)? (?:is|serves as|has been|has served as|currently serves as) (?P<object>our) "
        rf"{OFFICE}\b",
        rf"{_P}(?:, \d\d)?, (?P<object>our|the Company's) {OFFICE}(?! (?:of|at) )",
        rf"(?<!\x03, )(?P<object>{_mark('O')}'s|[Oo]ur) {OFFICE},? {_P}(?=[.;,]|$| )",
        rf"{_AT}(?P<object>{_mark('O')}|{_OWN}) (?:has |have )?(?:appointed|named|hired|promoted|elected) {_P} (?:as "
        rf"|to be )?(?:its |our |the )?(?:new )?{OFFICE}\b",
        rf"{_AT}{_P} (?:was|has been) (?:appointed|named|elected|promoted to) (?:as )?(?:the )?{OFFICE} of "
        rf"(?P<object>{_mark('O')}|the Company){_STOP}",
        rf"{_AT}{_P} (?:works for|is employed by|joined) (?P<object>{_mark('O')}|the Company){_STOP}",
    ),
    *_forms(
        RelationType.WORKS_FOR,
        rf"^{_P} ist (?:seit (?:DATE|\d{{4}}|[^,;\x02]{{1,20}}\d{{4}}) )?(?:der |die |ein |eine "
        rf")?{OFFICE} (?:bei |von |der )?(?P<object>{_mark('O')}|der Gesellschaft)(?=[.;,]|$| )",
        rf"{_P}, {OFFICE} (?:bei |von )?(?P<object>{_mark('O')}|der Gesellschaft)(?=[.;,]|$| )",
    ),
    *_forms(
        RelationType.LOCATED_IN,
        rf"{_AT}{_ONE}{_BESIDE} (?:is|are) (?:currently )?(?:headquartered|based|located|domiciled) in "
        rf"{_IN_PLACE}{_STOP}",
        rf"(?P<subject>{_mark('O')}), (?:which is )?(?:headquartered|based|located|domiciled) in {_IN_PLACE}{_STOP}",
        rf"(?P<subject>{_mark('O')}'s|{_OUR}) (?:corporate |global |principal |world |main )?(?:headquarters|head "
        rf"office|registered office|principal executive offices?) (?:is|are) (?:located )?in {_IN_PLACE}{_STOP}",
        rf"{_AT}{_ONE}{_BESIDE} (?:has|have|maintains?) (?:its|our|their) (?:corporate |global |principal "
        rf")?(?:headquarters|head office|registered office|principal executive offices?|seat) in {_IN_PLACE}{_STOP}",
    ),
    *_forms(
        RelationType.LOCATED_IN,
        rf"^{_ONE} (?:hat|haben) (?:ihren|seinen|unseren) (?:Haupts|S|Firmens|satzungsmäßigen S)itz in "
        rf"{_PLACE}(?=[.;,]|$| )",
        rf"(?P<subject>{_mark('O')}),? mit (?:Hauptsitz|Sitz|Firmensitz) in {_PLACE}(?=[.;,]|$| )",
        rf"^(?:[Dd]er )?(?:Sitz|Hauptsitz|Firmensitz) (?:von )?(?P<subject>{_mark('O')}|der Gesellschaft) ist (?:in "
        rf")?{_PLACE}(?=[.;,]|$)",
    ),
    *_forms(
        RelationType.GOVERNED_BY,
        rf"{_AT}{_PAPER}(?: and [^,;\x02]{{1,60}})?,? (?:is|are|shall be) governed by,? (?:and (?:shall be "
        rf")?(?:construed|interpreted)(?: and enforced)? (?:in accordance with|under),? )?{_LAWS}",
        rf"{_AT}{_PAPER} (?:is|are|shall be) governed by {_RULE}{_STOP}",
        rf"{_AT}{_S}{_BESIDE} (?:is|are) (?:also )?(?:subject to|governed by|regulated under|registered under"
        rf"|authori[sz]ed under) {_UNDER}{_RULE}{_STOP}",
        rf"{_AT}{_S}{_BESIDE} (?:is|are) (?:also )?(?:regulated|supervised|authori[sz]ed and regulated|overseen) by "
        rf"{_O}{_STOP}",
    ),
    *_forms(
        RelationType.GOVERNED_BY,
        rf"^{_S} (?:unterliegt|unterliegen) (?:den (?:Vorschriften|Anforderungen|Bestimmungen) (?:von "
        rf")?)?{_RULE}(?=[.;,]|$| )",
        rf"^{_S} (?:unterliegt|unterliegen) der Aufsicht (?:durch |von )?{_O}(?=[.;,]|$| )",
        rf"^{_S} (?:wird|werden) (?:von|durch) {_O} (?:beaufsichtigt|reguliert)\b",
        rf"^{_PAPER} (?:unterliegt|unterliegen) (?:dem|ausschließlich dem) (?:Recht (?:von "
        rf")?)(?P<object>{_mark('L')})(?=[.;,]|$| )",
    ),
    *_forms(
        RelationType.COMPETES_WITH,
        rf"{_AT}{_S}{_BESIDE} (?:(?:primarily|principally|mainly|also|directly) )?competes? (?:(?:primarily"
        rf"|principally|mainly|also|directly) )?(?:with|against) (?:companies such as |competitors such as |among "
        rf"others, )?{_O}{_STOP}",
        rf"{_AT}(?P<subject>{_mark('O')}'s|{_OUR}) (?:(?:principal|main|primary|key|largest|major|direct) "
        rf")?competitors? (?:in [^,;:\x02]{{1,40}} )?(?:are|is|include|includes) {_O}{_STOP}",
        rf"{_AT}(?P<subject>{_mark('O')}) and (?P<object>{_mark('O')}) (?:are|have been) (?:direct "
        rf")?competitors{_STOP}",
        rf"{_AT}(?P<subject>{_mark('O')}) is a (?:direct |main |principal )?competitor of "
        rf"(?P<object>{_mark('O')}){_STOP}",
    ),
    *_forms(
        RelationType.COMPETES_WITH,
        rf"^{_S} (?:steht|stehen) (?:direkt )?im Wettbewerb (?:mit|zu) {_O}(?=[.;,]|$| )",
        rf"^(?:Die )?(?:wichtigste[nr]? |größte[nr]? )?Wettbewerber (?:von )?(?P<subject>{_mark('O')}|der "
        rf"Gesellschaft) (?:sind|ist) {_O}(?=[.;,]|$)",
        rf"^{_S} konkurriert mit {_O}(?=[.;,]|$| )",
    ),
    *_forms(
        RelationType.RELATED_TO,
        rf"{_AT}(?P<subject>{_mark('O')}) (?:is|are) (?:an? )?(?:affiliate|related party|joint venture partner"
        rf"|sister company|associate) of (?P<object>{_mark('O')}|the Company){_STOP}",
        rf"(?P<subject>{_mark('O')}), an? (?:affiliate|related party|joint venture partner|sister company) of "
        rf"(?P<object>{_mark('O')}|the Company){_STOP}",
        rf"{_AT}(?P<subject>{_mark('O')}) and (?P<object>{_mark('O')}) are (?:related parties|affiliates|affiliated"
        rf"|under common control){_STOP}",
        rf"\bjoint venture (?:between|of) (?P<subject>{_mark('O')}) and (?P<object>{_mark('O')})(?!'s)(?=\W|$)",
        rf"{_AT}(?P<subject>{_mark('O')}|{_OWN}) formed a joint venture with (?P<object>{_mark('O')}){_STOP}",
    ),
    *_forms(
        RelationType.RELATED_TO,
        rf"^(?P<subject>{_mark('O')}) ist ein (?:verbundenes|nahestehendes|assoziiertes) Unternehmen (?:von "
        rf")?(?P<object>{_mark('O')}|der Gesellschaft)(?=[.;,]|$| )",
        rf"\bGemeinschaftsunternehmen (?:von|zwischen) (?P<subject>{_mark('O')}) und (?P<object>{_mark('O')})(?=\W|$)",
    ),
)

OWN: Final = re.compile(rf"{_OWN}|{_OUR}|ours?|der Gesellschaft")
"""What means the document's own company, where it is the subject or the object."""

# A sentence with one of these may state the contrary, a plan, a condition, or what somebody else says.
UNSTATED: Final = re.compile(
    r"\b(?:not|never|neither|nor|if|whether|unless|would|could|might|may|should|had been|no longer|formerly|former"
    r"|until recently|proposed|potential"
    r"|alleg\w+|claim(?:s|ed)|rumou?red|reportedly|purported\w*|hypothetical\w*|assum\w+|intend\w*|plan(?:s|ned)? to"
    r"|expect\w*|agreed to|attempt\w*"
    r"|failed|denied|denies|terminat\w+|nicht|niemals|kein\w*|wenn|falls|ob|würde\w*|könnte\w*|sollte\w*|angeblich"
    r"|ehemalig\w*|früher\w*|geplant\w*"
    r"|beabsichtig\w+|voraussichtlich)\b|\?$"
)

DEFINITION: Final = re.compile(
    r"^(?:(?:The|Der|Die|Das) (?:term|Begriff) |[Aa]s used (?:herein|in this \w+), "
    r")?[\"\u201c\u201e](?P<term>[^\"\u201c\u201d\u201e\n]{2,60})[\"\u201d\u201c]\s+"
    r"(?:means?|shall mean|has the meaning|is defined as|refers to|bedeutet|bezeichnet|meint|steht für|ist definiert "
    r"als)\b"
    r"|^(?:We|Wir)\s+(?:define|definieren)\s+[\"\u201c\u201e]?(?P<our_term>[\w&/ -]{2,60}?)[\"\u201d\u201c]?\s+(?:as"
    r"|als)\s"
)
