"""Settings of every environment. Development, production and test only override them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import django_stubs_ext
from csp.constants import NONCE, NONE, SELF

from config import env
from config.cache import SERVING_BROKER
from config.log_keys import timestamps, witnesses
from config.needs import Process
from config.operations.logs import logging_settings
from config.settings.providers import embedding_profiles, generation_profiles
from config.settings.unfold import UNFOLD as UNFOLD

# Make Django's generic classes subscriptable at run time, as the type checker reads them.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent.parent
GLASSBOX_HOME = env.home()

DEBUG = False
ALLOWED_HOSTS: list[str] = []
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
AUTH_USER_MODEL = "tenants.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    # Unfold's templates without its site, since the admin site is ours (config/admin_site.py).
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "config.admin.GlassboxAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "django_filters",
    "apps.tenants",
    "apps.audit",
    "apps.erasure",
    "apps.corpus",
    "apps.filings",
    "apps.intents",
    "apps.retrieval",
    "apps.research",
    "apps.quality",
    "apps.privacy",
    "apps.operations",
    "apps.demo",
]

MIDDLEWARE = [
    # The first names the request. The second answers supervisors, whatever host name they use.
    "config.operations.requests.RequestMiddleware",
    "config.operations.middleware.OperationsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    # These come before middleware that may answer, so that every answer has their headers.
    "csp.middleware.CSPMiddleware",
    "config.headers.BrowserHeadersMiddleware",
    "config.cors.CorsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # This comes before anything queries the database, since a restored one may not be served.
    "apps.operations.backup.middleware.ServingMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "apps.tenants.middleware.ScopeMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "apps.tenants.admin.context.tenant_switcher",
            ],
        },
    }
]

AUTHENTICATION_BACKENDS = ["apps.tenants.authentication.MembershipBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/admin/login/"
LOGIN_REDIRECT_URL = "/admin/"

# The language of all pages, whatever a browser asks for: half of them are Django's, which has many languages, and half
# are ours, which are English. Letters are written in the language of their request (apps/privacy/requests/wordings).
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
STATIC_ROOT = GLASSBOX_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

DATABASE_ROUTERS = ["config.routers.MigrateAsOwner"]

SESSION_ENGINE = "apps.tenants.session_store"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 8 * 60 * 60
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# No stored text runs as a script in a browser, even where it was not escaped. Scripts come from our files or have the
# nonce of the answer; none may be in an attribute or be made of text at run time.
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "script-src-attr": [NONE],
        "style-src": [SELF, NONCE],
        "style-src-attr": [NONE],
        # Icons in style sheets are data.
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- The platform's own settings -------------------------------------------------------------------------------

# Where this installation runs, which is also the region of every provider that runs inside it.
GLASSBOX_REGION = env.text("GLASSBOX_REGION", default="eu")
# The purpose of this process, which decides its database role and its secrets (config/needs.py).
GLASSBOX_PROCESS = env.process()
GLASSBOX_DB_ROLE = env.text("GLASSBOX_DB_ROLE", default=GLASSBOX_PROCESS.role)
# How many sign-ins may fail within the window before further ones are refused until its end: for one name from one
# address; for one name from anywhere; from one address for any name (apps/tenants/attempts.py).
GLASSBOX_FAILURE_WINDOW_SECONDS = env.integer("GLASSBOX_FAILURE_WINDOW_SECONDS", default=15 * 60, minimum=1)
GLASSBOX_SIGN_IN_FAILURES = env.integer("GLASSBOX_SIGN_IN_FAILURES", default=5, minimum=1)
GLASSBOX_SIGN_IN_FAILURES_OF_NAME = env.integer("GLASSBOX_SIGN_IN_FAILURES_OF_NAME", default=50, minimum=1)
GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS = env.integer("GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS", default=50, minimum=1)
# The same for wrong secrets of one API key from one address.
GLASSBOX_KEY_FAILURES = env.integer("GLASSBOX_KEY_FAILURES", default=20, minimum=1)
# How many of our proxies are in front. Each appends the address of its caller to X-Forwarded-For.
GLASSBOX_PROXIES = env.integer("GLASSBOX_PROXIES", default=0, minimum=0)
GLASSBOX_MAX_UPLOAD_BYTES = env.integer("GLASSBOX_MAX_UPLOAD_BYTES", default=100 * 1024 * 1024)
GLASSBOX_MAX_QUESTION_CHARS = 4_000
# How many of the last recorded questions the impact preview of a policy version reads.
GLASSBOX_IMPACT_EVENTS = env.integer("GLASSBOX_IMPACT_EVENTS", default=500, minimum=0)
# The time zone of the day on which a request was received, from which its month is counted.
GLASSBOX_LEGAL_TIME_ZONE = env.text("GLASSBOX_LEGAL_TIME_ZONE", default="UTC")
# Where the log's key-encryption keys come from: a class with the interface of apps.audit.keys.contracts.KeyProvider.
GLASSBOX_AUDIT_KEY_PROVIDER = "apps.audit.keys.environment.EnvironmentKeys"
# GLASSBOX_CHECKPOINT_URL: where checkpoints of the log go, out of the database's reach: a directory, or
# s3://bucket/prefix with GLASSBOX_CHECKPOINT_S3, both below.
# Who attests checkpoints: "URL name+mark+key" of each witness (C2SP tlog-witness), and a service of RFC 3161 with the
# PEM file of the roots of its certificate.
GLASSBOX_WITNESSES = witnesses(env.items("GLASSBOX_WITNESSES", default=()))
GLASSBOX_TIMESTAMPS = timestamps(
    env.url("GLASSBOX_TIMESTAMP_URL", default=""), env.text("GLASSBOX_TIMESTAMP_ROOTS", default="")
)
# Where webhooks may go: the permitted ports; the only hosts that may have private addresses; and certificate
# authorities that are trusted besides the system's, as a PEM file.
GLASSBOX_WEBHOOK_PORTS = env.ports("GLASSBOX_WEBHOOK_PORTS", default=(443,))
GLASSBOX_WEBHOOK_PRIVATE_HOSTS = frozenset(
    each.lower() for each in env.items("GLASSBOX_WEBHOOK_PRIVATE_HOSTS", default=())
)
GLASSBOX_WEBHOOK_ROOTS = env.text("GLASSBOX_WEBHOOK_ROOTS", default="")
GLASSBOX_CHECKPOINT_URL = env.text("GLASSBOX_CHECKPOINT_URL", default=str(GLASSBOX_HOME / "checkpoints"))
# Where tombstones of removals go, with the same forms of address; GLASSBOX_CHECKPOINT_S3 also applies to an object
# store here.
GLASSBOX_TOMBSTONES_URL = env.text("GLASSBOX_TOMBSTONES_URL", default=str(GLASSBOX_HOME / "tombstones"))
# Whether a restored database is refused until the tombstones are replayed. Only the test suite turns it off, because it
# copies, empties and rolls back its databases all the time.
GLASSBOX_REQUIRE_REPLAY = True
# Where pg_dump and pg_restore are, for a server that is not the embedded one; by default, on PATH.
GLASSBOX_PG_PROGRAMS = env.text("GLASSBOX_PG_PROGRAMS", default="")
GLASSBOX_CHECKPOINT_S3 = {
    "endpoint": env.text("GLASSBOX_CHECKPOINT_S3_ENDPOINT", default=""),
    "region": env.text("GLASSBOX_CHECKPOINT_S3_REGION", default="us-east-1"),
    "access_key": env.text("GLASSBOX_CHECKPOINT_S3_ACCESS_KEY", default=""),
    "secret_key": env.secret("GLASSBOX_CHECKPOINT_S3_SECRET_KEY", default=""),
}
# Which removals are proven on the disk (apps/erasure/proof). Each proof rewrites the tables, which can't be read
# meanwhile, and scans the server's files twice, with the access of the database server's administrator. A removal that
# is proposed while its kind is switched off ends when every store counts zero, without a certificate, and says so.
GLASSBOX_PHYSICAL_ORIGINS = frozenset(
    origin
    for origin, is_proven in (
        ("request", env.boolean("GLASSBOX_RESIDUE_SCAN", default=True)),
        ("purge", env.boolean("GLASSBOX_PURGE_PHYSICAL", default=False)),
    )
    if is_proven
)
# When tables may be rewritten: hours of UTC such as 01:00-04:00; empty for at once.
GLASSBOX_ERASURE_WINDOW = env.text("GLASSBOX_ERASURE_WINDOW", default="")
# How long backups are kept, in days: certificates state until when a backup may still hold what was removed. 0: not
# stated.
GLASSBOX_BACKUP_RETENTION_DAYS = env.integer("GLASSBOX_BACKUP_RETENTION_DAYS", default=0, minimum=0)
DATA_UPLOAD_MAX_MEMORY_SIZE = GLASSBOX_MAX_UPLOAD_BYTES
# A policy in its editor is a form with a field for each term and example: the baseline alone has more than 1,000.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
# Whether reading a file is refused if the kernel or the container lacks a part of the sandbox (apps/corpus/reader).
GLASSBOX_REQUIRE_SANDBOX = env.boolean("GLASSBOX_REQUIRE_SANDBOX", default=False)
# Whether the text of scanned pages is recognised when a PDF is read (apps/corpus/extraction/ocr), on this machine.
GLASSBOX_OCR = env.boolean("GLASSBOX_OCR", default=True)

# Whether each web process loads the local models when it starts, instead of with its first question.
GLASSBOX_WARM_UP = env.boolean("GLASSBOX_WARM_UP", default=True)
# Models that `manage.py model install` puts there: part of the installation, as the packages beside them are.
GLASSBOX_MODELS = Path(env.text("GLASSBOX_MODELS", default=str(Path(sys.prefix) / "share" / "glassbox" / "models")))
GLASSBOX_EMBEDDING_PROFILES = embedding_profiles(region=GLASSBOX_REGION, models=GLASSBOX_MODELS)
# Changes to the settings of stages (apps/retrieval/stage_choice.py), such as "reranker=cross_encoder, expand_top_k=3";
# empty for none.
GLASSBOX_RETRIEVAL_STAGES = env.text("GLASSBOX_RETRIEVAL_STAGES", default="")
# For the reranker cross_encoder: a folder, or a name in the local model cache. Nothing is downloaded; empty for none.
GLASSBOX_CROSS_ENCODER_MODEL = env.text("GLASSBOX_CROSS_ENCODER_MODEL", default="")
# For the reranker late_interaction: the embedding profile whose model's token vectors it compares. It must be one of
# the backend sentence-transformers, and shares the loaded model with it.
GLASSBOX_LATE_INTERACTION_PROFILE = env.text("GLASSBOX_LATE_INTERACTION_PROFILE", default="local")
GLASSBOX_GENERATION_PROFILES = generation_profiles(region=GLASSBOX_REGION)

# --- API ----------------------------------------------------------------------------------------------------------

# Web pages that may call the API from a browser, such as https://app.example.com: exact origins, separated by commas.
GLASSBOX_CORS_ORIGINS = frozenset(env.items("GLASSBOX_CORS_ORIGINS", default=()))
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.tenants.api.authentication.ApiKeyAuthentication",
        "apps.tenants.api.authentication.MemberSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["apps.tenants.api.permissions.HasTenantPermission"],
    "DEFAULT_SCHEMA_CLASS": "apps.tenants.api.described.ApiSchema",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["apps.tenants.api.parsers.StrictJsonParser"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_METADATA_CLASS": "apps.tenants.api.metadata.MethodsMetadata",
    "EXCEPTION_HANDLER": "apps.tenants.api.problems.problem_handler",
    "DEFAULT_THROTTLE_CLASSES": ["apps.tenants.api.throttling.PrincipalThrottle"],
    "DEFAULT_THROTTLE_RATES": {"principal": env.text("GLASSBOX_API_RATE", default="600/min")},
    "UNAUTHENTICATED_USER": None,
    # No view takes a parameter named format, and unknown parameters are refused.
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Glassbox API",
    "VERSION": "1",
    "DESCRIPTION": (
        "Cited answers from a firm's own documents, with every step of the way in the open.\n\n"
        "**Start.** Make an API key in the admin (Administration, API keys), `export GLASSBOX_KEY=gbx_...`, and paste "
        "any example below: they run as they stand. Where one is about a particular thing, set `DOCUMENT_ID`, "
        "`JOB_ID`, `EVENT_ID`, `VERSION_ID`, `REQUEST_ID`, `CERTIFICATE_ID`, `MEMBER_ID`, `INVITATION_ID`, "
        "`KEY_ID`, `SCOPE_ID` or `SCOPE` first, from the lists. Policy versions and requests for erasure are worked on "
        "by people: for those writes, use a key that acts for you (Administration, "
        "My keys). What decides on somebody else's proposal asks for a second factor: make that key right after "
        "entering a code, or the answer is `tenants.step_up_needed`.\n\n"
        "**Changes** stand in the [changelog](/api/v1/changelog/), by version. What is to go says so in its answers, "
        "with `Deprecation` (RFC 9745) and, where that is settled, `Sunset` (RFC 8594).\n\n"
        "**Errors** are problem details (RFC 9457) with a stable `code` ([what each means](/api/v1/problems/)), and "
        "name their request as `X-Request-ID` does. **Lists** come in pages: follow `next` as it is. "
        "Unknown fields and parameters are refused. Every address under /api/v1/ ends with a slash. **Writes** may "
        "carry an `Idempotency-Key`, and are then safe to send again."
    ),
    "TAGS": [
        {"name": "Questions", "description": "Ask, and see how the answer was found."},
        {
            "name": "OpenAI",
            "description": "Ask with an existing client of the OpenAI API: base_url is this host and /v1.",
        },
        {"name": "Documents", "description": "What answers are drawn from."},
        {"name": "Claims", "description": "Check what a text claims against facts and passages."},
        {"name": "Facts", "description": "The figures of documents, each with its place."},
        {"name": "Entities", "description": "Who and what documents name, and what their sentences say of them."},
        {"name": "Jobs", "description": "A document's way in: reading and embedding."},
        {"name": "Policy", "description": "Which kinds of document a question may reach."},
        {"name": "Privacy", "description": "Requests for erasure, from receipt to the certificate that it is done."},
        {"name": "Audit", "description": "What happened, by whom, under which policy."},
        {"name": "Members", "description": "Who works in the tenant, and who is invited. Most writes are people's."},
        {"name": "Keys", "description": "The tenant's API keys. No key makes another one."},
        {"name": "Scopes", "description": "The parts of the tenant that grants reach."},
        {"name": "Webhooks", "description": "Programs of yours that are told of events."},
        {"name": "Account", "description": "Who you are here."},
        {"name": "Health", "description": "Is it up."},
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SORT_OPERATIONS": False,
    # Docstrings here are for developers of the code; the document's reader gets help texts and descriptions.
    "DISABLE_DOCSTRING_DESCRIPTIONS": True,
    "SORT_OPERATION_PARAMETERS": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "RetentionClass": "apps.corpus.kinds.RetentionClass",
        "DocumentType": "apps.corpus.kinds.DocumentType",
        "SourceType": "apps.corpus.kinds.SourceType",
        "RecordType": "apps.corpus.extraction.record_file.RecordType",
        "RecordOutcome": "apps.corpus.services.records.upsert.Outcome",
        "FactUnit": "apps.filings.contracts.FactUnit",
        "EntityType": "apps.filings.graph.contracts.EntityType",
        "RelationType": "apps.filings.graph.contracts.RelationType",
        "HowRead": "apps.filings.contracts.HowRead",
        "HowPageRead": "apps.corpus.extraction.contracts.HowPageRead",
        "CheckResult": "apps.filings.contracts.CheckResult",
        "DocumentStatus": "apps.corpus.models.DocumentStatus",
        "JobStatus": "apps.corpus.models.JobState",
        "JobStage": "apps.corpus.models.JobStage",
        "PolicyStatus": "apps.intents.models.VersionStatus",
        "PolicyOrigin": "apps.intents.models.VersionOrigin",
        "PolicyChangeKind": "apps.intents.diff.ChangeKind",
        "ModeEnum": "apps.intents.invariants.InvariantMode",
        "AccessListMode": "apps.intents.access.register.contracts.Mode",
        "RecertificationState": "apps.intents.access.recertified.RecertificationState",
        "Role": "apps.tenants.roles.Role",
        "Outcome": "apps.audit.models.Outcome",
        "AnswerOutcomeEnum": "apps.retrieval.contracts.AnswerOutcome",
        "SentState": "apps.retrieval.models.SentState",
        "ResearchMode": "apps.research.models.RunMode",
        "ResearchState": "apps.research.models.RunState",
        "ResearchStepKind": "apps.research.models.StepKind",
        "ClaimSort": "apps.research.claims.contracts.ClaimSort",
        "SortEnum": "apps.intents.profile.contracts.RuleSort",
        "ClaimVerdict": "apps.research.claims.contracts.Verdict",
        "RequestState": "apps.privacy.codes.life.RequestState",
        "SubjectType": "apps.privacy.codes.requests.SubjectType",
        "RequestPurpose": "apps.privacy.codes.requests.Purpose",
        "Requester": "apps.privacy.codes.requests.Requester",
        "Language": "apps.privacy.codes.requests.Language",
        "ErasureGround": "apps.privacy.codes.requests.Ground",
        "RefusalGround": "apps.privacy.codes.requests.Refusal",
        "ExtensionReason": "apps.privacy.codes.requests.Extension",
        "LetterKind": "apps.privacy.codes.requests.LetterKind",
        "LetterState": "apps.privacy.codes.requests.LetterState",
        "Delivery": "apps.privacy.codes.requests.Delivery",
        "RemovalState": "apps.erasure.models.removal.RemovalState",
        "RemovalReason": "apps.erasure.log_removal.RemovalReason",
        "RejectionReason": "apps.erasure.runs.runs.RejectionReason",
        "InventoryState": "apps.privacy.codes.inventory.InventoryState",
        "InventoryDecision": "apps.privacy.codes.inventory.Decision",
        "InventoryReason": "apps.erasure.runs.staying.Reason",
        "InventoryTreatment": "apps.privacy.codes.inventory.Treatment",
        "AccessQuoting": "apps.privacy.codes.inventory.Quoting",
        "GroupState": "apps.audit.selectors.GroupState",
        "RemovalOrigin": "apps.erasure.models.removal.RemovalOrigin",
        "VerificationState": "apps.audit.models.VerificationState",
        "WebhookDeliveryState": "apps.audit.models.DeliveryState",
        "WebhookPauseReason": "apps.audit.models.PauseReason",
        "FindingClass": "apps.audit.verify.findings.FindingClass",
        "Permission": "apps.tenants.roles.Permission",
        "MemberState": "apps.tenants.selectors.members.MemberState",
        "InvitationState": "apps.tenants.selectors.invitations.InvitationState",
        "KeyState": "apps.tenants.selectors.keys.KeyState",
        "PrincipalKind": "apps.tenants.principals.PrincipalKind",
        "RecordingMode": "apps.intents.contracts.RecordingMode",
        "Grounding": "apps.retrieval.contracts.GroundingStatus",
        "RefusalReason": "apps.retrieval.contracts.RefusalReason",
        "StageName": "apps.retrieval.trace.Stage",
        "StageStatus": "apps.retrieval.trace.StageStatus",
        "HealthStatus": "apps.tenants.api.probes.HealthStatus",
        "PartState": "apps.tenants.api.probes.PartState",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "apps.tenants.api.openapi.finish_document",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # It names a plugin, so it is script and not JSON: static/glassbox/api_docs.js.
    "SWAGGER_UI_SETTINGS": """{
        deepLinking: true, persistAuthorization: false, validatorUrl: null,
        syntaxHighlight: {theme: "obsidian"}, plugins: [GlassboxDocs],
    }""",
}

# --- Celery -------------------------------------------------------------------------------------------------------

CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
# Only JSON, in every direction: with pickles, an attacker who may write to the broker could run code.
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = CELERY_EVENT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = CELERY_RESULT_ACCEPT_CONTENT = ["json"]
CELERY_TASK_TIME_LIMIT = 3600
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
    "visibility_timeout": 3600,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
}
if env.named_process() is Process.WEB:
    CELERY_BROKER_TRANSPORT_OPTIONS |= SERVING_BROKER
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
CELERY_BEAT_SCHEDULER = "config.beat:ScheduleOfTheCode"
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    # Problems that must not go unnoticed, by mail to the operators (apps/tenants/alarms.py).
    "alarms": {"task": "apps.tenants.tasks.tell_alarms", "schedule": 60.0, "options": {"expires": 60}},
    "forget-expired-requests": {"task": "apps.tenants.tasks.forget_expired_requests", "schedule": 3600.0},
    "forget-ended-sessions": {"task": "apps.tenants.tasks.forget_ended_sessions", "schedule": 3600.0},
    "activate-due-policies": {"task": "apps.intents.tasks.activate_due_policies", "schedule": 30.0},
    "record-lapses": {"task": "apps.intents.tasks.record_lapses", "schedule": 60.0, "options": {"expires": 60}},
    # Policy versions that have waited for a review for days; whom it reminded stands in the log.
    "policy-reminders": {
        "task": "apps.intents.tasks.remind_of_reviews",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "remind-owners": {"task": "apps.intents.tasks.remind_owners", "schedule": 3600.0},
    # Jobs of every kind whose message was lost, or whose worker died (apps/tenants/leased_jobs.py).
    "jobs-sweep": {"task": "apps.tenants.tasks.sweep_jobs", "schedule": 30.0},
    # The message expires soon, since the next run finds what one run leaves.
    "audit-seal": {"task": "apps.audit.tasks.seal", "schedule": 1.0, "options": {"expires": 5}},
    "audit-checkpoint": {"task": "apps.audit.tasks.checkpoint", "schedule": 60.0, "options": {"expires": 60}},
    "audit-attest": {"task": "apps.audit.tasks.attest", "schedule": 60.0, "options": {"expires": 60}},
    # Once a night, after 02:40 UTC: the tenants that were not counted today.
    "retention-count": {"task": "apps.erasure.tasks.count_due", "schedule": 600.0, "options": {"expires": 600}},
    "letters-sweep": {"task": "apps.privacy.tasks.send_letters", "schedule": 60.0, "options": {"expires": 60}},
    # Approved removals whose message was lost, removals that wait for a seal, and those that a killed process left.
    "removal-sweep": {"task": "apps.erasure.tasks.sweep_removals", "schedule": 5.0, "options": {"expires": 5}},
    "removal-leftovers": {"task": "apps.erasure.tasks.remove_leftovers", "schedule": 60.0, "options": {"expires": 60}},
    # Certificates of finished erasures. Each erasure sends a message itself, and this makes up for a lost one.
    "certificates": {"task": "apps.erasure.tasks.issue_certificates", "schedule": 15.0, "options": {"expires": 15}},
    # The tenants that were not verified since the last night began, so a missed one is made up for.
    "audit-verification": {
        "task": "apps.audit.tasks.verification_sweep",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "webhooks": {"task": "apps.audit.tasks.webhooks_due", "schedule": 5.0, "options": {"expires": 5}},
    # Packages of requests for access, and what is known of the person after their end: thirty days, to the hour.
    "access-expiry": {"task": "apps.privacy.tasks.expire_access", "schedule": 3600.0},
    # Requests to a model whose process died: the log says of each how it ended, or that this is unknown.
    "model-calls": {"task": "apps.retrieval.tasks.record_unknown_ends", "schedule": 300.0, "options": {"expires": 300}},
    # Answers that the policy keeps for who asked, until their day is over.
    "answers-expiry": {"task": "apps.retrieval.tasks.forget_answers", "schedule": 3600.0},
    "research-expiry": {"task": "apps.research.tasks.forget_runs", "schedule": 3600.0},
    # Redacted versions whose message was lost.
    "redactions-sweep": {"task": "apps.privacy.tasks.send_redactions", "schedule": 30.0},
}
# Scheduled tasks and letters that somebody waits for never wait behind a document that is being read or a log that is
# verified, because they have a separate worker. So have the sequencer, and the eraser, which alone has the role that
# may remove. Documents wait only for one another. Webhooks are sent by the worker for long tasks, because a slow
# receiver can't be hurried.
CELERY_TASK_ROUTES: dict[str, dict[str, Any]] = {
    **{str(entry["task"]): {"queue": "clock"} for entry in CELERY_BEAT_SCHEDULE.values()},
    "apps.privacy.tasks.send_letter": {"queue": "clock"},
    "apps.tenants.tasks.password_link_ask": {"queue": "clock"},
    "apps.corpus.tasks.*": {"queue": "ingest"},
    "apps.audit.tasks.seal": {"queue": "log"},
    "apps.erasure.tasks.carry_out_removal": {"queue": "erasure"},
    "apps.erasure.tasks.sweep_removals": {"queue": "erasure"},
    "apps.erasure.tasks.remove_leftovers": {"queue": "erasure"},
}
CELERY_TIMEZONE = "UTC"
# How long a stopped worker may continue its current work before it gives the work back (config/serving.py).
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = float(env.integer("GLASSBOX_SOFT_STOP_SECONDS", default=0, minimum=0))
# How many documents this process reads at once; with more than one, one place is kept free of large documents.
GLASSBOX_INGEST_SLOTS = env.integer("GLASSBOX_INGEST_SLOTS", default=1, minimum=1)
# From this size on a document is large, and does not get the place that is kept for small ones.
GLASSBOX_INGEST_LARGE_BYTES = env.integer("GLASSBOX_INGEST_LARGE_BYTES", default=256 * 1024, minimum=1)

# --- E-mail -------------------------------------------------------------------------------------------------------

# Without EMAIL_HOST, letters are written to the log of the process that would send them.
# GLASSBOX_REQUIRE_SECOND_FACTOR: whether a decision requires a code of the decider's second factor;
# GLASSBOX_SECOND_FACTOR_SECONDS: how long a code counts.
GLASSBOX_REQUIRE_SECOND_FACTOR = env.boolean("GLASSBOX_REQUIRE_SECOND_FACTOR", default=True)
GLASSBOX_SECOND_FACTOR_SECONDS = env.integer("GLASSBOX_SECOND_FACTOR_SECONDS", default=600, minimum=60, maximum=3600)
# Where people open this installation: the beginning of links in letters.
GLASSBOX_URL = env.text("GLASSBOX_URL", default="http://localhost:8000")
EMAIL_HOST = env.text("GLASSBOX_EMAIL_HOST", default="")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = env.integer("GLASSBOX_EMAIL_PORT", default=587, minimum=1, maximum=65535)
EMAIL_HOST_USER = env.text("GLASSBOX_EMAIL_USER", default="")
EMAIL_HOST_PASSWORD = env.secret("GLASSBOX_EMAIL_PASSWORD", default="", minimum_length=1)
EMAIL_USE_TLS = env.boolean("GLASSBOX_EMAIL_TLS", default=True)
EMAIL_TIMEOUT = 10
# Addresses of the operators, separated by commas: each problem is reported to them once a day.
GLASSBOX_OPERATORS = env.items("GLASSBOX_OPERATORS", default=())
DEFAULT_FROM_EMAIL = env.text("GLASSBOX_EMAIL_FROM", default="glassbox@localhost")

# Lines for people, or JSON for a log collector; and whether each request is logged.
GLASSBOX_LOG_FORMAT = env.text("GLASSBOX_LOG_FORMAT", default="line")
GLASSBOX_LOG_LEVEL = env.text("GLASSBOX_LOG_LEVEL", default="WARNING")
LOGGING: dict[str, Any] = logging_settings(
    as_json=GLASSBOX_LOG_FORMAT == "json",
    level=GLASSBOX_LOG_LEVEL,
    access=env.boolean("GLASSBOX_ACCESS_LOG", default=False),
)
# The token to read /metrics; if it is empty, callers on this machine may read it if no proxy is in front.
GLASSBOX_METRICS_TOKEN = env.secret("GLASSBOX_METRICS_TOKEN", default="")

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
