"""Read which kind of answer a question asks for: a number, a date, a name, a list, yes or no, a reason."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.contracts import AnswerKind

# What is given as a figure. Beside these, the analysis knows the lines of the statements.
_MEASURES: Final = (
    r"profit|loss|revenue|sales|earnings|dividend|yield|return|deposit|costs?|charge|surcharge|discount|premium|payout|penalty"
    r"|leverage|spread|haircut|capex|spend|spending|emissions|headcount|turnover|balance|budget|compensation"
)
_GERMAN_MEASURES: Final = (
    r"\w*geb\u00fchr|\w*preis|\w*kosten|\w*kurs|\w*gewinn|\w*verlust|\w*umsatz|\w*dividende|\w*rendite|\w*strafe|\w*schaden|\w*aussto\u00df"
    r"|\w*ergebnis|\w*zins|\w*ausgaben|\w*zuschuss"
)
# After one of these, the noun is who acts and not what is asked for: "what does the company make?"
_ACTS: Final = r"do|does|did|has|have|had|must|may|can|could|should|will|would"
# "What is excluded from it?" and "what is the goal of it?" ask for no definition.
_NO_DEFINITION: Final = (
    r"(?!(?:\w{2,}ed|done|known|paid|given|said|held|kept)\b|(?:the|our|its|their)\s+[^?]*?\b(?:of|for|in|on|at)\b)"
)
# Behind one of these, the noun before it is of one thing, or has ended: "which loading do smokers pay?"
_OF_ONE: Final = _ACTS + r"|is|was"
_PATTERNS: Final[tuple[tuple[AnswerKind, str], ...]] = (
    (
        AnswerKind.REASON,
        r"\bwhy\b|\bhow\s+come\b|\breasons?\b|\bcaus(?:e|es|ed|ing)\b|\b(?:what|which)\b[^?]{0,60}?\b(?:drove|drives?|driving|led|leads"
        r"|explains?|prompted|triggered|behind|due\s+to)\b|\bwhat['\u2019]s\s+behind\b|\bdrivers?\b"
        # "Which sectors contributed?" asks for the sectors, and "what contributed?" for the reason.
        r"|\b(?:what|which\s+(?:factors?|effects?|events?|things?))\b[^?]{0,60}?\b(?:contributed|responsible\s+for)\b"
        r"|\b(?:warum|weshalb|wieso|weswegen|wodurch|worauf\s+\w+\s+zur\u00fcck|woran\s+l\w+|gr(?:und|\u00fcnde)\w*|ursachen?)\b",
    ),
    (
        AnswerKind.DURATION,
        r"\bhow\s+(?:long|often|frequently|soon|quickly|fast|old)\b|\bwithin\s+(?:how|what|which)\b"
        r"|\b(?:how\s+many|number\s+of)\s+(?:\w+\s+){0,2}(?:days|weeks|months|years|hours|minutes)\b"
        r"|\b(?:notice|retention|holding|lock-?up|grace|waiting|reporting|cooling-?off)\s+periods?\b|\b(?:time\s+limit|time\s*frame|turnaround)\b"
        r"|\bwie\s+(?:lange|oft|h\u00e4ufig|schnell|alt)\b|\bwie\s+viele\s+(?:\w+\s+)?(?:tage|wochen|monate|jahre|stunden)\b"
        r"|\binnerhalb\s+(?:welche[rs]|wie)|\b\w*fristen?\b|\blaufzeit\b",
    ),
    (
        AnswerKind.DATE,
        r"^\W*when\b|\b(?:by|since|until|till|from|and|or|but|know|say|says|state|tell\s+me|exactly)\s+when\b|,\s*when\b|\bwhen\?|\bwhat\s+(?:is\s+the\s+)?(?:\w+\s+){0,2}(?:date|day|month|year|time)\b|\b(?:which|what)\s+(?:\w+\s+)?(?:day|date|month|year|quarter)\b"
        r"|\b(?:deadline|due\s+date|effective\s+date|maturity\s+date|cut-?off\s+time|date)\b|\bas\s+of\s+(?:which|what)\b"
        r"|\bby\s+(?:which|what)\s*(?:\?|$)"
        r"|\bwann\b|\b(?:welche[rsmn]|an\s+welchem)\s+(?:\w+\s+)?(?:tag|datum|monat|jahr|termin|zeitpunkt|stichtag)\b|\bdatum\b|\bseit\s+wann\b|\bbis\s+wann\b",
    ),
    (
        AnswerKind.NUMBER,
        r"\bhow\s+(?:much|many|high|large|big|low|far|strong|wide|expensive)\b|\b(?:what|which)\s+(?:\w+\s+){0,3}?(?:percentage|percent|share|proportion|number|amount|rate|ratio"
        r"|limit|threshold|margin|level|figure|total|price|fee|cap|ceiling|minimum|maximum|value|size|sum|"
        + _MEASURES
        + r")\b|\bnumber\s+of\b"
        # "Where does the fee begin?" asks for no place.
        r"|\bwhere\s+(?:do|does|did|is|are|was|were)\s+(?:\w+\s+){0,3}?(?:rate|ratio|limit|threshold|price|fee|cap|"
        + _MEASURES
        + r")s?\b[^?]{0,60}?\b(?:begin|start|end|lie|stand|set)\b"
        r"|\bwie\s*(?:viele?n?|hoch|gro\u00df|stark|teuer|weit|niedrig)\b|\bwas\s+kostet\b|\bdie\s+h\u00f6he\s+(?:de[rs]|von)\b"
        r"|\bwelche[rnms]?\s+(?:\w+\s+){0,2}?(?:\w*betrag|\w*anteil|\w*quote|\w*h\u00f6he|\w*anzahl|\w*wert|\w*satz|\w*summe|\w*grenze|\w*marge|"
        + _GERMAN_MEASURES
        + r")\b",
    ),
    (
        AnswerKind.NAME,
        r"\bwho(?:m|se)?\b|\b(?:name|names|identity)\s+of\b|\b(?:which|what)\s+(?:(?!(?:"
        + _ACTS
        + r")\b)\w+\s+){0,2}(?:person|company|firm|bank|auditor|custodian|depositary|administrator|manager|officer"
        r"|director|committee|department|team|unit|function|body|authority|regulator|supervisor|country|city|court|law|provider|supplier|index|benchmark|segment|fund|system|currency|agency|insurer|product)\b(?!['\u2019]s\b)"
        r"|\bwhere\b|\b(?:wer|wem|wen|wessen|wo)\b|\bwie\s+hei\u00dft\b|\bwelche[rsnm]?\s+(?:\w+\s+){0,1}(?:person|gesellschaft|firma|bank|pr\u00fcfer|verwahrstelle|beh\u00f6rde|abteilung|stelle|gremium|ausschuss|land"
        r"|stadt|gericht|recht|index|benchmark|segment|fonds|system|w\u00e4hrung|anbieter|bereich|sparte)\b",
    ),
    (
        AnswerKind.DEFINITION,
        r"\b(?:mean|means|meant|meaning|defin(?:e|es|ed|ition)|stands?\s+for|understood|refers?\s+to|count(?:s|ed)?\s+as|qualif(?:y|ies)\s+as)\b"
        r"|^\W*what(?:\s+is|['\u2019]s)\s+" + _NO_DEFINITION + r"(?:an?\s+)?[^?]{2,40}\?*$"
        r"|\b(?:bedeutet?|definiert|definition|versteht\s+man|verstanden|gilt\s+als|gelten\s+als|begriff|gemeint|meint)\b|^\W*was\s+(?:ist|sind)\s+(?:eine?\s+)?[^?]{2,40}\?*$",
    ),
    (
        AnswerKind.LIST,
        r"\b(?:list|lists|enumerate)\b|\bname\s+(?:all|the)\b|\b(?:which|what)\s+(?!(?:might|were|" + _OF_ONE + r")\b)"
        r"(?!(?:kind|type|sort)\s+of\s+(?!\w+s\b))(?:(?!(?:" + _OF_ONE + r")\b)\w+\s+){0,4}?"
        r"(?!\w*(?:ss|us|is)\b|(?:goes|does|was|has|says|means|needs|holds|gives|makes|covers|applies|stands|comes|carries|contains)\b)"
        r"\w{3,}s\b(?!\s+(?:the|an?|our|its|their|your|each|every|any|all)\b)"
        r"|\bwhat\s+are\b|\bwhat\s+(?:kinds|types|sorts)\b|\bwho\s+are\b"
        r"|\bwelche\b(?!\s+(?:\w+\s+){1,2}(?:ist|war|gilt|wird|wurde)\b|\s+(?:\w+\s+)?\w+(?:ung|heit|keit|t\u00e4t|ion|schaft|nahme)\b)|\bnenne?n?\b|\bz\u00e4hl\w*\s+auf\b|\bwas\s+sind\b|\bworaus\b|\bauflistung\b",
    ),
)
_KINDS: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_VERB: Final = (
    r"(?:is|are|was|were|do|does|did|can|could|may|must|has|have|had|will|would|should|shall|am|isn['\u2019]t|aren['\u2019]t|doesn['\u2019]t|didn['\u2019]t"
    r"|ist|sind|war|waren|hat|haben|hatte|darf|d\u00fcrfen|muss|m\u00fcssen|kann|k\u00f6nnen|wird|werden|wurde|wurden|gibt\s+es|gilt|gelten|soll|sollen|sollte|besteht|bestehen|habe|bin)\b"
)
_GERMAN_VERB: Final = (
    r"(?:lag(?:en)?|liegt|liegen|betrug(?:en)?|betr\u00e4gt|stieg(?:en)?|steigt|sank(?:en)?|sinkt|fiel(?:en)?|wuchs(?:en)?|w\u00e4chst|nahm(?:en)?|nimmt|ging(?:en)?|blieb(?:en)?"
    r"|kam(?:en)?|\u00fcber(?:stieg|stiegen|steigt|schritt|schritten|traf|trafen|trifft)|unterschritt(?:en)?|erreichte?n?|machte?n?|schrieb(?:en)?|erzielte?n?|verdiente?n?|verbesserte?n?|verschlechterte?n?"
    r"|erh\u00f6hte?n?|verringerte?n?|legte?n?|reichte?n?|zahlte?n?|gab(?:en)?|hielt(?:en)?)\b"
)
_AUXILIARY: Final = re.compile(
    r"\W*(?:(?:please|hi|hello|so|and|but|also|ok|quick\s+question|und|aber|bitte|hallo)\W+)*" + _VERB, re.IGNORECASE
)
# "For the year 2023, did it ...": what stands before the verb is no question of its own.
_LED: Final = re.compile(r"[,:;\u2013\u2014-]\s+" + _VERB, re.IGNORECASE)
_GERMAN_FIRST: Final = re.compile(r"\W*" + _GERMAN_VERB, re.IGNORECASE)
_GERMAN_WHAT: Final = re.compile(r"\W*was\b", re.IGNORECASE)
# "How do we calculate it" asks for a way, even where what is calculated is a figure; "how much do we pay" does not.
_MANNER: Final = re.compile(
    r"\bhow\s+(?:do|does|did|is|are|was|were|can|could|should|shall|must|will|would|has|have|had|to)\b"
    r"|\b(?:explain|describe|outline)\s+(?:how|the\s+(?:way|method\w*|approach|procedure|process|calculation)\s+(?:of|for|by|in|to|that|behind))\b"
    r"|\bwie\s+(?:wird|werden|wurde|wurden|ist|sind|kann|k\u00f6nnen|soll\w*|muss|m\u00fcssen|darf|d\u00fcrfen)\b"
    r"|\bwie\s+\w{3,}(?:en|t)\s+(?:wir|sie|man|die|der|das)\b",
    re.IGNORECASE,
)
# "How is it defined?" asks for the meaning of a figure, and "what is it?" for its value.
_DEFINED: Final = re.compile(
    r"\bhow\b[^?]*\b(?:define[ds]?|understood)\b|\bdefinition\s+of\b|\bwie\b[^?]*\bdefinier\w+", re.IGNORECASE
)
_WHETHER: Final = re.compile(r"\b(?:whether|if\s+(?:the|we|i|it|a|an|our|there)|ob)\b", re.IGNORECASE)
_QUESTION_WORD: Final = re.compile(
    r"\b(?:who\w{0,2}|what|which|when|where|why|how|wer|we[mn]|wessen|was|welche\w?|wann|wo(?:r?an|r?auf|durch|f\u00fcr|her|hin|mit|rin|rum|von|zu)?|warum|wieso|weshalb|wie(?:viele?n?)?)\b",
    re.IGNORECASE,
)
# "Fee for a foreign account?" is no sentence.
_MEASURE: Final = re.compile(
    rf"\b(?:size|amount|number|total|rate|ratio|percentage|share|price|fee|cap|ceiling|limit|threshold|minimum|maximum|max|average|margin|per"
    rf"|{_MEASURES}|{_GERMAN_MEASURES}|\w*betrag|\w*quote|\w*h\u00f6he|\w*anzahl|\w*grenze|h\u00f6chstens|mindestens)\b",
    re.IGNORECASE,
)
# "Revenue above 5 billion?" asks whether it was.
_AGAINST_AN_AMOUNT: Final = re.compile(
    r"\b(?:above|over|below|under|north\s+of|south\s+of|in\s+excess\s+of|(?:more|less|higher|lower|greater)\s+than|at\s+least|\u00fcber|unter|mindestens"
    r"|(?:mehr|weniger|h\u00f6her|niedriger)\s+als)\s+(?:[A-Z]{3}\s?|[$\u20ac\u00a3]\s?)?\d[^?]*\?\W*$",
    re.IGNORECASE,
)
_COULD_YOU: Final = re.compile(
    r"\W*(?:can|could|would|will|k\u00f6nnen|k\u00f6nnten|kannst)\s+(?:you|sie|du)\b", re.IGNORECASE
)


def read_answer_kind(text: str, *, wants_number: bool = False, language: str = "en") -> AnswerKind:
    """Return the kind of answer that a question asks for, by its form alone.

    Args: wants_number: whether the analysis found that a figure is asked for; decides where the form leaves it open.
          language: "en" or "de"; "was" is a verb in one and a question word in the other.
    """
    asks_what = language == "de" and _GERMAN_WHAT.match(text) is not None
    if _AUXILIARY.match(text) and not asks_what and not _COULD_YOU.match(text):
        return AnswerKind.YES_NO
    if (_LED.search(text) or _GERMAN_FIRST.match(text)) and not _QUESTION_WORD.search(text):
        return AnswerKind.YES_NO
    whether = _WHETHER.search(text)
    if whether and not _QUESTION_WORD.search(text, 0, whether.start()) and not _KINDS[0][1].search(text):
        return AnswerKind.YES_NO
    if wants_number and _AGAINST_AN_AMOUNT.search(text) and not _QUESTION_WORD.search(text):
        return AnswerKind.YES_NO
    for kind, pattern in _KINDS:
        if not pattern.search(text):
            continue
        of_figure = kind is AnswerKind.LIST or (kind is AnswerKind.DEFINITION and not _DEFINED.search(text))
        return AnswerKind.NUMBER if wants_number and of_figure else kind
    is_phrase = not _QUESTION_WORD.search(text) and _MEASURE.search(text) is not None
    return AnswerKind.NUMBER if is_phrase or (wants_number and not _MANNER.search(text)) else AnswerKind.TEXT
