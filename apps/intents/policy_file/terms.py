"""Find the terms that can't be read back from the policy file. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from apps.intents.contracts import PolicySnapshot


def term_problems(snapshot: PolicySnapshot) -> Iterator[str]:
    """Terms that the policy file could not give back, one sentence each: terms are separated by commas there."""
    for rule in snapshot.intents:
        for term in rule.terms:
            if "," in term.text:
                yield f"The term '{term.text}' of intent '{rule.name}' has a comma; make it two terms, or leave it out."
            elif not term.text.strip() or term.text != " ".join(term.text.split()):
                yield (
                    f"The term '{term.text}' of intent '{rule.name}' has blanks around it, two in a row, or a line "
                    "break; write its words with one blank between them."
                )
