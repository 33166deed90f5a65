"""What the letters say in German."""

from __future__ import annotations

from typing import Final

from apps.privacy.codes.requests import LetterKind, Refusal
from apps.privacy.requests.wordings.contract import Wording

GERMAN: Final = Wording(
    greeting="Guten Tag {name},",
    greeting_of_nobody="Sehr geehrte Damen und Herren,",
    closing="Mit freundlichen Grüßen\n{firm}\nDatenschutzbeauftragte Person",
    remedies=(
        "Sie können sich bei einer Datenschutz-Aufsichtsbehörde beschweren, insbesondere an Ihrem Wohn- oder "
        "Arbeitsort, und Sie können vor Gericht gehen."
    ),
    subjects={
        LetterKind.RECEIVED: "Wir haben Ihren Antrag erhalten ({reference})",
        LetterKind.IDENTITY: "Bitte weisen Sie sich aus ({reference})",
        LetterKind.EXTENDED: "Wir brauchen mehr Zeit für Ihren Antrag ({reference})",
        LetterKind.REFUSED: "Wir können Ihrem Antrag nicht entsprechen ({reference})",
        LetterKind.DONE: "Ihr Antrag ist ausgeführt ({reference})",
    },
    bodies={
        LetterKind.RECEIVED: (
            "am {received_on} haben wir Ihren {request} erhalten. Er hat die Nummer {reference}.\n\n"
            "Wir beantworten ihn bis spätestens {due_on}. Bis dahin müssen Sie nichts tun."
        ),
        LetterKind.IDENTITY: (
            "am {received_on} haben wir Ihren {request} erhalten ({reference}). Bevor wir etwas löschen, "
            "müssen wir sicher sein, dass der Antrag von der Person kommt, die er betrifft.\n\n{words}\n\n"
            "Was Sie uns schicken, verwenden wir nur dafür."
        ),
        LetterKind.EXTENDED: (
            "am {received_on} haben wir Ihren {request} erhalten ({reference}). Wir können ihn nicht innerhalb "
            "des ersten Monats abschließen und verlängern die Frist um zwei weitere Monate, wie es Artikel 12 Absatz 3 "
            "der Datenschutz-Grundverordnung erlaubt. Sie erhalten unsere Antwort bis spätestens {extended_due_on}.\n\n"
            "Die Gründe sind:\n\n{words}\n\n{remedies}"
        ),
        LetterKind.REFUSED: (
            "am {received_on} haben wir Ihren {request} erhalten ({reference}). Wir können ihm nicht "
            "entsprechen.\n\nDer Grund in der Datenschutz-Grundverordnung ist {ground}.\n\n{words}\n\n{remedies}"
        ),
        LetterKind.DONE: (
            "am {received_on} haben wir Ihren {request} erhalten ({reference}). Er ist ausgeführt{partly}."
            "{counts}\n\n{backups} {remains}\n\n{remedies}"
        ),
    },
    subjects_of_access={
        LetterKind.DONE: "Was wir über Sie gespeichert haben ({reference})",
    },
    bodies_of_access={
        LetterKind.IDENTITY: (
            "am {received_on} haben wir Ihren {request} erhalten ({reference}). Bevor wir etwas über Sie mitteilen, "
            "müssen wir sicher sein, dass der Antrag von der Person kommt, die er betrifft.\n\n{words}\n\n"
            "Was Sie uns schicken, verwenden wir nur dafür."
        ),
        LetterKind.DONE: (
            "am {received_on} haben wir Ihren {request} erhalten ({reference}). {held}\n\n"
            "{package}\n\n"
            "Sie können verlangen, dass wir Falsches berichtigen, Daten löschen oder ihre Verarbeitung einschränken, "
            "und dem widersprechen, was auf einem berechtigten Interesse beruht.\n\n{remedies}"
        ),
    },
    request_for_erasure="Antrag auf Löschung",
    request_for_access="Antrag auf Auskunft",
    nothing_held="Wir haben alles durchsucht, was wir aufbewahren, und haben nichts über Sie außer diesem Antrag.",
    held=("Sie sind an einer Stelle genannt.", "Sie sind an {} Stellen genannt."),
    package=(
        "Wo das ist und was dort steht, finden Sie in dem Paket, das Sie mit diesem Brief oder auf dem vereinbarten "
        "Weg erhalten: eine Seite zum Lesen und eine Datei für Programme. Darin steht auch, wozu wir es haben, auf "
        "welcher Rechtsgrundlage und wie lange, woher es kommt und wer es zu sehen bekommt."
    ),
    empty_package=(
        "Wo und wonach wir gesucht haben, steht in dem Paket, das Sie mit diesem Brief oder auf dem vereinbarten Weg "
        "erhalten."
    ),
    others_hidden=(
        " Was andere Personen betrifft, ist darin unkenntlich gemacht oder ausgelassen (Artikel 15 Absatz 4 der "
        "Datenschutz-Grundverordnung)."
    ),
    partly=(
        ", ausgenommen was wir wegen rechtlicher Ansprüche oder einer gesetzlichen Pflicht vorerst aufbewahren "
        "müssen. Es ist gesperrt und wird gelöscht, sobald es nicht mehr aufbewahrt werden muss"
    ),
    but_by_law=", ausgenommen was aus gesetzlichen Gründen bleibt und unten genannt ist",
    backups_until=(
        "Sicherungen von vorher enthalten noch Kopien. Die letzte von ihnen wird bis zum {until} gelöscht; falls eine "
        "davor wiederhergestellt wird, werden die Kopien erneut gelöscht."
    ),
    backups_unknown=(
        "Sicherungen von vorher können noch Kopien enthalten; bis wann sie aufbewahrt werden, ist nicht festgelegt. "
        "Falls je eine wiederhergestellt wird, werden die Kopien erneut gelöscht."
    ),
    remains="Es bleibt die Tatsache, dass der Antrag gestellt und ausgeführt wurde, ohne Ihre Daten.",
    remains_besides="Außer dem oben Genannten bleibt die Tatsache, dass der Antrag gestellt und ausgeführt wurde.",
    staying=(
        (
            "1 Stelle, an der Sie genannt sind, bleibt, weil das Gesetz es verlangt oder wegen rechtlicher Ansprüche "
            "(Artikel 17 Absatz 3 Buchstaben b und e der Datenschutz-Grundverordnung)."
        ),
        (
            "{} Stellen, an denen Sie genannt sind, bleiben, weil das Gesetz es verlangt oder wegen rechtlicher "
            "Ansprüche (Artikel 17 Absatz 3 Buchstaben b und e der Datenschutz-Grundverordnung)."
        ),
    ),
    counted=(
        ("1 Dokument wurde entfernt.", "{} Dokumente wurden entfernt."),
        (
            "1 Dokument wurde durch eine Fassung ohne die Stellen über Sie ersetzt; die frühere wurde entfernt.",
            "{} Dokumente wurden durch Fassungen ohne die Stellen über Sie ersetzt; die früheren wurden entfernt.",
        ),
        ("1 Eintrag unseres Protokolls wurde davon geleert.", "{} Einträge unseres Protokolls wurden davon geleert."),
        ("1 Konto wurde entfernt.", "{} Konten wurden entfernt."),
    ),
    grounds={
        Refusal.UNFOUNDED: "Artikel 12 Absatz 5: der Antrag ist offenkundig unbegründet",
        Refusal.EXCESSIVE: "Artikel 12 Absatz 5: der Antrag ist exzessiv, insbesondere wiederholt",
        Refusal.UNIDENTIFIED: "Artikel 12 Absatz 2 und Artikel 11 Absatz 2: wir können die Person nicht identifizieren",
        Refusal.NO_GROUND: "Artikel 17 Absatz 1: keiner seiner Gründe liegt vor",
        Refusal.EXPRESSION: "Artikel 17 Absatz 3 Buchstabe a: freie Meinungsäußerung und Information",
        Refusal.LEGAL_DUTY: (
            "Artikel 17 Absatz 3 Buchstabe b: rechtliche Pflicht oder Aufgabe im öffentlichen Interesse"
        ),
        Refusal.PUBLIC_HEALTH: "Artikel 17 Absatz 3 Buchstabe c: öffentliches Interesse an der öffentlichen Gesundheit",
        Refusal.ARCHIVE: "Artikel 17 Absatz 3 Buchstabe d: Archiv, Forschung oder Statistik",
        Refusal.LEGAL_CLAIMS: "Artikel 17 Absatz 3 Buchstabe e: Rechtsansprüche",
    },
    months=(
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
    ),
    day="{day}. {month} {year}",
)
