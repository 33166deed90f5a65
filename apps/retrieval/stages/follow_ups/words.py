"""The words by which a follow-up is told from a question that stands by itself, in English and German."""

from __future__ import annotations

import re
from typing import Final

from apps.filings.text.mentions import word_set
from apps.retrieval.stages.figures.calculating.form_words import CHANGE, FALL, PARTED_FALL, PARTED_RISE, RISE

_I: Final = re.IGNORECASE
MARKER: Final = re.compile(
    r"(?:(?:and|und|or|oder|but|aber|also|auch|then|dann|plus|what\s+about|how\s+about|(?:and\s+)?what\s+of|wie\s+steht\s+es\s+(?:mit|um)"
    r"|was\s+ist\s+mit|wie\s+(?:war|ist|w\u00e4re|sieht|sah)\s+(?:es|das)(?:\s+(?:denn|dann))?(?=\s+(?:bei|in|im|mit|f\u00fcr|zu)\b)"
    r"|(?:the\s+)?same\s+(?:question\s+|thing\s+)?(?:again\s+)?(?=for\b|at\b|in\b|with\b)"
    r"|(?:die\s+)?gleiche\s+(?:frage|angabe)\s+(?=f\u00fcr\b|zu\b|bei\b|zur\b)|(?:das|die)selbe\s+(?:frage\s+)?(?=f\u00fcr\b|bei\b|zu\b))\b[\s,:;.\u2026-]*)+",
    _I,
)
POLITE: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks?|thank\s+you|danke|well|now|so|please|bitte|hm+|nun|gut)\b[\s,:;.!-]*)+|[\s,]+(?:please|bitte|then|denn|dann|though|too|as\s+well|again|instead|auch|aus)\s*(?=[?.!]*$)",
    _I,
)
WHY: Final = re.compile(
    r"(?:why|how\s+come|what\s+(?:was|is)\s+the\s+reason|for\s+what\s+reason|warum|wieso|weshalb|woran\s+(?:lag|liegt)|aus\s+welchem\s+grund)"
    r"(?:\s+(?:is|was|ist|war))?(?:\s+(?:that|this|so|it|das|dies|es|denn|for\s+that|for\s+it))*\s*[?.!]*",
    _I,
)
ASKS_WHY: Final = re.compile(r"\s*(?:why|how\s+come|warum|wieso|weshalb)\b", _I)
_ASKING: Final = (
    r"(?:what|how|which|who|whom|whose|when|where|why"
    r"|wer|wen|wem|was|wie|wann|wo|welche\w?|warum|wieso|weshalb|wodurch|woran|wovon)"
)
_VERB: Final = (
    r"(?:is|are|was|were|did|does|do|has|have|had|can|could|may|must|will|would|should|ist|sind|war|waren|hat|haben|hatte|hatten"
    r"|wird|werden|wurde|wurden|betrug|betr\u00e4gt|lag|lagen|liegt|kann|darf|muss|soll|gilt|gelten)"
)
SENTENCE: Final = re.compile(
    rf"^\W*(?:{_VERB}\b|(?:\w+\s+){{0,3}}?{_ASKING}\b.*?\b\w)|\b{_ASKING}\b.*\b{_VERB}\b"
    r"|^\W*(?:compare|list|name|give|show|tell|explain|describe|summari[sz]e|calculate|compute|state|nenne\w*|zeige?\w*|vergleiche?\w*|erkl\u00e4re?\w*|beschreibe?\w*|berechne\w*|gib)\b",
    _I,
)
# What may stand before a pronoun without being what it stands for.
BEFORE_PRONOUN: Final = word_set(
    """
    and but so then or also why how what when where which who whom by of in at to for with much many far high low large
    big strongly fast often long percent percentage percentages cent per did does do is are was were has have had will
    would can could may should must not the a an
    drove caused explains explained behind lay lies made led
    und aber dann oder warum wieso weshalb wie was wann wo welche welcher welches wer um in im bei von auf zu mit viel
    stark sehr hoch gross groß weit schnell oft prozent wieviel ist sind war waren hat haben hatte wird wurde wurden
    sank stieg fiel wuchs ging nahm sich denn wodurch woran lag betrug
    """
)
PRONOUN: Final = re.compile(
    r"\b(?:(?P<it>it)|(?P<its>its|their)|(?P<they>they|them)|(?P<there>there)"
    r"|(?P<named>(?:that|the\s+same|this\s+same)\s+(?:company|firm|bank|fund|group|insurer))"
    r"|(?P<man>er)|(?P<woman>sie)|(?P<thing>es)|(?P<ihr>ihre?[mnrs]?|seine?[mnrs]?|deren|dessen)|(?P<dort>dort)"
    r"|(?P<firma>(?:dieselbe|dasselbe|derselbe)n?\s+(?:Unternehmen|Firma|Gesellschaft|Bank|Fonds|Konzern)))\b",
    _I,
)
# "It" and "es" that stand for nothing, "there is", and the polite "Sie" and "Ihr".
STANDS_FOR_NOTHING: Final = re.compile(
    r"\bit\s+(?:take|takes|took|matter|mean|make\s+sense|allowed|possible|true|necessary|required|permitted|legal|illegal|important|mandatory|prohibited|okay|ok|enough|worth|advisable|forbidden|correct|common|customary)\b"
    r"|\b(?:is|was|are|were)\s+there\b|\bthere\s+(?:is|are|was|were)\b"
    r"|\b(?:gibt|gab|geht|dauert|bedarf|handelt)\s+es\b|\bes\s+(?:gibt|gab|geht|dauert|erlaubt|m\u00f6glich|n\u00f6tig|notwendig|zul\u00e4ssig|verboten|gestattet|wahr|richtig|erforderlich|\u00fcblich|sich)\b"
    r"|\bsie\s+(?:mir|uns)\b",
    _I,
)
POLITE_FORM: Final = re.compile(r"\b(?:Sie|Ihre?[mnrs]?|Ihnen)\b")
NO_MEASURE_OF: Final = re.compile(
    r"\b(?:growth|change|increase|decrease|decline|rise|fall|Wachstum|Ver\u00e4nderung|Anstieg|R\u00fcckgang)\b", _I
)
ACTS: Final = re.compile(
    r"\b(?:pay|paid|pays|buy|bought|acquire[ds]?|sell|sold|own[eds]*|hire[ds]?|employ[eds]*|report(?:ed)?|earn(?:ed)?|make|made|spend|spent|issue[ds]?|borrow(?:ed)?|disclose[ds]?|expect(?:ed)?|plan(?:ned)?|invest(?:ed)?|operate[ds]?|audit(?:ed|s)?|have|based|located|headquartered|listed|regulated|domiciled|founded|supervised"
    r"|zahl(?:en|te|t)|gezahlt|gekauft|verkauft|besitz(?:t|en)|besch\u00e4ftig(?:t|en|te)|berichte[tn]?|verdien(?:t|te|en)|ausgegeben|investiert|erwarte[tn]?|plan(?:t|te|en)|aussch\u00fctt\w+|ausgesch\u00fcttet)\b",
    _I,
)
NO_OTHER: Final = re.compile(
    r"\b(?:other|others|rest|latter|former|else|both|andere[nrms]?|\u00fcbrige[nrms]?|letztere[nrms]?|erstere[nrms]?|beide[nrms]?)\b",
    _I,
)
POINTS: Final = re.compile(r"\b(?:that|this|those|these|it|them|das|dies|diese[mnrs]?|dem|davon|dazu)\b", _I)
NO_FIGURE: Final = re.compile(
    r"\b(?:\w*(?:years?|quarters?|months?|periods?|jahre?|quartale?|monate?)|last|first|next|one|ones|two|three)\b|\d",
    _I,
)
# "How does that compare?", "Is that more than before?": what "that" is stands in another question.
POINTS_BACK: Final = re.compile(
    r"^\W*(?:\w+\s+){0,2}?(?:is|was|does|did|do|are|were|ist|war|hat)\s+"
    r"(?:(?:that|this|those|these)\s+(?!\w*(?:company|firm|fund|policy|rule|report|document|bank)\b)"
    r"|(?:das|dies)\s+(?!(?:\w+e[nrs]?\s+)?(?-i:[A-Z\u00c4\u00d6\u00dc])))",
    _I,
)
ASKS_WHICH: Final = re.compile(
    r"\b(?:which|what)\s+(?:compan(?:y|ies)|firms?|funds?|banks?)\b|\bwho\b|\bwer\b|\bwelche[rsn]?\s+(?:Unternehmen|Firm\w+|Fonds|Bank\w*|Gesellschaft\w*)\b",
    _I,
)
EXPLAINS: Final = re.compile(r"\b(?:drove|drives|caused?|explains?|explained|behind|contributed|led\s+to)\b", _I)
PLURAL_ASKED: Final = re.compile(r"\b(?:which|who|one|any|each|both|all|welche[rsnm]?|wer)\s+(?:of|von)\b", _I)
# What leaves nothing behind once period, company and figure are taken out.
FRAME: Final = word_set(
    """
    what how which was is were are will the a an of in at for by from to on with about it its their they and also as
    high large big much did does do be that then same s year years fiscal company there over during
    wie was ist war hoch groß gross viel sind waren es bei mit für in im von der die das den dem des und auch zu zur zum
    aus er sie ihr ihre ihren ihrer sein seine seinen seiner dort jahr jahre jahres geschäftsjahr betrug lag auf dafür
    dann sieht sah
    """
)
NOT_A_NAME_GERMAN: Final = re.compile(
    r"(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|t\u00e4t|zahl|zahlen|quote|quoten|marge|margen|aufwand|kosten|gewinne?|verluste?"
    r"|ergebnis|umsatz|erl\u00f6se|bestand|bestands|werte?|preise?|satz|rate|kapital|schulden|verm\u00f6gen|steuern?|zinsen|rendite|geb\u00fchr(?:en)?"
    r"|frist(?:en)?|risik(?:o|en)|mittel|lage|anteile?|kunden?|mitarbeiter|stand|summe|fluss|flow|ausgaben|investitionen|prozent|segment|sparte|aktie|mio|mrd)$",
    _I,
)
MEASURE_GERMAN: Final = re.compile(
    r"\b[A-Z\u00c4\u00d6\u00dc][\w-]*(?:quote|marge|aufwand|kosten|gewinn|verlust|ergebnis|umsatz|erl\u00f6se|kapital|schulden|verm\u00f6gen|rendite|geb\u00fchr|bestand"
    r"|ausgaben|volumen|summe|rate|satz|zahl|wert|preis)\b"
)
PREPOSITION: Final = re.compile(
    r"^(?P<word>for|of|in|under|with|at|by|from|after|before|f\u00fcr|von|bei|mit|unter|nach|vor|ohne|without|to|zu)\s+(?P<rest>\S.*)$",
    _I,
)


def moves(text: str) -> bool:
    """Return whether a text says that a figure rises, falls or changes."""
    return any(pattern.search(text) for pattern in (RISE, FALL, CHANGE, PARTED_RISE, PARTED_FALL))
