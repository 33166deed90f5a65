"""What a firm says about its documents in a package, since the platform does not know for what the firm keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from apps.erasure.retention.selectors import rules_of, schedule_in_force
from apps.privacy.access_packages.wordings import ground, period, wording_of

_DOCUMENT: Final = "document:"
_INTERESTS: Final = "6(1)(f) legitimate interests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the firm says, in the package's language, as the person who makes the package edited it."""

    purposes: str = field(repr=False)
    legal_basis: str = field(repr=False)
    source: str = field(repr=False)
    retention: str = field(repr=False)


def told_by_rules(language: str) -> Told:
    """Draft the statement from the retention rules in force, for a person to read and change. Costs: two queries.

    Legal grounds that the firm wrote itself are not translated.

    Args: language: the request's language, a value of codes.requests.Language.
    """
    wording = wording_of(language)
    words, periods = wording.told, wording.keeping.periods
    schedule = schedule_in_force()
    rules = [rule for rule in (rules_of(schedule) if schedule else ()) if rule.subject.startswith(_DOCUMENT)]
    bases = sorted({rule.legal_basis for rule in rules}) or [_INTERESTS]
    keep = sorted({rule.keep_months for rule in rules})
    if not keep:
        retention = words.as_needed
    elif len(keep) == 1:
        retention = words.at_least.format(shortest=period(keep[0], periods))
    else:
        retention = words.between.format(shortest=period(keep[0], periods), longest=period(keep[-1], periods))
    return Told(
        purposes=words.purposes,
        legal_basis="; ".join(ground(basis, wording) for basis in bases),
        source=words.source,
        retention=retention,
    )
