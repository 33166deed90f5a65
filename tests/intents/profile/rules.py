"""Rules of profiles for tests, and texts written in ways that try to get past them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from apps.intents.profile.contracts import OF_MEANS, InAnswer, InQuestion, ProfileRule, RuleSort

TAX = ProfileRule(
    key="tax_advice",
    sort=RuleSort.TOPIC,
    name="Tax advice",
    terms=("tax advice", "avoid tax"),
    text="Ask the tax desk.",
    in_question=InQuestion.REFUSE,
)
ATLAS = ProfileRule(
    key="atlas",
    sort=RuleSort.PRODUCT,
    name="Atlas Leveraged",
    terms=('"Atlas Leveraged"', "atlas certificate"),
    text="It is sold to professional clients only.",
    in_question=InQuestion.REFUSE,
    in_answer=InAnswer.BLOCK,
)
PAST = ProfileRule(
    key="past_performance",
    sort=RuleSort.DISCLAIMER,
    name="Past performance",
    intents=("performance",),
    text="Past performance promises no future returns.",
)

# Words that no rule of these tests names, so that they can stand anywhere.
FILLERS = ("please", "Northwind", "2024", "fund", "what", "does", "report", "say", "über", "and")
WORDS = ("crypto", "bitcoin", "derivative", "lottery", "gambling", "pension", "mortgage", "tobacco", "Währung", "loan")

_LOOKALIKE = str.maketrans("aceiopxyABCEHKMOPTX", "асеіорхуАВСЕНКМОРТХ")  # noqa: RUF001
_FULL = {chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)}


def _accented(text: str) -> str:
    return "".join(each + ("\u0301" if each.lower() in "aeiou" else "") for each in text)


def _digits(text: str) -> str:
    """At least one letter stays, or it is no word any more."""
    return text[0] + text[1:].translate(str.maketrans("oiea", "0134"))


EVASIONS: Mapping[str, Callable[[str], str]] = {
    "as it is": lambda word: word,
    "upper case": str.upper,
    "mixed case": lambda word: "".join(c.upper() if n % 2 else c.lower() for n, c in enumerate(word)),
    "hyphens": lambda word: f"{word[:2]}-{word[2:]}",
    "soft hyphens": lambda word: "\u00ad".join(word),
    "unusual hyphens": lambda word: f"{word[:3]}\u2011{word[3:]}",
    "dots": ".".join,
    "letters apart": " ".join,
    "accents": _accented,
    "strike-through": lambda word: "".join(each + "\u0336" for each in word),
    "zero width": lambda word: "\u200b".join(word),
    "joiners": lambda word: "\u200d\u2060".join(word),
    "byte order marks": lambda word: "\ufeff".join(word),
    "directions": lambda word: f"\u202a{word}\u202c",
    "variation selectors": lambda word: "\ufe0f".join(word),
    "fillers": lambda word: "\u3164".join(word),
    "look-alike letters": lambda word: word.translate(_LOOKALIKE),
    "full width": lambda word: "".join(_FULL.get(each, each) for each in word),
    "mathematical letters": lambda word: "".join(
        chr(0x1D41A + ord(each) - ord("a")) if "a" <= each <= "z" else each for each in word
    ),
    "circled letters": lambda word: "".join(
        chr(0x24D0 + ord(each) - ord("a")) if "a" <= each <= "z" else each for each in word
    ),
    "digits for letters": _digits,
    "plural": lambda word: f"{word}s",
    "possessive": lambda word: f"{word}'s",
}

fillers = st.lists(st.sampled_from(FILLERS), max_size=6)


def watching(*terms: str) -> ProfileRule:
    return ProfileRule(
        key="rule",
        sort=RuleSort.TOPIC,
        name="A rule",
        terms=terms,
        text="It is not for us.",
        in_question=InQuestion.REFUSE,
        in_answer=InAnswer.FLAG,
    )


# --- Any profile ------------------------------------------------------------------------------------------------------

_terms = st.lists(
    st.sampled_from(["tax advice", "Tax  Advice", "lottery", '"atlas"', "krypto*"]), min_size=1, unique=True
)
_watching = st.builds(
    ProfileRule,
    key=st.sampled_from(["a", "b", "c"]),
    sort=st.sampled_from([RuleSort.TOPIC, RuleSort.PRODUCT]),
    name=st.sampled_from(["Tax", "Atlas"]),
    terms=_terms.map(tuple),
    text=st.sampled_from(["Ask the desk.", "No."]),
    in_question=st.sampled_from(InQuestion),
    in_answer=st.sampled_from(InAnswer),
).filter(lambda rule: (rule.in_question, rule.in_answer) != (InQuestion.ALLOW, InAnswer.ALLOW))
_disclaimers = st.builds(
    ProfileRule,
    key=st.sampled_from(["d", "e"]),
    sort=st.just(RuleSort.DISCLAIMER),
    name=st.sampled_from(["Past", "Risk"]),
    intents=st.sampled_from([(), ("performance",), ("compliance", "unrecognised")]),
    text=st.sampled_from(["The past promises nothing.", "Capital is at risk."]),
)
_bounds = st.builds(
    ProfileRule,
    key=st.sampled_from(["f", "g", "h"]),
    sort=st.just(RuleSort.INSTRUMENTS),
    name=st.sampled_from(["Ours", "All"]),
    terms=st.lists(st.sampled_from(["bond", "fund", "etf"]), min_size=1, unique=True).map(tuple),
    intents=st.sampled_from([(), ("performance",), ("compliance", "performance")]),
    text=st.just("Ask the desk."),
    in_question=st.sampled_from(InQuestion),
    in_answer=st.sampled_from(InAnswer),
).filter(lambda rule: (rule.in_question, rule.in_answer) != (InQuestion.ALLOW, InAnswer.ALLOW))
_models = st.builds(
    ProfileRule,
    key=st.just("m"),
    sort=st.sampled_from(sorted(OF_MEANS)),
    name=st.just("Models"),
    terms=st.sampled_from([("none",), ("EU", "DE")]),
    intents=st.sampled_from([(), ("performance",)]),
    text=st.just("Data stays here."),
)
profiles = st.lists(
    st.one_of(_watching, _disclaimers, _bounds, _models), max_size=4, unique_by=lambda rule: rule.key
).map(tuple)
