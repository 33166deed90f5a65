from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import CodedError


class HoldError(CodedError):
    """What stands against placing, changing, releasing or finding a legal hold, or removing what is under one."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # There is none, or the caller may not see it: the two look alike.
        "audit.hold_not_found": (404, "There is no legal hold {hold} that you may see."),
        "audit.hold_released": (
            409,
            "The legal hold {hold} is released. It can't be changed or reopened: place a new one.",
        ),
        # Who releases a hold must be able to see what they give back.
        "audit.hold_beyond_scopes": (
            409,
            (
                "{count} of the documents under the legal hold {hold} are in scopes that you don't hold. Somebody who "
                "holds all of them can release it."
            ),
        ),
        # A hold is somebody's decision, in their own name.
        "audit.hold_needs_person": (
            403,
            "Only a person can place, extend or release a legal hold: sign in, or use a key that acts for you.",
        ),
        "audit.nothing_to_hold": (400, "Name between 1 and {most} items; {count} were named."),
        # There is none, or the caller may not see it: the two look alike.
        "audit.held_item_not_found": (
            404,
            "There is no {type} {item} that you could hold. It may have been removed in the meantime.",
        ),
        "audit.not_holdable": (400, "A legal hold covers documents and parts of events; {type} is neither."),
        "audit.hold_owner_not_a_member": (400, "The owner {owner} is not a member of this tenant. Choose one who is."),
        "audit.hold_review_date": (400, "The review date {date} is not after today. Choose a later one."),
        "audit.hold_says_nothing": (400, "The {field} is missing. People who read this later rely on it."),
        # The one refusal of every way of removing.
        "audit.item_held": (
            409,
            "The {type} {item} is under the legal hold {hold}. Nobody can remove it until the hold is released.",
        ),
    }
