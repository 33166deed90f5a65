"""Usual spellings of one name: by rules of sound that hold in German and English, and by short lists where none do."""

from __future__ import annotations

import re
from functools import lru_cache

from apps.privacy.people.normalise import folded, reduced, word_set

# Families of spellings that no rule below brings together. Members are reduced writings.
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
# Between a title and the bare family name they say nothing; as words of a name they may be left out.
PARTICLES = word_set("von van vom zu zum zur de del della der den des di da dos du la le ten ter af av v d")


@lru_cache(maxsize=65_536)
def spelling(word: str) -> str:
    """A key that usual spellings of one name share. Different names may share one too: it is a hint, no proof."""
    small = reduced(word)
    if small in _REPRESENTATIVE:
        return _REPRESENTATIVE[small]
    for pattern, replacement in _RULES:
        small = pattern.sub(replacement, small)
    return _REPRESENTATIVE.get(small, small)


def without_ending(word: str) -> str:
    """A German genitive without its s: "Meyers" is of Meyer. The word itself where there is none to take off."""
    small = folded(word)
    return small[:-1] if len(small) > 4 and small.endswith("s") and not small.endswith("ss") else ""


def is_title(word: str) -> bool:
    return folded(word) in TITLES


def is_particle(word: str) -> bool:
    return folded(word) in PARTICLES
