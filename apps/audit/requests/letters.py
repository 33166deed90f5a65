"""What the letters say: templates in English and German, filled in. Pure; a person reads them before they go.

Each says what the law wants said: who decides and by when (Article 12(3)), why, and what can be done about it: complain
to a supervisory authority, go to court (Article 12(4)).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from apps.audit.requests.codes import Language, LetterKind, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How much was removed: documents (redacted: of them those that stay in a redacted version), parts of the log's
    entries, accounts."""

    documents: int = 0
    redacted: int = 0
    parts: int = 0
    accounts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What the person gets who asked for access: in how many places they were found, and how many are not quoted."""

    places: int
    left_out: int
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is filled in. words: what the DPO gives as reasons, or asks for. removed: once it was carried out.

    is_access: whether access was asked for, and not erasure; package: once it is made.
    stays: places in which the person is mentioned, and which must stay by law.
    """

    firm: str
    reference: str
    name: str
    received_on: date
    due_on: date
    extended_due_on: date
    words: str = ""
    refusal: Refusal | None = None
    partial: bool = False
    removed: Removed | None = None
    is_access: bool = False
    package: Package | None = None
    stays: int = 0


_SUBJECTS: Final[Mapping[tuple[Language, LetterKind], str]] = {
    (Language.ENGLISH, LetterKind.RECEIVED): "We have received your request ({reference})",
    (Language.ENGLISH, LetterKind.IDENTITY): "Please help us to make sure that it is you ({reference})",
    (Language.ENGLISH, LetterKind.EXTENDED): "We need more time for your request ({reference})",
    (Language.ENGLISH, LetterKind.REFUSED): "We can't carry out your request ({reference})",
    (Language.ENGLISH, LetterKind.DONE): "Your request has been carried out ({reference})",
    (Language.GERMAN, LetterKind.RECEIVED): "Wir haben Ihren Antrag erhalten ({reference})",
    (Language.GERMAN, LetterKind.IDENTITY): "Bitte weisen Sie sich aus ({reference})",
    (Language.GERMAN, LetterKind.EXTENDED): "Wir brauchen mehr Zeit für Ihren Antrag ({reference})",
    (Language.GERMAN, LetterKind.REFUSED): "Wir können Ihrem Antrag nicht entsprechen ({reference})",
    (Language.GERMAN, LetterKind.DONE): "Ihr Antrag ist ausgeführt ({reference})",
}

_GREETING: Final = {Language.ENGLISH: "Dear {name},", Language.GERMAN: "Guten Tag {name},"}
_NOBODY: Final = {Language.ENGLISH: "Dear Sir or Madam,", Language.GERMAN: "Sehr geehrte Damen und Herren,"}
_CLOSING: Final = {
    Language.ENGLISH: "Yours faithfully,\n{firm}\nData protection officer",
    Language.GERMAN: "Mit freundlichen Grüßen\n{firm}\nDatenschutzbeauftragte Person",
}
_REMEDIES: Final = {
    Language.ENGLISH: (
        "You may lodge a complaint with a supervisory authority for data protection, in particular where you live or "
        "work, and you may go to court."
    ),
    Language.GERMAN: (
        "Sie können sich bei einer Datenschutz-Aufsichtsbehörde beschweren, insbesondere an Ihrem Wohn- oder "
        "Arbeitsort, und Sie können vor Gericht gehen."
    ),
}

_BODIES: Final[Mapping[tuple[Language, LetterKind], str]] = {
    (Language.ENGLISH, LetterKind.RECEIVED): (
        "We received your {request} on {received_on}. Its number is {reference}.\n\n"
        "We will answer it by {due_on} at the latest. You need not do anything until then."
    ),
    (Language.ENGLISH, LetterKind.IDENTITY): (
        "We received your {request} on {received_on} ({reference}). Before we erase anything, we have to "
        "be sure that the request comes from the person it is about.\n\n{words}\n\n"
        "We use what you send us for this alone."
    ),
    (Language.ENGLISH, LetterKind.EXTENDED): (
        "We received your {request} on {received_on} ({reference}). We can't finish it within the first "
        "month, and extend the time by two further months, as Article 12(3) of the General Data Protection "
        "Regulation allows. You will have our answer by {extended_due_on} at the latest.\n\nThe reasons are "
        "these:\n\n{words}\n\n{remedies}"
    ),
    (Language.ENGLISH, LetterKind.REFUSED): (
        "We received your {request} on {received_on} ({reference}). We can't carry it out.\n\n"
        "The ground in the General Data Protection Regulation is {ground}.\n\n{words}\n\n{remedies}"
    ),
    (Language.ENGLISH, LetterKind.DONE): (
        "We received your {request} on {received_on} ({reference}). It has been carried out{partly}."
        "{counts}\n\n"
        "Copies in our backups are overwritten as these age, and are erased again should a backup ever be restored. "
        "What remains is the fact that the request was made and carried out, without your data.\n\n{remedies}"
    ),
    (Language.GERMAN, LetterKind.RECEIVED): (
        "am {received_on} haben wir Ihren {request} erhalten. Er hat die Nummer {reference}.\n\n"
        "Wir beantworten ihn bis spätestens {due_on}. Bis dahin müssen Sie nichts tun."
    ),
    (Language.GERMAN, LetterKind.IDENTITY): (
        "am {received_on} haben wir Ihren {request} erhalten ({reference}). Bevor wir etwas löschen, "
        "müssen wir sicher sein, dass der Antrag von der Person kommt, die er betrifft.\n\n{words}\n\n"
        "Was Sie uns schicken, verwenden wir nur dafür."
    ),
    (Language.GERMAN, LetterKind.EXTENDED): (
        "am {received_on} haben wir Ihren {request} erhalten ({reference}). Wir können ihn nicht innerhalb "
        "des ersten Monats abschließen und verlängern die Frist um zwei weitere Monate, wie es Artikel 12 Absatz 3 der "
        "Datenschutz-Grundverordnung erlaubt. Sie erhalten unsere Antwort bis spätestens {extended_due_on}.\n\n"
        "Die Gründe sind:\n\n{words}\n\n{remedies}"
    ),
    (Language.GERMAN, LetterKind.REFUSED): (
        "am {received_on} haben wir Ihren {request} erhalten ({reference}). Wir können ihm nicht "
        "entsprechen.\n\nDer Grund in der Datenschutz-Grundverordnung ist {ground}.\n\n{words}\n\n{remedies}"
    ),
    (Language.GERMAN, LetterKind.DONE): (
        "am {received_on} haben wir Ihren {request} erhalten ({reference}). Er ist ausgeführt{partly}."
        "{counts}\n\n"
        "Kopien in unseren Sicherungen werden überschrieben, wenn diese veralten, und erneut gelöscht, falls je eine "
        "Sicherung wiederhergestellt wird. Es bleibt die Tatsache, dass der Antrag gestellt und ausgeführt wurde, "
        "ohne Ihre Daten.\n\n{remedies}"
    ),
}
# In a request for access; the other letters differ in what they call the request alone.
_OF_ACCESS: Final[Mapping[tuple[Language, LetterKind], str]] = {
    (Language.ENGLISH, LetterKind.IDENTITY): (
        "We received your {request} on {received_on} ({reference}). Before we tell anything about you, we have to be "
        "sure that the request comes from the person it is about.\n\n{words}\n\n"
        "We use what you send us for this alone."
    ),
    (Language.ENGLISH, LetterKind.DONE): (
        "We received your {request} on {received_on} ({reference}). {held}\n\n"
        "{package}\n\n"
        "You may ask us to correct what is wrong, to erase or to restrict what we hold, and object to what rests on a "
        "legitimate interest.\n\n{remedies}"
    ),
    (Language.GERMAN, LetterKind.IDENTITY): (
        "am {received_on} haben wir Ihren {request} erhalten ({reference}). Bevor wir etwas über Sie mitteilen, müssen "
        "wir sicher sein, dass der Antrag von der Person kommt, die er betrifft.\n\n{words}\n\n"
        "Was Sie uns schicken, verwenden wir nur dafür."
    ),
    (Language.GERMAN, LetterKind.DONE): (
        "am {received_on} haben wir Ihren {request} erhalten ({reference}). {held}\n\n"
        "{package}\n\n"
        "Sie können verlangen, dass wir Falsches berichtigen, Daten löschen oder ihre Verarbeitung einschränken, und "
        "dem widersprechen, was auf einem berechtigten Interesse beruht.\n\n{remedies}"
    ),
}
_SUBJECTS_OF_ACCESS: Final[Mapping[tuple[Language, LetterKind], str]] = {
    (Language.ENGLISH, LetterKind.DONE): "What we hold about you ({reference})",
    (Language.GERMAN, LetterKind.DONE): "Was wir über Sie gespeichert haben ({reference})",
}
_REQUEST: Final = {
    (Language.ENGLISH, False): "request for erasure",
    (Language.ENGLISH, True): "request for access",
    (Language.GERMAN, False): "Antrag auf Löschung",
    (Language.GERMAN, True): "Antrag auf Auskunft",
}
_NOTHING_HELD: Final = {
    Language.ENGLISH: "We looked through everything that we keep, and hold nothing about you but this request.",
    Language.GERMAN: "Wir haben alles durchsucht, was wir aufbewahren, und haben nichts über Sie außer diesem Antrag.",
}
_HELD: Final = {
    Language.ENGLISH: ("You are named in one place of what we hold.", "You are named in {} places of what we hold."),
    Language.GERMAN: ("Sie sind an einer Stelle genannt.", "Sie sind an {} Stellen genannt."),
}
_PACKAGE: Final = {
    Language.ENGLISH: (
        "Where that is, and what is said there, stands in the package that you get with this letter, or in the way "
        "that we agreed on: a page to read and a file for programs. It also says what we hold it for, on which legal "
        "basis and for how long, where it comes from and who gets to see it."
    ),
    Language.GERMAN: (
        "Wo das ist und was dort steht, finden Sie in dem Paket, das Sie mit diesem Brief oder auf dem vereinbarten "
        "Weg erhalten: eine Seite zum Lesen und eine Datei für Programme. Darin steht auch, wozu wir es haben, auf "
        "welcher Rechtsgrundlage und wie lange, woher es kommt und wer es zu sehen bekommt."
    ),
}
_EMPTY_PACKAGE: Final = {
    Language.ENGLISH: (
        "Where we looked, and by what, stands in the package that you get with this letter, or in the way that we "
        "agreed on."
    ),
    Language.GERMAN: (
        "Wo und wonach wir gesucht haben, steht in dem Paket, das Sie mit diesem Brief oder auf dem vereinbarten Weg "
        "erhalten."
    ),
}
_OTHERS: Final = {
    Language.ENGLISH: (
        " Words that are about other people are hidden or left out there, as Article 15(4) of the General Data "
        "Protection Regulation has it."
    ),
    Language.GERMAN: (
        " Was andere Personen betrifft, ist darin unkenntlich gemacht oder ausgelassen (Artikel 15 Absatz 4 der "
        "Datenschutz-Grundverordnung)."
    ),
}
_PARTLY: Final = {
    Language.ENGLISH: (
        ", except for what we must keep for the time being because of legal claims or a duty by law. That is out of "
        "use, and is erased as soon as it need not be kept any more"
    ),
    Language.GERMAN: (
        ", ausgenommen was wir wegen rechtlicher Ansprüche oder einer gesetzlichen Pflicht vorerst aufbewahren "
        "müssen. Es ist gesperrt und wird gelöscht, sobald es nicht mehr aufbewahrt werden muss"
    ),
}
_STAYING: Final = {
    Language.ENGLISH: (
        "1 place in which you are mentioned stays, because the law demands it or because of legal claims (Article "
        "17(3)(b) and (e) of the General Data Protection Regulation).",
        "{} places in which you are mentioned stay, because the law demands it or because of legal claims (Article "
        "17(3)(b) and (e) of the General Data Protection Regulation).",
    ),
    Language.GERMAN: (
        "1 Stelle, an der Sie genannt sind, bleibt, weil das Gesetz es verlangt oder wegen rechtlicher Ansprüche "
        "(Artikel 17 Absatz 3 Buchstaben b und e der Datenschutz-Grundverordnung).",
        "{} Stellen, an denen Sie genannt sind, bleiben, weil das Gesetz es verlangt oder wegen rechtlicher Ansprüche "
        "(Artikel 17 Absatz 3 Buchstaben b und e der Datenschutz-Grundverordnung).",
    ),
}
# Of a removal: one of it, several of it; in the order of Removed.
_COUNTED: Final = {
    Language.ENGLISH: (
        ("1 document was removed.", "{} documents were removed."),
        ("1 of these stays in a version without the passages.", "{} of these stay in versions without the passages."),
        ("1 entry in our log was emptied of it.", "{} entries in our log were emptied of it."),
        ("1 account was removed.", "{} accounts were removed."),
    ),
    Language.GERMAN: (
        ("1 Dokument wurde entfernt.", "{} Dokumente wurden entfernt."),
        ("1 davon bleibt in einer Fassung ohne die Stellen.", "{} davon bleiben in Fassungen ohne die Stellen."),
        ("1 Eintrag unseres Protokolls wurde davon geleert.", "{} Einträge unseres Protokolls wurden davon geleert."),
        ("1 Konto wurde entfernt.", "{} Konten wurden entfernt."),
    ),
}
_GROUNDS_DE: Final[Mapping[Refusal, str]] = {
    Refusal.UNFOUNDED: "Artikel 12 Absatz 5: der Antrag ist offenkundig unbegründet",
    Refusal.EXCESSIVE: "Artikel 12 Absatz 5: der Antrag ist exzessiv, insbesondere wiederholt",
    Refusal.UNIDENTIFIED: "Artikel 12 Absatz 2 und Artikel 11 Absatz 2: wir können die Person nicht identifizieren",
    Refusal.NO_GROUND: "Artikel 17 Absatz 1: keiner seiner Gründe liegt vor",
    Refusal.EXPRESSION: "Artikel 17 Absatz 3 Buchstabe a: freie Meinungsäußerung und Information",
    Refusal.LEGAL_DUTY: "Artikel 17 Absatz 3 Buchstabe b: rechtliche Pflicht oder Aufgabe im öffentlichen Interesse",
    Refusal.PUBLIC_HEALTH: "Artikel 17 Absatz 3 Buchstabe c: öffentliches Interesse an der öffentlichen Gesundheit",
    Refusal.ARCHIVE: "Artikel 17 Absatz 3 Buchstabe d: Archiv, Forschung oder Statistik",
    Refusal.LEGAL_CLAIMS: "Artikel 17 Absatz 3 Buchstabe e: Rechtsansprüche",
}
_MONTHS_DE: Final = (
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
)


def written(kind: LetterKind, language: Language, facts: Facts) -> tuple[str, str]:
    """The letter filled in. Returns: its subject line, and its text."""
    ground = facts.refusal
    filled = {
        "firm": facts.firm,
        "request": _REQUEST[language, facts.is_access],
        **_of_package(facts.package, language),
        "reference": facts.reference,
        "name": facts.name,
        "received_on": day(facts.received_on, language),
        "due_on": day(facts.due_on, language),
        "extended_due_on": day(facts.extended_due_on, language),
        "words": facts.words.strip(),
        "remedies": _REMEDIES[language],
        "partly": _PARTLY[language] if facts.partial else "",
        "counts": _counted(facts.removed, language) + _stays(facts.stays, language),
        "ground": "" if ground is None else str(ground.label) if language is Language.ENGLISH else _GROUNDS_DE[ground],
    }
    greeting = _GREETING[language] if facts.name else _NOBODY[language]
    bodies = {**_BODIES, **_OF_ACCESS} if facts.is_access else _BODIES
    text = "\n\n".join((greeting, bodies[language, kind], _CLOSING[language]))
    subjects = {**_SUBJECTS, **_SUBJECTS_OF_ACCESS} if facts.is_access else _SUBJECTS
    return subjects[language, kind].format(**filled), text.format(**filled)


def _of_package(package: Package | None, language: Language) -> dict[str, str]:
    """Nothing where there is none yet."""
    if package is None:
        return {"held": "", "package": ""}
    one, many = _HELD[language]
    held = one if package.places == 1 else many.format(package.places)
    others = _OTHERS[language] if package.left_out or package.hidden else ""
    if not package.places:
        return {"held": _NOTHING_HELD[language], "package": _EMPTY_PACKAGE[language]}
    return {"held": held, "package": _PACKAGE[language] + others}


def _counted(removed: Removed | None, language: Language) -> str:
    """A paragraph of its own; nothing where nothing is known to count."""
    counts = (removed.documents, removed.redacted, removed.parts, removed.accounts) if removed else ()
    said = [
        (one if count == 1 else many.format(count))
        for (one, many), count in zip(_COUNTED[language], counts, strict=False)
        if count
    ]
    return "\n\n" + " ".join(said) if said else ""


def _stays(places: int, language: Language) -> str:
    one, many = _STAYING[language]
    return "" if not places else "\n\n" + (one if places == 1 else many.format(places))


def day(on: date, language: Language) -> str:
    """A date as one writes it in a letter."""
    if language is Language.GERMAN:
        return f"{on.day}. {_MONTHS_DE[on.month - 1]} {on.year}"
    return f"{on.day} {on:%B} {on.year}"
