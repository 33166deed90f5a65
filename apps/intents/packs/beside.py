"""What an intent of one pack says when another pack stands beside it that knows a part of its questions better.

Without this, both packs would claim the same questions, and each would get a share of them by chance: in a fund house
that also researches companies, a question on a filing belongs to the intents of company research.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NARROWED: Final[Mapping[tuple[str, str], Mapping[str, Mapping[str, Any]]]] = {
    ("fund_house", "company_research"): {
        "narrative": {
            "label": "Narrative",
            "description": (
                "How we write: house style, wording, usual edits, and the text of our own reports. Not what companies "
                "publish."
            ),
            "decisive_terms": """house style, reporting style, wording, phrase, rewrite, tone, paragraph,
                opening sentence, headline, spelling, editor, client letter, Formulierung, formulieren, Hausstil""",
            "terms": "draft, commentary, our report, Kommentar, schreiben wir",
            "examples": [
                "How do we phrase a quarter with a loss in the commentary?",
                "Write an opening sentence for the monthly report in our house style.",
                "Which words do our editors usually strike out of a draft?",
                "What tone do we use when we write about market stress?",
                "Rewrite this paragraph so that it fits our reporting style.",
                "Do we write 'percent' or use the sign in client letters?",
                "Which headline did we give the last commentary on bonds?",
                "Wie formulieren wir im Kommentar ein Quartal mit Verlust?",
                "Welche Formulierung verwenden wir für eine Warnung?",
            ],
        },
    },
}
"""By the pack whose intents become narrower and the pack beside it: the intent, and what of it is said instead."""
