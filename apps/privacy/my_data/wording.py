"""The texts with the information that Article 15 GDPR requires beside the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ARTICLE_15: Final[Mapping[str, str]] = {
    "(a) Purposes": "Each category states them, with the legal basis.",
    "(b) Categories of data": "Each has its own chapter, with everything that is held in it.",
    "(c) Recipients": (
        "Who within the firm may see it, and which providers receive some of it, and where: see “Who gets to see it”."
    ),
    "(d) How long it is kept": "Each category states it; for events, by kind, with the period in force now.",
    "(e) Your rights": (
        "You may ask the firm to correct what is wrong (Article 16) and to erase (17) or restrict (18) what is held, "
        "and you may object to processing that rests on a legitimate interest (21). Write to the firm's data "
        "protection officer: you get an answer within one month. Data that the firm must keep by law stays until it "
        "no longer has to be kept."
    ),
    "(f) Complaint": (
        "You may complain to a supervisory authority, such as that of the country where you live or work, or where you "
        "think that the law was broken (Article 77)."
    ),
    "(g) Source": "Each category states it.",
    "(h) Automated decisions": (
        "No automated decision in the sense of Article 22 is made about you. Rules that people of the firm wrote and "
        "approved sort your questions by what they ask for. That decides which documents are searched, and nothing "
        "else. Each question's event says how it was sorted, and why."
    ),
    "Article 15(2): other countries": (
        "If a provider is listed as outside the firm's region, ask the data protection officer which safeguards were "
        "agreed with it (Article 46)."
    ),
    "Article 15(4): others": (
        "Data of other people is not included. If somebody else took part, they are called “another person”. Words "
        "that you wrote yourself appear as you wrote them."
    ),
}
UNREACHED: Final = (
    "{count} events about you touched scopes that you can't reach {now}. They may be about others, so they are not "
    "included: ask the data protection officer for them."
)
