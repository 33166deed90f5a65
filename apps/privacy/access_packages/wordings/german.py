"""What a package says in German."""

from __future__ import annotations

from typing import Final

from apps.privacy.access_packages.wordings.contract import Chapter, Keeping, PackageWording, Recipients, Told
from apps.privacy.access_packages.wordings.german_events import EVENTS

_BY_KIND: Final = "Nach Art des Ereignisses: siehe „Wie lange Ereignisse aufbewahrt werden“."

GERMAN: Final = PackageWording(
    language="de",
    title="Was über Sie gespeichert ist",
    opening=(
        "Das ist, was {firm} in Glassbox über Sie gespeichert hat, Stand {until}, als Antwort auf Ihren Antrag "
        "{reference} vom {received}. {law}."
    ),
    law="Artikel 15 der Datenschutz-Grundverordnung (EU) 2016/679",
    nothing_held=(
        "Über Sie ist nichts gespeichert: Sie wurden in keinem Dokument, Ereignis oder anderen Text gefunden. "
        "Aufbewahrt wird Ihr Antrag mit seinen Briefen, bis er nicht mehr aufbewahrt werden muss."
    ),
    named="Sie sind an {places} in {things} genannt.",
    places_counted=("1 Stelle", "{} Stellen"),
    things_counted=("1 Dokument oder anderen Text", "{} Dokumenten oder anderen Texten"),
    looked_for="Wonach gesucht wurde",
    names="Namen",
    numbers="Adressen und Nummern",
    recipients_heading="Wer es zu sehen bekommt",
    kinds_heading="Wie lange Ereignisse aufbewahrt werden",
    article_heading="Was Ihnen nach dem Gesetz mitzuteilen ist",
    searched_heading="Wo gesucht wurde",
    purpose="Wozu",
    legal_basis="Rechtsgrundlage",
    source="Herkunft",
    retention="Aufbewahrung",
    none="Nichts ist gespeichert.",
    not_quoted="Nicht wiedergegeben: es würde etwas über andere sagen (Artikel 15 Absatz 4)",
    end="Ende des Dokuments.",
    yes="ja",
    no="nein",
    moment="{day}, {time} Uhr UTC",
    page="Seite {}",
    places={
        "properties": "Eigenschaften der Datei",
        "comments": "Kommentar oder Anmerkung",
        "fields": "Formularfeld",
        "attachments": "Anhang oder eingebettete Datei",
        "margins": "Kopf- oder Fußzeile der Datei",
        "notes": "Fuß- oder Endnote",
        "changes": "nachverfolgte Änderung",
        "authors": "Urheber einer Änderung oder eines Kommentars",
        "attributes": "Alternativtext oder anderes Attribut",
        "scripts": "Skript oder Verweis",
        "rest": "Teil der Datei, den keine Seite zeigt",
        "slug": "Kurzname",
        "ticker": "Börsenkürzel",
        "warnings": "Hinweise beim Einlesen",
        "title": "Titel",
        "filename": "Dateiname",
        "company": "Unternehmen",
        "external_id": "Kennung in der Quelle",
        "error_detail": "Fehlermeldung",
        "header": "Überschrift",
        "core": "Kern",
        "actor": "Handelnde",
        "question": "Frage",
        "answer": "Antwort",
        "passages": "Textstellen",
    },
    of_document="{kind}, {scope}, Fassung {version}, {status}",
    kinds={
        "org_profile": "Profil des Unternehmens",
        "compliance_profile": "Compliance-Profil",
        "methodology": "Methodik",
        "fund_profile": "Fondsprofil",
        "style_sample": "Muster des Hausstils",
        "run": "Früherer Lauf",
        "report_edit_pattern": "Muster von Änderungen an Berichten",
        "dataset_summary": "Zusammenfassung eines Datensatzes",
        "schedule": "Zeitplan",
        "reference_report": "Referenzbericht",
    },
    statuses={
        "received": "eingegangen",
        "processing": "in Verarbeitung",
        "ready": "in Gebrauch",
        "superseded": "ersetzt",
        "failed": "fehlgeschlagen",
    },
    account="Ein Konto der Plattform",
    part_of_event="{event}: Teil „{part}“",
    event_of="Ereignis vom {moment}",
    stores={
        "corpus.files": "Teile von Dateien, die keine Seite zeigt",
        "audit.holds": "Aufbewahrungssperren",
        "tenants.factor_resets": "Gründe für das Zurücksetzen eines zweiten Faktors",
        "audit.purge_parts": "Teile von Bereinigungen",
        "audit.purges": "Bereinigungen",
        "audit.retention_schedules": "Aufbewahrungspläne",
        "corpus.jobs": "Aufzeichnungen darüber, wie Dokumente aufgenommen wurden",
        "retrieval.evaluation_runs": "Prüfläufe",
        "retrieval.impacts": "Vorschauen auf Regeln",
        "tenants.tenant": "Name des Unternehmens",
        "audit.payloads": "Teile von Ereignissen im Protokoll",
        "corpus.chunks": "Abschnitte",
        "corpus.documents": "Dokumente",
        "corpus.pages": "Seiten",
        "intents.golden_examples": "Musterbeispiele",
        "intents.intent_terms": "Begriffe von Absichten",
        "intents.certified_grants": "Begründungen, warum Freigaben bestätigt oder beendet wurden",
        "intents.intents": "Absichten",
        "intents.invariants": "Feste Bedingungen der Regeln",
        "intents.kind_budgets": "Überschriften von Dokumentarten",
        "intents.policy_proofs": "Nachweise zu Fassungen der Regeln",
        "intents.policy_versions": "Begründungen von Fassungen der Regeln",
        "intents.profile_rules": "Vorgaben der Compliance-Profile",
        "intents.review_comments": "Kommentare zu Fassungen der Regeln",
        "retrieval.evaluation_answers": "Antworten von Prüfläufen, die die Dokumente nennen",
        "retrieval.evaluation_questions": "Prüffragen",
        "tenants.api_keys": "Namen von API-Schlüsseln",
        "tenants.idempotent_requests": "Antworten, die für wiederholte Anfragen aufbewahrt werden",
        "tenants.scopes": "Namen von Bereichen",
        "tenants.users": "Konten",
    },
    documents=Chapter(
        title="Dokumente",
        about=(
            "Dokumente, in denen Sie genannt sind: welche, wo, und die Worte um Ihren Namen herum. Suchbegriffe und "
            "Zahlen, die aus denselben Worten gebildet werden, um Textstellen zu finden, sagen nichts anderes und "
            "werden mit ihnen entfernt."
        ),
    ),
    log=Chapter(
        title="Das Prüfprotokoll",
        about=(
            "Ereignisse, deren Inhalt Sie nennt, etwa eine Frage über Sie oder eine Antwort, die ein Dokument zitiert "
            "hat, in dem Sie genannt sind."
        ),
        purpose=(
            "Um später zu zeigen, was geschehen ist, nach welchen Regeln, und dass niemand das Protokoll geändert hat."
        ),
        legal_basis=(
            "Nach Art des Ereignisses: siehe „Wie lange Ereignisse aufbewahrt werden“; meist Artikel 6 Absatz 1 "
            "Buchstabe c, rechtliche Verpflichtung."
        ),
        source="Das System, im Augenblick jeder Handlung; die Worte einer Frage von der Person, die sie stellte.",
        retention=_BY_KIND,
    ),
    others=Chapter(
        title="Was Sie sonst noch nennt",
        about="Kommentare, Prüffragen, Namen und andere kurze Texte, die Menschen im Unternehmen geschrieben haben.",
        purpose="Um mit den Dokumenten zu arbeiten und zu entscheiden, nach welchen Regeln sie durchsucht werden.",
        legal_basis=(
            "Artikel 6 Absatz 1 Buchstabe f, berechtigte Interessen; Buchstabe c, wo es eine Entscheidung festhält."
        ),
        source="Menschen im Unternehmen, die es geschrieben haben.",
        retention=(
            "So lange wie das, wozu es gehört; was eine Entscheidung festhält, so lange das Unternehmen darüber "
            "Rechenschaft schuldet."
        ),
    ),
    article_15={
        "(a) Purposes": (
            "a) Zwecke",
            "Stehen bei jedem Kapitel dessen, was gespeichert ist, mit der Rechtsgrundlage.",
        ),
        "(b) Categories of data": (
            "b) Kategorien von Daten",
            "Jede hat ein Kapitel: wo Sie genannt sind und was darum herum steht.",
        ),
        "(c) Recipients": (
            "c) Empfänger",
            "Wer im Unternehmen es sehen darf und welche Anbieter etwas davon bekommen: siehe „Wer es zu sehen "
            "bekommt“.",
        ),
        "(d) How long it is kept": ("d) Dauer der Speicherung", "Steht bei jedem Kapitel."),
        "(e) Your rights": (
            "e) Ihre Rechte",
            "Sie können verlangen, dass Falsches berichtigt wird (Artikel 16), dass Gespeichertes gelöscht (17) oder "
            "seine Verarbeitung eingeschränkt wird (18), und dem widersprechen, was auf einem berechtigten Interesse "
            "beruht (21). Schreiben Sie der datenschutzbeauftragten Person des Unternehmens: Sie erhalten innerhalb "
            "eines Monats eine Antwort. Was das Unternehmen von Gesetzes wegen aufbewahren muss, bleibt, bis es nicht "
            "mehr aufbewahrt werden muss.",
        ),
        "(f) Complaint": (
            "f) Beschwerde",
            "Sie können sich bei einer Aufsichtsbehörde beschweren, etwa bei der des Landes, in dem Sie leben oder "
            "arbeiten oder in dem Sie das Recht verletzt sehen (Artikel 77).",
        ),
        "(g) Source": ("g) Herkunft", "Steht bei jedem Kapitel."),
        "(h) Automated decisions": (
            "h) Automatisierte Entscheidungen",
            "Nichts wird im Sinn des Artikels 22 von einer Maschine über Sie entschieden. Dokumente werden nach "
            "Textstellen durchsucht, die eine Frage von Beschäftigten des Unternehmens beantworten; Menschen lesen die "
            "Antwort mit den Textstellen, auf denen sie beruht.",
        ),
        "Article 15(2): other countries": (
            "Artikel 15 Absatz 2: andere Länder",
            "Wo von einem Anbieter gesagt ist, dass er außerhalb der Region des Unternehmens liegt, fragen Sie die "
            "datenschutzbeauftragte Person nach den Garantien, die mit ihm vereinbart wurden (Artikel 46).",
        ),
        "Article 15(4): others": (
            "Artikel 15 Absatz 4: andere",
            "Wo die Worte um eine Stelle herum andere betreffen, sind sie unkenntlich gemacht (█████) oder "
            "ausgelassen. Dass Sie dort genannt sind und wo, ist trotzdem gesagt.",
        ),
    },
    recipients=Recipients(
        columns={
            "who": "Wer",
            "which": "Welche",
            "gets": "Was sie bekommen",
            "region": "Region",
            "leaves_region": "Außerhalb der Region des Unternehmens",
        },
        readers="Wer Dokumente sehen darf",
        readers_get="Dokumente in den Bereichen, die ihnen offenstehen",
        auditors="Wer das Prüfprotokoll lesen darf",
        auditors_get="Fragen, die aufbewahrt werden, und was gefunden wurde",
        officers="Wer Ihren Antrag bearbeitet",
        officers_get="Ihren Antrag und alles in diesem Paket",
        embeddings="Anbieter der Einbettungen",
        embeddings_get="die Worte von Dokumenten und von Fragen",
        answers="Anbieter der Antworten",
        answers_get="die Worte von Fragen, mit den Textstellen der Dokumente, die gefunden wurden",
        mail="Der Mailserver des Unternehmens",
        mail_which="der, mit dem diese Installation eingerichtet ist",
        mail_gets="Briefe an Sie, wo sie als E-Mail gehen",
        unconfigured="nicht mehr eingerichtet",
        inside="auf dieser Installation: niemand sonst bekommt es",
        nothing_leaves="nichts verlässt diese Installation",
        roles={
            "compliance_officer": "Compliance-Verantwortliche",
            "reviewer": "Prüfende",
            "dpo": "Datenschutzbeauftragte",
            "analyst": "Analystinnen und Analysten",
            "auditor": "Revision",
            "tenant_admin": "Administration des Mandanten",
        },
    ),
    keeping=Keeping(
        periods=(("1 Jahr", "{} Jahre"), ("1 Monat", "{} Monate")),
        after=(("1 Jahr", "{} Jahren"), ("1 Monat", "{} Monaten")),
        columns={
            "what": "Ereignis",
            "legal_basis": "Rechtsgrundlage",
            "at_least": "Mindestens",
            "in_force": "Geltende Regel",
        },
        events=EVENTS,
        of_part="{part}: ",
        kept="wird {period} aufbewahrt",
        gone=", nach {period} entfernt",
        no_rule="keine spätere Regel: so lange es sein muss und bis es gelöscht wird",
        grounds={
            "6(1)(c) legal obligation": "Artikel 6 Absatz 1 Buchstabe c, rechtliche Verpflichtung",
            "6(1)(f) legitimate interests": "Artikel 6 Absatz 1 Buchstabe f, berechtigte Interessen",
        },
    ),
    told=Told(
        purposes=(
            "Um Fragen von Beschäftigten des Unternehmens aus dessen Dokumenten zu beantworten und später zu zeigen, "
            "worauf eine Antwort beruhte."
        ),
        source=(
            "Die Dokumente selbst: Briefe, Notizen, Verträge und Berichte, die das Unternehmen geschrieben oder "
            "erhalten hat."
        ),
        at_least=(
            "Mindestens {shortest}, nachdem eine andere Fassung an die Stelle eines Dokuments getreten ist; dann wird "
            "es mit allem entfernt, was daraus gemacht wurde."
        ),
        between=(
            "Mindestens {shortest}, manche {longest}, nachdem eine andere Fassung an die Stelle eines Dokuments "
            "getreten ist; dann wird es mit allem entfernt, was daraus gemacht wurde."
        ),
        as_needed="So lange sie gebraucht werden; dann werden sie mit allem entfernt, was daraus gemacht wurde.",
    ),
    readme="""Was {firm} in Glassbox über Sie gespeichert hat, als Antwort auf Ihren Antrag {reference}.

what-is-held.html   zum Lesen und Drucken: in jedem Browser zu öffnen, auch ohne Verbindung
what-is-held.json   dasselbe für ein Programm

Beide handeln von Ihnen: bewahren Sie sie auf wie Ihre eigenen Unterlagen.

Das Gesetz: Artikel 15 DSGVO. Was Sie noch verlangen können, und von wem, steht in beiden Dateien.
""",
)
