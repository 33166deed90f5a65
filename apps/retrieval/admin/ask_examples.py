"""Questions to begin with: golden examples of the policy in force, a few of each intent."""

from __future__ import annotations

from dataclasses import dataclass

from apps.intents.contracts import UNRECOGNISED, PolicySnapshot

SHOWN_OF_EACH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleGroup:
    """Examples of one intent; reach says which kinds of document it may use."""

    label: str
    description: str
    reach: str
    questions: tuple[str, ...]


def example_groups(snapshot: PolicySnapshot, *, shown: int = SHOWN_OF_EACH) -> tuple[ExampleGroup, ...]:
    """The first examples of each intent, in the policy's order; questions outside of all intents come last."""
    fallback = snapshot.fallback
    rows = [
        *((rule.name, rule.label, rule.description, rule.kinds) for rule in snapshot.intents),
        (UNRECOGNISED, fallback.label, fallback.description, fallback.kinds),
    ]
    return tuple(
        ExampleGroup(
            label=label,
            description=description,
            reach=", ".join(kind.label for kind in kinds),
            questions=questions,
        )
        for name, label, description, kinds in rows
        if (questions := tuple(each.text for each in snapshot.examples if each.intent == name)[:shown])
    )
