"""What the letters say in English."""

from __future__ import annotations

from typing import Final

from apps.privacy.codes.requests import LetterKind, Refusal
from apps.privacy.requests.wordings.contract import Wording

ENGLISH: Final = Wording(
    greeting="Dear {name},",
    greeting_of_nobody="Dear Sir or Madam,",
    closing="Yours faithfully,\n{firm}\nData protection officer",
    remedies=(
        "You may lodge a complaint with a supervisory authority for data protection, in particular where you live or "
        "work, and you may go to court."
    ),
    subjects={
        LetterKind.RECEIVED: "We have received your request ({reference})",
        LetterKind.IDENTITY: "Please help us confirm your identity ({reference})",
        LetterKind.EXTENDED: "We need more time for your request ({reference})",
        LetterKind.REFUSED: "We can't carry out your request ({reference})",
        LetterKind.DONE: "Your request has been carried out ({reference})",
    },
    bodies={
        LetterKind.RECEIVED: (
            "We received your {request} on {received_on}. Its number is {reference}.\n\n"
            "We will answer it by {due_on} at the latest. You need not do anything until then."
        ),
        LetterKind.IDENTITY: (
            "We received your {request} on {received_on} ({reference}). Before we erase anything, we have to be sure "
            "that the request comes from the person it is about.\n\n{words}\n\nWe use what you send us only for this "
            "purpose."
        ),
        LetterKind.EXTENDED: (
            "We received your {request} on {received_on} ({reference}). We can't answer it within the first month. "
            "We therefore extend the period by two further months, as Article 12(3) of the General Data Protection "
            "Regulation allows. You will have our answer by {extended_due_on} at the latest.\n\nThe reasons are "
            "these:\n\n{words}\n\n{remedies}"
        ),
        LetterKind.REFUSED: (
            "We received your {request} on {received_on} ({reference}). We can't carry it out.\n\n"
            "The ground in the General Data Protection Regulation is {ground}.\n\n{words}\n\n{remedies}"
        ),
        LetterKind.DONE: (
            "We received your {request} on {received_on} ({reference}). It has been carried out{partly}."
            "{counts}\n\n{backups} {remains}\n\n{remedies}"
        ),
    },
    subjects_of_access={
        LetterKind.DONE: "What we hold about you ({reference})",
    },
    bodies_of_access={
        LetterKind.IDENTITY: (
            "We received your {request} on {received_on} ({reference}). Before we disclose anything about you, we "
            "have to be sure that the request comes from the person it is about.\n\n{words}\n\nWe use what you send "
            "us only for this purpose."
        ),
        LetterKind.DONE: (
            "We received your {request} on {received_on} ({reference}). {held}\n\n"
            "{package}\n\n"
            "You may ask us to correct what is wrong, to erase or to restrict what we hold, and object to what rests "
            "on a legitimate interest.\n\n{remedies}"
        ),
    },
    request_for_erasure="request for erasure",
    request_for_access="request for access",
    nothing_held="We searched everything that we keep, and hold nothing about you except this request.",
    held=("You are named in one place of what we hold.", "You are named in {} places of what we hold."),
    package=(
        "The package that you receive with this letter, or in the way that we agreed, says where that is and what is "
        "written there. It consists of a page to read and a file for programs. It also says why we hold the data, on "
        "which legal basis and for how long, where it comes from and who gets to see it."
    ),
    empty_package=(
        "The package that you receive with this letter, or in the way that we agreed, says where we searched, and "
        "for what."
    ),
    others_hidden=(
        " Words that are about other people are hidden or left out there, as Article 15(4) of the General Data "
        "Protection Regulation provides."
    ),
    partly=(
        ", except for data that we must keep for the time being because of legal claims or a legal duty. That data "
        "is out of use, and is erased as soon as it no longer has to be kept"
    ),
    but_by_law=", except for data that we keep by law and name below",
    backups_until=(
        "Backups made before the erasure still hold copies. The last of these backups is deleted by {until}. If one "
        "is restored before that, the copies are erased again."
    ),
    backups_unknown=(
        "Backups made before the erasure may still hold copies, and it is not specified how long these backups are "
        "kept. If one is ever restored, the copies are erased again."
    ),
    remains="Only the fact that the request was made and carried out remains, without your data.",
    remains_besides="Apart from what is named above, only the fact remains that the request was made and carried out.",
    staying=(
        (
            "1 place in which you are mentioned stays, because the law requires it or because of legal claims "
            "(Article 17(3)(b) and (e) of the General Data Protection Regulation)."
        ),
        (
            "{} places in which you are mentioned stay, because the law requires it or because of legal claims "
            "(Article 17(3)(b) and (e) of the General Data Protection Regulation)."
        ),
    ),
    counted=(
        ("1 document was removed.", "{} documents were removed."),
        (
            "1 document was replaced by a version without the passages about you; the earlier version was removed.",
            "{} documents were replaced by versions without the passages about you; the earlier versions were removed.",
        ),
        ("1 entry in our log was cleared of your data.", "{} entries in our log were cleared of your data."),
        ("1 account was removed.", "{} accounts were removed."),
    ),
    grounds={ground: str(ground.label) for ground in Refusal},
    months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    day="{day} {month} {year}",
)
