"""Common spellings of one name: by sound rules that hold in German and English, and by short lists of exceptions."""

from __future__ import annotations

import re
from functools import lru_cache

from apps.privacy.people.normalise import folded, reduced, word_set

# Groups of spellings that no rule below maps to one key. The members are in the form that reduced() returns.
_FAMILIES = (
    "catherine katherine katharine kathryn catharine katarina katharina catharina",
    "steven stephen steffen stephan stefan",
    "geoffrey jeffrey geoff jeff",
    "jon john",
    "alan allan allen",
    "sean shaun shawn",
    "alexander aleksander alexandre aleksandr",
    "elisabeth elizabeth",
    "ann anne anna",
    "sara sarah",
    "thompson thomson",
    "brown browne",
    "clark clarke",
    "smith smyth smythe",
    "reid reed read",
    "gray grey",
    "stewart stuart",
    "macdonald mcdonald",
    "schulz schulze schultz schultze scholz",
    "kohler koehler",
    "dietrich diederich ditrich",
    "jensen jenssen",
    "petersen pedersen peterson",
    "nielsen nilsen nilson",
)
_REPRESENTATIVE = {member: family.split()[0] for family in _FAMILIES for member in family.split()}
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"m[ae][iy]e?rs?$", "meier"),  # Meier, Meyer, Maier, Mayer, Mayr, and what ends with them
        (r"schmi(?:dt|tt|ed|d|t|dd)$", "schmit"),
        (r"ph", "f"),
        (r"ch(?=r)|ck|c(?=[aoulkt])", "k"),
        (r"c$", "k"),
        (r"th|dt", "t"),
        (r"tz|cz", "z"),
        (r"[ae][iy]", "ei"),
        (r"ie|y", "i"),
        (r"(?<=[aeiou])h(?=[^aeiou]|$)", ""),  # Johann, Jonson and Johnson, Kohl
        (r"ow$", "o"),
        (r"([^aeiou])\1+", r"\1"),  # Philipp, Hoffmann
    )
)
TITLES = word_set(
    """
    mr mrs ms miss mx sir dame lord lady dr prof professor doctor doktor herr herrn frau fr hr fraulein fraeulein
    dipl ing med jur phil rer nat pol iur mag llm mba bsc msc phd cfa esq hon rev familie family mister madam
    """
)
# Particles are skipped between a title and a family name, and may be left out of a name.
PARTICLES = word_set("von van vom zu zum zur de del della der den des di da dos du la le ten ter af av v d")


@lru_cache(maxsize=65_536)
def spelling(word: str) -> str:
    """Return a key that common spellings of one name share. Different names may share a key too: it is only a hint."""
    small = reduced(word)
    if small in _REPRESENTATIVE:
        return _REPRESENTATIVE[small]
    for pattern, replacement in _RULES:
        small = pattern.sub(replacement, small)
    return _REPRESENTATIVE.get(small, small)


def without_ending(word: str) -> str:
    """Return a German genitive without its s ("meyer" for "Meyers"), or "" where there is no such ending."""
    small = folded(word)
    return small[:-1] if len(small) > 4 and small.endswith("s") and not small.endswith("ss") else ""


def is_title(word: str) -> bool:
    return folded(word) in TITLES


def is_particle(word: str) -> bool:
    return folded(word) in PARTICLES
