"""What a package says in English."""

from __future__ import annotations

from typing import Final

from apps.privacy.access_packages.wordings.contract import Chapter, Keeping, PackageWording, Recipients, Told

_BY_KIND: Final = "By kind of event: see “How long events are kept”."

ENGLISH: Final = PackageWording(
    language="en",
    title="What is held about you",
    opening=(
        "This is what {firm} holds about you in Glassbox, as it was on {until}, in answer to your request {reference} "
        "of {received}. {law}."
    ),
    law="Article 15 of the General Data Protection Regulation (EU) 2016/679",
    nothing_held=(
        "Nothing is held about you: you were found in no document, event or other text. Only your request and its "
        "letters are kept, until they no longer need to be kept."
    ),
    named="You are named in {places} of {things}.",
    places_counted=("1 place", "{} places"),
    things_counted=("1 document or other text", "{} documents or other texts"),
    looked_for="What we searched for",
    names="Names",
    numbers="Addresses and numbers",
    recipients_heading="Who gets to see it",
    kinds_heading="How long events are kept",
    article_heading="What the law requires us to tell you",
    searched_heading="Where was searched",
    purpose="What for",
    legal_basis="Legal basis",
    source="Source",
    retention="Kept",
    none="Nothing is held.",
    not_quoted="Not quoted: it would disclose data about others (Article 15(4))",
    end="End of the document.",
    yes="yes",
    no="no",
    moment="{day}, {time} UTC",
    page="page {}",
    places={
        "properties": "properties of the file",
        "comments": "comment or annotation",
        "fields": "form field",
        "attachments": "attachment or embedded file",
        "margins": "header or footer of the file",
        "notes": "footnote or endnote",
        "changes": "tracked change",
        "authors": "author of a change or comment",
        "attributes": "alternative text or other attribute",
        "scripts": "script or link",
        "rest": "part of the file that no page shows",
        "slug": "short name",
        "ticker": "ticker",
        "warnings": "warnings from reading it",
        "title": "title",
        "filename": "file name",
        "company": "company",
        "external_id": "id in its source",
        "error_detail": "error message",
        "header": "heading",
        "core": "core",
        "actor": "actor",
        "question": "question",
        "answer": "answer",
        "passages": "passages",
    },
    of_document="{kind}, {scope}, version {version}, {status}",
    kinds={
        "org_profile": "Firm profile",
        "compliance_profile": "Compliance profile",
        "methodology": "Methodology",
        "fund_profile": "Fund profile",
        "style_sample": "House style sample",
        "run": "Past run",
        "report_edit_pattern": "Report edit pattern",
        "dataset_summary": "Dataset summary",
        "schedule": "Schedule",
        "reference_report": "Reference report",
    },
    statuses={
        "received": "received",
        "processing": "processing",
        "ready": "ready",
        "superseded": "superseded",
        "failed": "failed",
    },
    account="The account of a user of this installation",
    part_of_event="{event}: the {part} part",
    event_of="event of {moment}",
    stores={
        "corpus.files": "Parts of files that no page shows",
        "audit.holds": "Legal holds",
        "tenants.factor_resets": "Reasons for resets of a second factor",
        "audit.purge_parts": "Parts of purges",
        "audit.purges": "Purges",
        "audit.retention_schedules": "Retention schedules",
        "corpus.jobs": "Records of how documents were ingested",
        "retrieval.evaluation_runs": "Evaluation runs",
        "retrieval.impacts": "Previews of policies",
        "tenants.tenant": "Name of the firm",
        "audit.payloads": "Parts of events in the log",
        "corpus.chunks": "Passages",
        "corpus.documents": "Documents",
        "corpus.pages": "Pages",
        "intents.golden_examples": "Review examples",
        "intents.intent_terms": "Terms of intents",
        "intents.certified_grants": "Reasons why grants were confirmed or ended",
        "intents.intents": "Intents",
        "intents.invariants": "Invariants of policies",
        "intents.kind_budgets": "Headings of kinds",
        "intents.policy_proofs": "Proofs of policy versions",
        "intents.policy_versions": "Reasons for policy versions",
        "intents.profile_rules": "Rules of compliance profiles",
        "intents.review_comments": "Comments on policy versions",
        "retrieval.evaluation_answers": "Answers of evaluation runs that name the documents",
        "retrieval.evaluation_questions": "Evaluation questions",
        "tenants.api_keys": "Names of API keys",
        "tenants.idempotent_requests": "Answers kept for repeated requests",
        "tenants.scopes": "Names of scopes",
        "tenants.users": "Accounts",
    },
    documents=Chapter(
        title="Documents",
        about=(
            "Documents in which you are named: which, where, and the words around your name. Search terms and "
            "numbers that are derived from the same words to find passages contain nothing more, and are removed "
            "with them."
        ),
    ),
    log=Chapter(
        title="The audit log",
        about=(
            "Events whose content names you, such as a question about you, or an answer that quoted a document in "
            "which you are named."
        ),
        purpose="To show later what happened, by what rules, and that nobody changed the record.",
        legal_basis="By kind of event: see “How long events are kept”; mostly 6(1)(c) legal obligation.",
        source="The system, at the moment of each act; the words of a question come from the person who asked it.",
        retention=_BY_KIND,
    ),
    others=Chapter(
        title="What else names you",
        about="Comments, evaluation questions, names and other short texts that people of the firm wrote.",
        purpose="To work with the documents, and to decide by which rules they are searched.",
        legal_basis="6(1)(f) legitimate interests; 6(1)(c) where the text records a decision.",
        source="People of the firm, who wrote it.",
        retention=(
            "As long as the item that it belongs to; the record of a decision as long as the firm must account for it."
        ),
    ),
    article_15={
        "(a) Purposes": ("(a) Purposes", "Each chapter states them, with the legal basis."),
        "(b) Categories of data": (
            "(b) Categories of data",
            "Each has a chapter: where you are named, and the words around your name.",
        ),
        "(c) Recipients": (
            "(c) Recipients",
            "Who within the firm may see it, and which providers receive some of it: see “Who gets to see it”.",
        ),
        "(d) How long it is kept": ("(d) How long it is kept", "Each chapter states it."),
        "(e) Your rights": (
            "(e) Your rights",
            "You may ask the firm to correct what is wrong (Article 16) and to erase (17) or restrict (18) what is "
            "held, and you may object to processing that rests on a legitimate interest (21). Write to the firm's "
            "data protection officer: you get an answer within one month. Data that the firm must keep by law stays "
            "until it no longer has to be kept.",
        ),
        "(f) Complaint": (
            "(f) Complaint",
            "You may complain to a supervisory authority, such as that of the country where you live or work, or where "
            "you think that the law was broken (Article 77).",
        ),
        "(g) Source": ("(g) Source", "Each chapter states it."),
        "(h) Automated decisions": (
            "(h) Automated decisions",
            "No automated decision in the sense of Article 22 is made about you. Glassbox searches documents for "
            "passages that answer a question of the firm's staff. People read the answer, with the passages that it "
            "rests on.",
        ),
        "Article 15(2): other countries": (
            "Article 15(2): other countries",
            "If a provider is listed as outside the firm's region, ask the data protection officer which safeguards "
            "were agreed with it (Article 46).",
        ),
        "Article 15(4): others": (
            "Article 15(4): others",
            "Where the words around your name are about others, they are hidden (█████) or left out. The document "
            "still says that you are named there, and where.",
        ),
    },
    recipients=Recipients(
        columns={
            "who": "Who",
            "which": "Which",
            "gets": "What they get",
            "region": "Region",
            "leaves_region": "Outside the firm's region",
        },
        readers="Who may see documents",
        readers_get="documents in the scopes that are open to them",
        auditors="Who may read the audit log",
        auditors_get="questions that are kept, and what was found",
        officers="Who works on your request",
        officers_get="your request, and everything in this package",
        embeddings="Provider of embeddings",
        embeddings_get="the words of documents, and of questions",
        answers="Provider of answers",
        answers_get="the words of questions, with the passages of documents that were found",
        mail="The firm's mail server",
        mail_which="the one that this installation uses",
        mail_gets="letters to you, if they are sent by e-mail",
        unconfigured="no longer configured",
        inside="on this installation: nobody else receives it",
        nothing_leaves="nothing leaves this installation",
        roles={
            "compliance_officer": "Compliance officer",
            "reviewer": "Reviewer",
            "dpo": "Data protection officer",
            "analyst": "Analyst",
            "auditor": "Auditor",
            "tenant_admin": "Tenant administrator",
        },
    ),
    keeping=Keeping(
        periods=(("1 year", "{} years"), ("1 month", "{} months")),
        after=(("1 year", "{} years"), ("1 month", "{} months")),
        columns={
            "what": "Event",
            "legal_basis": "Legal basis",
            "at_least": "At least",
            "in_force": "Rule in force",
        },
        events=None,
        of_part="the {part}: ",
        kept="kept for {period}",
        gone=", gone after {period}",
        no_rule="no later rule: as long as required, and until it is purged",
        grounds={
            "6(1)(c) legal obligation": "6(1)(c) legal obligation",
            "6(1)(f) legitimate interests": "6(1)(f) legitimate interests",
        },
    ),
    told=Told(
        purposes=(
            "To answer questions of the firm's staff from the firm's documents, and to show later what an answer was "
            "based on."
        ),
        source="The documents themselves: letters, notes, contracts and reports that the firm has written or received.",
        at_least=(
            "At least {shortest} after another version has replaced a document; then it is removed with everything "
            "made from it."
        ),
        between=(
            "At least {shortest}, and some {longest}, after another version has replaced a document; then it is "
            "removed with everything made from it."
        ),
        as_needed="As long as they are needed; then they are removed with everything made from them.",
    ),
    readme="""What {firm} holds about you in Glassbox, in answer to your request {reference}.

what-is-held.html   to read and to print: open it in any browser, it needs no connection
what-is-held.json   the same for a program

Both are about you: keep them as safe as your own papers.

The law: Article 15 GDPR. Both files say what else you may ask for, and whom to ask.
""",
)
