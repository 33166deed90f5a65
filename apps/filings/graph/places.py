"""Countries, states and cities by their English and German names, mostly those of the CLDR, by Babel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.core import get_global

from apps.filings.graph.words import NameIndex
from apps.filings.text.mentions import word_set
from apps.filings.text.territories import ALSO_A_WORD, EU, ONLY_IN_CONTEXT, TERRITORIES

# Where the CLDR's name of a zone's city is a word, a person's name, a country, or hardly ever a city.
_NO_CITIES: Final = word_set(
    "Casey Center Christmas Cocos Creston Currie Davis Easter Eastern Eucla Fakaofo Galapagos Johnston Knox Mahe "
    "Mayotte "
    "Merida Midway Nome Palmer Perth Phoenix Regina Reunion Rothera Samara Troll Victoria Vincennes Vostok Wake Wallis "
    "Winamac Petersburg Menominee Marengo Tell Resolute Inuvik Thule Guernsey Jersey Belize Apia Efate Norfolk Pacific "
    "Saratov Syowa Mawson Macquarie Madeira Azores Canary Bermuda Faroe Stanley South Mauritius Maldives Chagos"
)
_CITIES: Final = """
Amsterdam; Antwerp, Antwerpen; Atlanta; Austin; Baltimore; Bangalore, Bengaluru; Barcelona; Basel, Basle; Bonn; Boston;
Bremen; Charlotte, North Carolina; Cologne, Köln; Cupertino; Dallas; Den Haag, The Hague; Dortmund; Dresden;
Düsseldorf, Dusseldorf; Edinburgh; Essen; Florence, Florenz; Frankfurt, Frankfurt am Main, Frankfurt a. M.;
Geneva, Genf; Glasgow; Gothenburg, Göteborg; Graz; Hamburg; Hannover, Hanover; Heidelberg; Houston; Karlsruhe; Kyoto;
Lausanne; Leeds; Leipzig; Linz; Liverpool; Lyon; Manchester; Mannheim; Marseille; Menlo Park; Miami; Milan, Mailand;
Minneapolis; Montreal, Montréal; Mountain View; Mumbai, Bombay; Munich, München; Naples, Neapel; New Delhi, Neu-Delhi;
Newark; Nuremberg, Nürnberg; Osaka; Palo Alto; Philadelphia; Pittsburgh; Portland; Rotterdam; Salt Lake City;
Salzburg; San Antonio; San Diego; San Francisco; San Jose; Santa Clara; Seattle; Shenzhen; St. Gallen; St. Louis;
Stuttgart; Sunnyvale; The Woodlands; Tampa; Turin; Utrecht; Valencia; Venice, Venedig; Washington D.C.; Wiesbaden;
Wolfsburg; Zug; Zurich, Zürich
"""
_STATES: Final = """
Alabama; Alaska; Arizona; Arkansas; California, Kalifornien; Colorado; Connecticut; Delaware; Florida; Hawaii; Idaho;
Illinois; Indiana; Iowa; Kansas; Kentucky; Louisiana; Maine; Maryland; Massachusetts; Michigan; Minnesota; Mississippi;
Missouri; Montana; Nebraska; Nevada; New Hampshire; New Jersey; New Mexico; North Carolina; North Dakota; Ohio;
Oklahoma; Oregon; Pennsylvania; Rhode Island; South Carolina; South Dakota; Tennessee; Texas; Utah; Vermont; Virginia;
West Virginia; Wisconsin; Wyoming; Bavaria, Bayern; Hesse, Hessen; Saxony, Sachsen; North Rhine-Westphalia,
Nordrhein-Westfalen; Baden-Württemberg, Baden-Wuerttemberg; Ontario; Quebec, Québec; Alberta; British Columbia;
New South Wales; England; Scotland, Schottland; Wales; Northern Ireland, Nordirland
"""
_MORE_COUNTRIES: Final = {"U.S.": "us", "USA": "us", "U.S.A.": "us", "U.K.": "gb", "UK": "gb", "PRC": "cn"}
DOUBTFUL: Final = ALSO_A_WORD | ONLY_IN_CONTEXT
"""Names that are a place only after a word such as "in"."""


def _groups(table: str) -> Iterator[tuple[str, str]]:
    for group in " ".join(table.split()).split(";"):
        names = [name.strip() for name in group.split(",")]
        yield from ((name, _slug(names[0])) for name in names)


def _slug(name: str) -> str:
    return "-".join(re.findall(r"[^\W_]+", name.casefold()))


def _cities() -> Iterator[tuple[str, str]]:
    english, german = (Locale(language).time_zones for language in ("en", "de"))
    for zone in sorted(get_global("zone_territories")):
        plain = zone.rpartition("/")[2].replace("_", " ")
        names = [str(locale[zone].get("city", plain)) if zone in locale else plain for locale in (english, german)]
        if plain.split()[0] not in _NO_CITIES:
            yield from ((name, _slug(names[0])) for name in names)


def _countries() -> Iterator[tuple[str, str]]:
    for code, territory in TERRITORIES.items():
        # What begins with a small letter is a phrase and no name.
        yield from ((name, code.lower()) for name in territory.names if name[:1].isupper() and len(name) > 2)
    yield from (("European Union", EU.lower()), ("Europäische Union", EU.lower()), ("Europäischen Union", EU.lower()))
    yield from _MORE_COUNTRIES.items()


@lru_cache(maxsize=1)
def places() -> NameIndex[str]:
    """Return the names of places with the ends of their keys: "de" for a country, a name for another place."""
    return NameIndex((*_countries(), *_groups(_STATES), *_groups(_CITIES), *_cities()))
