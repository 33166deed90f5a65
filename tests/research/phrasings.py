"""Five ways to say the same claim. The failures of the last two of each are not looked at."""

from __future__ import annotations

from typing import Final

SEEN: Final = 3
"""How many of each may be looked at."""

METRIC: Final = {
    "en": (
        "{company} reported {measure} of {value} in fiscal {year}.",
        "In {year}, the {measure} of {company} amounted to {value}.",
        "{company}'s {measure} was {value} for the year ended in {year}.",
        "For fiscal year {year}, {company} posted {measure} totalling {value}.",
        "At {value}, {measure} in {year} was what {company} had told its shareholders.",
    ),
    "de": (
        "Im Geschäftsjahr {year} betrug die Position {measure} der {company} {value}.",
        "{company}: {measure} {value} im Jahr {year}.",
        "Die {company} wies für {year} unter {measure} einen Betrag von {value} aus.",
        "Für das Geschäftsjahr {year} nennt die {company} bei {measure} {value}.",
        "Mit {value} schloss die {company} das Jahr {year} bei der Größe {measure} ab.",
    ),
}
CHANGE: Final = {
    "en": (
        "{measure} of {company} {moved} by {percent} in {year}.",
        "In fiscal {year}, {company}'s {measure} {moved} {percent} compared with the prior year.",
        "{company} saw {measure} {move_noun} of {percent} in {year}.",
        "Compared with {before}, {measure} at {company} {moved} {percent} in {year}.",
        "{company}'s {measure} {moved} by {percent} between {before} and {year}.",
    ),
    "de": (
        "{measure} der {company} {moved} im Jahr {year} um {percent}.",
        "Im Geschäftsjahr {year} {moved} bei der {company} die Größe {measure} gegenüber dem Vorjahr um {percent}.",
        "Die {company} meldet für {year} bei {measure} einen {move_noun} von {percent}.",
        "Gegenüber {before} {moved} die Größe {measure} der {company} in {year} um {percent}.",
        "Um {percent} {moved} die Größe {measure} der {company} im Geschäftsjahr {year}.",
    ),
}
FROM_TO: Final = {
    "en": (
        "{company}'s {measure} {moved} from {value_before} in {before} to {value} in {year}.",
        "{measure} of {company} was {value} in {year}, compared with {value_before} in {before}.",
        "In {year}, {measure} of {company} {moved} to {value} ({before}: {value_before}).",
        "{company} brought in {measure} of {value} in {year}, after {value_before} in {before}.",
        "{measure} at {company} came to {value} in {year} versus {value_before} the year before.",
    ),
    "de": (
        "{measure} der {company} {moved} von {value_before} im Jahr {before} auf {value} im Jahr {year}.",
        "{measure} der {company} lag {year} bei {value}, nach {value_before} im Jahr {before}.",
        "Im Jahr {year} {moved} bei der {company} die Größe {measure} auf {value} ({before}: {value_before}).",
        "Die {company} kam {year} bei {measure} auf {value} (Vorjahr: {value_before}).",
        "Nach {value_before} in {before} erreichte die {company} bei {measure} in {year} {value}.",
    ),
}
EXTREME: Final = {
    "en": (
        "{company}'s {measure} reached a record in {year}.",
        "In {year}, {measure} of {company} was the highest since {first}.",
        "{company} posted record {measure} in fiscal {year}.",
        "{measure} at {company} hit its highest level since {first} in {year}.",
        "Fiscal {year} brought {company} the highest {measure} on record.",
    ),
    "de": (
        "{measure} der {company} erreichte {year} einen Rekord.",
        "Im Jahr {year} war die Größe {measure} der {company} die höchste seit {first}.",
        "Die {company} erzielte {year} bei {measure} einen Höchststand.",
        "Bei {measure} meldet die {company} für {year} den höchsten Wert seit {first}.",
        "{year} war für die {company} bei {measure} ein Rekordjahr.",
    ),
}
MOVED: Final = {
    ("en", 1): ("rose", "increased", "grew", "climbed", "went up"),
    ("en", -1): ("fell", "decreased", "declined", "dropped", "went down"),
    ("de", 1): ("stieg", "erhöhte sich", "stieg", "wuchs", "stieg"),
    ("de", -1): ("sank", "verringerte sich", "sank", "fiel", "sank"),
}
NOUNS: Final = {
    ("en", 1): ("an increase", "growth", "an increase", "a rise", "an increase"),
    ("en", -1): ("a decrease", "a decline", "a decrease", "a drop", "a decrease"),
    ("de", 1): ("Anstieg", "Zuwachs", "Anstieg", "Anstieg", "Anstieg"),
    ("de", -1): ("Rückgang", "Rückgang", "Rückgang", "Rückgang", "Rückgang"),
}
