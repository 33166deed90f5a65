"""Codes for requests. They appear in unsealed columns and events, which may hold no text about a person."""

from __future__ import annotations

from typing import Final

from django.db import models


class Purpose(models.TextChoices):
    """What a request asks for."""

    ERASURE = "erasure", "Erasure"
    ACCESS = "access", "Access"


class SubjectType(models.TextChoices):
    """What is to be erased."""

    DATA_SUBJECT = "data_subject", "A person who is named or described in documents"
    USER = "user", "A user of this installation"
    DOCUMENT = "document", "A document"
    SCOPE = "scope", "A scope with everything in it"
    TENANT = "tenant", "The whole tenant"


class Requester(models.TextChoices):
    PERSON = "person", "The person themselves"
    REPRESENTATIVE = "representative", "Somebody who acts for the person"
    FIRM = "firm", "The firm itself"
    AUTHORITY = "authority", "A supervisory authority or a court"


class Language(models.TextChoices):
    ENGLISH = "en", "English"
    GERMAN = "de", "German"


class Ground(models.TextChoices):
    """Why there is a duty to erase."""

    NOT_NEEDED = "17_1_a", "Article 17(1)(a): no longer needed for what they were collected for"
    CONSENT = "17_1_b", "Article 17(1)(b): consent was withdrawn, and there is no other ground"
    OBJECTION = "17_1_c", "Article 17(1)(c): the person objected, and nothing overrides that"
    UNLAWFUL = "17_1_d", "Article 17(1)(d): processed unlawfully"
    OBLIGATION = "17_1_e", "Article 17(1)(e): the law requires erasure"
    CHILD = "17_1_f", "Article 17(1)(f): collected from a child for an online service"
    CONTRACT_ENDED = "28_3_g", "Article 28(3)(g): the contract of processing has ended"


class Refusal(models.TextChoices):
    """Why a request may be refused."""

    UNFOUNDED = "12_5_unfounded", "Article 12(5): manifestly unfounded"
    EXCESSIVE = "12_5_excessive", "Article 12(5): excessive, in particular repeated"
    UNIDENTIFIED = "12_2", "Article 12(2) and 11(2): the person can't be identified"
    NO_GROUND = "17_1", "Article 17(1): none of its grounds applies"
    EXPRESSION = "17_3_a", "Article 17(3)(a): freedom of expression and information"
    LEGAL_DUTY = "17_3_b", "Article 17(3)(b): a legal duty, or a task in the public interest"
    PUBLIC_HEALTH = "17_3_c", "Article 17(3)(c): public interest in public health"
    ARCHIVE = "17_3_d", "Article 17(3)(d): archiving, research or statistics"
    LEGAL_CLAIMS = "17_3_e", "Article 17(3)(e): legal claims"


# Only these grounds apply to a request for access: Article 17 is about erasure, and what Article 15(4) protects is left
# out of the package, place by place.
OF_ACCESS: Final = (Refusal.UNFOUNDED, Refusal.EXCESSIVE, Refusal.UNIDENTIFIED)


def refusals_of(purpose: str) -> tuple[Refusal, ...]:
    return OF_ACCESS if purpose == Purpose.ACCESS else tuple(Refusal)


class Extension(models.TextChoices):
    """Why two further months are needed (Article 12(3))."""

    COMPLEX = "complexity", "The request is complex"
    MANY = "number", "The number of requests"


class LetterKind(models.TextChoices):
    RECEIVED = "received", "We have your request"
    IDENTITY = "identity", "Please prove who you are"
    EXTENDED = "extended", "We need two further months"
    REFUSED = "refused", "Your request is refused"
    DONE = "done", "Your request was carried out"


class Delivery(models.TextChoices):
    EMAIL = "email", "By e-mail"
    POST = "post", "By post: printed and sent by hand"


class LetterState(models.TextChoices):
    WAITING = "waiting", "Waits to be sent"
    SENDING = "sending", "Being sent"
    SENT = "sent", "Sent"
    FAILED = "failed", "Could not be sent"
    UNCERTAIN = "uncertain", "Not known whether it was sent"
    TO_POST = "to_post", "To be posted by hand"
