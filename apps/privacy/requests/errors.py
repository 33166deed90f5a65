"""Errors of requests. No error holds anything that a person said: only numbers, states and codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class RequestError(CodedError):
    """What stands against receiving, finding or handling a request, or writing a letter of it."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # The same answer for a request that does not exist and for one that the caller may not see.
        "audit.request_not_found": (404, "There is no request {request}."),
        # Data: reference, state (as words), step (as words).
        "audit.request_step": (
            409,
            (
                "{reference} is “{state}” and can't be {step} now. Read it again: somebody else may have acted in the "
                "meantime."
            ),
        ),
        "audit.request_changed": (
            409,
            "{reference} has changed since you read it. Nothing was done: read its current state.",
        ),
        "audit.request_subject_unknown": (400, "There is no {what} with this id that you may see."),
        "audit.request_subject_undescribed": (
            400,
            (
                "Enter how the person can be found: a name, an e-mail address, a phone number or an account number. "
                "One of them is enough to begin with."
            ),
        ),
        "audit.request_receipt_in_future": (
            400,
            "The time of receipt is in the future: enter the day and time at which the request reached the firm.",
        ),
        "audit.request_words_missing": (
            400,
            "Say why, in a sentence or two: the person and the audit log need the reason.",
        ),
        # Data: reference, due_on.
        "audit.request_extension_too_late": (
            409,
            (
                "{reference} can no longer be extended: the person must be told within the first month, which ended "
                "on {due_on}. Answer it as soon as you can."
            ),
        ),
        "audit.request_extended_already": (
            409,
            "{reference} has already been extended. The law permits one extension, by two months.",
        ),
        # A removal is proposed before every mention of the person in documents was found and confirmed.
        "audit.request_inventory_missing": (
            409,
            (
                "{reference} is about a person in documents. Nothing can be proposed until every place where they are "
                "mentioned has been found and decided on."
            ),
        ),
        "audit.letter_not_found": (404, "There is no letter {letter} of this request."),
        # Data: state (as words).
        "audit.letter_state": (
            409,
            "The letter is “{state}”, so this step is not possible now. Read the request again.",
        ),
        # Data: reference, kind, state.
        "audit.letter_kind": (409, "{reference} is “{state}”, so a letter of the kind '{kind}' would not be true now."),
        "audit.request_is_for_access": (
            409,
            "{reference} is an access request: nothing is removed, redacted or put out of use because of it.",
        ),
        "audit.request_is_for_erasure": (
            409,
            "{reference} is an erasure request. Packages are made only for access requests.",
        ),
        # A request for access is not about a person in documents. Users download their own data themselves.
        "audit.access_subject": (
            400,
            (
                "An access request is about a person who is named in documents. People with an account here can "
                "download what is held about the account themselves, under “What is held about me”."
            ),
        ),
        "audit.request_refusal_ground": (
            400,
            (
                "Access can be refused only under Article 12(5) or 12(2). If a place is also about others, leave its "
                "words out of the package (Article 15(4)). If nothing is held, answer with an empty package."
            ),
        ),
    }


class RequestPersonNeededError(ApplicationError):
    code = "audit.request_person_needed"
    status = 403
    message = (
        "Only people can work on requests, and this API key acts for nobody. Use a key that acts for you "
        "(Administration, My keys), or sign in."
    )


class LetterUnaddressedError(ApplicationError):
    code = "audit.letter_unaddressed"
    message = "The requester has no e-mail address here. Add one to the request, or choose to post the letter by hand."
