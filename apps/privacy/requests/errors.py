"""Errors of requests. No error holds anything that a person said: only numbers, states and codes."""

from __future__ import annotations

from apps.errors import ApplicationError


class RequestNotFoundError(ApplicationError):
    """The same answer for a request that does not exist and for one that the caller may not see."""

    code = "audit.request_not_found"
    status = 404
    message = "There is no request {request}."


class RequestPersonNeededError(ApplicationError):
    code = "audit.request_person_needed"
    status = 403
    message = (
        "Only people can work on requests, and this API key acts for nobody. Use a key that acts for you "
        "(Administration, My keys), or sign in."
    )


class RequestStepError(ApplicationError):
    """Data: reference, state (as words), step (as words)."""

    code = "audit.request_step"
    status = 409
    message = (
        "{reference} is “{state}” and can't be {step} now. Read it again: somebody else may have acted in the meantime."
    )


class RequestChangedError(ApplicationError):
    code = "audit.request_changed"
    status = 409
    message = "{reference} has changed since you read it. Nothing was done: read its current state."


class SubjectUnknownError(ApplicationError):
    code = "audit.request_subject_unknown"
    message = "There is no {what} with this id that you may see."


class SubjectUndescribedError(ApplicationError):
    code = "audit.request_subject_undescribed"
    message = (
        "Enter how the person can be found: a name, an e-mail address, a phone number or an account number. One of "
        "them is enough to begin with."
    )


class ReceiptInFutureError(ApplicationError):
    code = "audit.request_receipt_in_future"
    message = "The time of receipt is in the future: enter the day and time at which the request reached the firm."


class WordsMissingError(ApplicationError):
    code = "audit.request_words_missing"
    message = "Say why, in a sentence or two: the person and the audit log need the reason."


class TooLateToExtendError(ApplicationError):
    """Data: reference, due_on."""

    code = "audit.request_extension_too_late"
    status = 409
    message = (
        "{reference} can no longer be extended: the person must be told within the first month, which ended on "
        "{due_on}. Answer it as soon as you can."
    )


class AlreadyExtendedError(ApplicationError):
    code = "audit.request_extended_already"
    status = 409
    message = "{reference} has already been extended. The law permits one extension, by two months."


class InventoryMissingError(ApplicationError):
    """A removal is proposed before every mention of the person in documents was found and confirmed."""

    code = "audit.request_inventory_missing"
    status = 409
    message = (
        "{reference} is about a person in documents. Nothing can be proposed until every place where they are "
        "mentioned has been found and decided on."
    )


class LetterUnaddressedError(ApplicationError):
    code = "audit.letter_unaddressed"
    message = "The requester has no e-mail address here. Add one to the request, or choose to post the letter by hand."


class LetterNotFoundError(ApplicationError):
    code = "audit.letter_not_found"
    status = 404
    message = "There is no letter {letter} of this request."


class LetterStateError(ApplicationError):
    """Data: state (as words)."""

    code = "audit.letter_state"
    status = 409
    message = "The letter is “{state}”, so this step is not possible now. Read the request again."


class LetterKindError(ApplicationError):
    """Data: reference, kind, state."""

    code = "audit.letter_kind"
    status = 409
    message = "{reference} is “{state}”, so a letter of the kind '{kind}' would not be true now."


class OnlyErasureError(ApplicationError):
    code = "audit.request_is_for_access"
    status = 409
    message = "{reference} is an access request: nothing is removed, redacted or put out of use because of it."


class OnlyAccessError(ApplicationError):
    code = "audit.request_is_for_erasure"
    status = 409
    message = "{reference} is an erasure request. Packages are made only for access requests."


class AccessSubjectError(ApplicationError):
    """A request for access is not about a person in documents. Users download their own data themselves."""

    code = "audit.access_subject"
    message = (
        "An access request is about a person who is named in documents. People with an account here can download "
        "what is held about the account themselves, under “What is held about me”."
    )


class RefusalGroundError(ApplicationError):
    code = "audit.request_refusal_ground"
    message = (
        "Access can be refused only under Article 12(5) or 12(2). If a place is also about others, leave its words "
        "out of the package (Article 15(4)). If nothing is held, answer with an empty package."
    )
