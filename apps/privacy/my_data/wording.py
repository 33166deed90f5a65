"""The texts with the information that Article 15 GDPR requires beside the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ARTICLE_15: Final[Mapping[str, str]] = {
    "(a) Purposes": "Stand with each category, with the legal basis.",
    "(b) Categories of data": "Each has a chapter of its own, with everything that is held in it.",
    "(c) Recipients": (
        "Who within the firm may see it, and which providers get something of it, where: see “Who gets to see it”."
    ),
    "(d) How long it is kept": "Stands with each category; for events, by kind, with the period that is in force now.",
    "(e) Your rights": (
        "You may ask for what is wrong to be corrected (Article 16), for erasure (17) or restriction (18) of what is "
        "held, and object to what rests on a legitimate interest (21). Write to the firm's data protection officer: "
        "you get an answer within one month. What the firm must keep by law stays until it need not be kept any more."
    ),
    "(f) Complaint": (
        "You may complain to a supervisory authority, such as that of the country where you live or work, or where you "
        "think that the law was broken (Article 77)."
    ),
    "(g) Source": "Stands with each category.",
    "(h) Automated decisions": (
        "Nothing is decided about you by machine in the sense of Article 22. Your questions are sorted by what they "
        "ask for, by rules that people of the firm wrote and approved; that decides which documents are searched, and "
        "nothing else. Each question's event says what it was taken for, and why."
    ),
    "Article 15(2): other countries": (
        "Where a provider is said to be outside the firm's region, ask the data protection officer for the "
        "safeguards that were agreed with it (Article 46)."
    ),
    "Article 15(4): others": (
        "What is another person's is not in here. Where somebody else took part, they are called “another person”. "
        "Words that you wrote yourself stand as you wrote them."
    ),
}
UNREACHED: Final = (
    "{count} events about you touched scopes that you do not reach {now}. What they hold may be about others, so they "
    "are not in here: ask the data protection officer for them."
)
