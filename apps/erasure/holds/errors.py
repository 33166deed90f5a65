from __future__ import annotations

from apps.errors import ApplicationError


class HoldNotFoundError(ApplicationError):
    """There is none, or the caller may not see it: the two look alike."""

    code = "audit.hold_not_found"
    status = 404
    message = "There is no legal hold {hold} that you may see."


class HoldReleasedError(ApplicationError):
    code = "audit.hold_released"
    status = 409
    message = "The legal hold {hold} is released. It can't be changed or reopened: place a new one."


class HoldBeyondScopesError(ApplicationError):
    """Who releases a hold must be able to see what they give back."""

    code = "audit.hold_beyond_scopes"
    status = 409
    message = (
        "{count} of the documents under the legal hold {hold} are in scopes that you don't hold. Somebody who holds "
        "all of them can release it."
    )


class HoldNeedsPersonError(ApplicationError):
    """A hold is somebody's decision, in their own name."""

    code = "audit.hold_needs_person"
    status = 403
    message = "Only a person can place, extend or release a legal hold: sign in, or use a key that acts for you."


class NothingToHoldError(ApplicationError):
    code = "audit.nothing_to_hold"
    status = 400
    message = "Name between 1 and {most} items; {count} were named."


class ItemNotFoundError(ApplicationError):
    """There is none, or the caller may not see it: the two look alike."""

    code = "audit.held_item_not_found"
    status = 404
    message = "There is no {type} {item} that you could hold. It may have been removed in the meantime."


class NotHoldableError(ApplicationError):
    code = "audit.not_holdable"
    status = 400
    message = "A legal hold covers documents and parts of events; {type} is neither."


class OwnerNotAMemberError(ApplicationError):
    code = "audit.hold_owner_not_a_member"
    status = 400
    message = "The owner {owner} is not a member of this tenant. Choose one who is."


class ReviewDateError(ApplicationError):
    code = "audit.hold_review_date"
    status = 400
    message = "The review date {date} is not after today. Choose a later one."


class MissingWordsError(ApplicationError):
    code = "audit.hold_says_nothing"
    status = 400
    message = "The {field} is missing. People who read this later rely on it."


class ItemHeldError(ApplicationError):
    """The one refusal of every way of removing."""

    code = "audit.item_held"
    status = 409
    message = "The {type} {item} is under the legal hold {hold}. Nobody can remove it until the hold is released."
