"""What lies beside the database, which no model can declare: caches, tasks, folders, memories of processes.

The names are those of places.py.
"""

from __future__ import annotations

from typing import Final

from apps.tenants.personal_data import Fields, Sort, reasons

CACHES: Final = (
    Fields(
        "cache:apps.audit.log.export.state",
        Sort.NONE,
        because="audit:export:<tenant>: size and time of the newest exported checkpoint; audit:attesting:<tenant>: "
        "which witnesses did not answer. Kept until overwritten.",
    ),
    Fields(
        "cache:apps.audit.log.lag", Sort.NONE, because="audit:lag-alarm:<tenant>: that an alarm was given; 5 minutes."
    ),
    Fields(
        "cache:apps.audit.verify.stating",
        Sort.NONE,
        because="audit:verified:<tenant>: the newest exported note of a verification: its state, its time and a "
        "digest of its counts. Kept until overwritten.",
    ),
    Fields(
        "cache:apps.tenants.watchdog",
        Sort.NONE,
        because="watchdog:ended: the database's roles of which a session was ended; an hour.",
    ),
    Fields("cache:apps.tenants.clock", Sort.NONE, because="clock:<task>: when a task of the schedule last ended well."),
    Fields(
        "cache:apps.tenants.waiting",
        Sort.NONE,
        because="waiting:<work>: how much waits for a worker over all tenants, and since when; ten minutes.",
    ),
    Fields(
        "cache:apps.tenants.sweeping",
        Sort.NONE,
        because="sweep:failed:<what>: ids of tenants for which something failed that is done by the clock; a day.",
    ),
    Fields(
        "cache:apps.tenants.alarm_mail",
        Sort.NONE,
        because="alarm:told:<day>:<what>:<tenant>: that the operators were told of an alarm; two days.",
    ),
    Fields(
        "cache:apps.tenants.api.throttling",
        Sort.IDENTIFIER,
        because="throttle:<tenant>:<kind>:<id>: times of the calls that an account or a key made; one minute.",
        cleared_by="tenants.rate_counters",
        withheld=reasons.MOMENTARY,
    ),
    Fields(
        "cache:apps.tenants.api.idempotency",
        Sort.DERIVED,
        because="idempotency:<keyed digest>: that a question is being answered for a client's key; until it is.",
        stays="For three minutes at most; only the installation's key makes such a digest.",
        withheld=reasons.MOMENTARY,
    ),
    Fields(
        "cache:apps.retrieval.admin.ask_progress",
        Sort.IDENTIFIER,
        because="ask:<tenant>:<account>:<random>: which stages of a person's question have ended, by name; no words.",
        stays="For three minutes.",
        withheld=reasons.MOMENTARY,
    ),
    Fields(
        "cache:apps.retrieval.services.answerable_examples", Sort.NONE, because="Which examples are answered, by id."
    ),
    Fields(
        "cache:apps.retrieval.kept.momentary",
        Sort.SEALED,
        because="answer:<tenant>:<account>:<event>: the answer that somebody was given a moment ago, sealed under a "
        "key of their session; fifteen minutes.",
        cleared_by="retrieval.answers_just_given",
        withheld=reasons.MOMENTARY,
    ),
    Fields(
        "cache:apps.research.runs.sealing",
        Sort.NONE,
        because="research:<tenant>:<run>: the key of what research says whose texts are not kept; fifteen minutes. "
        "Without the row it opens nothing.",
    ),
    Fields(
        "cache:apps.research.runs.streaming",
        Sort.NONE,
        because="research:streams:<tenant>: until when streams of events are open, under random names.",
    ),
    Fields(
        "cache:apps.tenants.counting",
        Sort.NONE,
        because="Counts under the keys of throttling and attempts; names none.",
    ),
    Fields("cache:apps.tenants.tally", Sort.NONE, because="How often what happened, of all tenants together."),
    Fields(
        "cache:apps.tenants.attempts",
        Sort.DERIVED,
        because="attempts:<what>:<keyed digest>: how many sign-ins of a name or an address failed, or a key's secrets.",
        stays="For GLASSBOX_FAILURE_WINDOW_SECONDS (15 minutes); only the installation's key makes such a digest.",
        withheld=reasons.MOMENTARY,
    ),
    Fields(
        "cache:apps.erasure.stores.counters", Sort.NONE, because="Clears what throttling wrote, and writes nothing."
    ),
    Fields(
        "cache:apps.corpus.services.page_image_cache",
        Sort.CONTENT,
        because="page_image:<tenant>:<scope>:<document>:<digest>:<page>:<scale>: a page that somebody looked at, as an "
        "image, with its characters and their places; ten minutes.",
        cleared_by="corpus.page_images",
        withheld=reasons.CONTENT,
    ),
    Fields(
        "cache:apps.corpus.services.ingest.turns",
        Sort.NONE,
        because="ingest:served:<tenant>: when a document of the tenant was last taken up; a day.",
    ),
)
MEMORIES: Final = (
    Fields("memory:config.release", Sort.NONE, because="The version and the commit."),
    Fields(
        "memory:apps.audit.keys.data_keys",
        Sort.CREDENTIAL,
        because="Data keys that the process has used lately, unwrapped.",
        stays="Five minutes in the memory of a process, and not after its end.",
        withheld=reasons.A_PROOF,
    ),
    Fields(
        "memory:apps.audit.log.export.s3",
        Sort.CREDENTIAL,
        because="Clients of the object store, with the keys that the settings or a role gave.",
        stays="As long as the process, which was started with them.",
        withheld=reasons.A_PROOF,
    ),
    Fields("memory:apps.tenants.api.probes", Sort.NONE, because="Whether the platform's parts work; two seconds."),
    Fields(
        "memory:apps.tenants.api.media_types",
        Sort.NONE,
        because="Renderers by media type; there are as many as the code names.",
    ),
    Fields(
        "memory:apps.research.doors.mcp.asking", Sort.NONE, because="Who answers requests in this process: no request."
    ),
    Fields("memory:apps.tenants.api.schema", Sort.NONE, because="The description of the API."),
    Fields("memory:apps.audit.fast_leaves", Sort.NONE, because="Texts of times of day and of codes, for leaves."),
    Fields("memory:apps.audit.webhooks.sending", Sort.NONE, because="Certificates of authorities that are trusted."),
    Fields(
        "memory:apps.corpus.terms",
        Sort.DERIVED,
        because="Words of any tenant's texts with their stems, without where they stood.",
        stays=reasons.ENDS_WITH_PROCESS,
        withheld=reasons.CONTENT,
    ),
    Fields(
        "memory:apps.corpus.extraction.numerals",
        Sort.DERIVED,
        because="Cells of tables that look like numbers or years, without where they stood.",
        stays=reasons.ENDS_WITH_PROCESS,
        withheld=reasons.CONTENT,
    ),
    Fields(
        "memory:apps.corpus.reader.process",
        Sort.NONE,
        because="Which parts of the sandbox this machine was said to lack.",
    ),
    Fields(
        "memory:apps.corpus.reader.sandbox.seccomp",
        Sort.NONE,
        because="The filter of system calls, which is the same for every file.",
    ),
    Fields("memory:apps.corpus.tokens", Sort.NONE, because="A program's vocabulary, which is the same for everybody."),
    Fields(
        "memory:apps.privacy.people.normalise memory:apps.privacy.people.variants",
        Sort.CONTENT,
        because="Single words of what was searched for a person, each by itself.",
        stays="Until other words push them out, in the memory of a process, and not after its end.",
        withheld=reasons.CONTENT,
    ),
    Fields(
        "memory:apps.intents.matching memory:apps.intents.profile.matching",
        Sort.FREE_TEXT,
        because="Terms of policies with their stems.",
        stays="In the memory of a process: gone when it ends.",
        withheld=reasons.OF_THE_POLICY,
    ),
    Fields("memory:apps.intents.profile.folding", Sort.NONE, because="Single letters and digits, each by itself."),
    Fields(
        "memory:apps.filings.text.mentions",
        Sort.DERIVED,
        because="Patterns made of names of companies and of words of questions.",
        stays=reasons.ENDS_WITH_PROCESS,
        withheld="Patterns made from names of companies and words of questions, in a program's memory until it ends.",
    ),
    Fields(
        "memory:apps.retrieval.stages.figures.lines memory:apps.retrieval.stages.figures.calculating.asked_names "
        "memory:apps.retrieval.stages.grounding.labels memory:apps.retrieval.stages.grounding.moving_words "
        "memory:apps.retrieval.stages.grounding.paraphrase memory:apps.retrieval.stages.grounding.wording "
        "memory:apps.retrieval.stages.question.parsing memory:apps.retrieval.stages.quoting.headed "
        "memory:apps.filings.vocabulary.concepts memory:apps.filings.graph.named_concepts "
        "memory:apps.filings.graph.organisations memory:apps.filings.graph.places "
        "memory:apps.filings.graph.regulations",
        Sort.NONE,
        because="Lists of words by language that come with the release, and the parser, which forgets what it reads.",
    ),
    Fields(
        "memory:apps.retrieval.stages.question.jurisdiction_names",
        Sort.DERIVED,
        because="Codes of countries for what documents state as their jurisdiction.",
        stays=reasons.ENDS_WITH_PROCESS,
        withheld="Country codes for the law that documents state, in a program's memory until it ends.",
    ),
    Fields("memory:apps.retrieval.api.problem_types", Sort.NONE, because="The codes that the API answers with."),
    Fields("memory:apps.retrieval.api.changelog", Sort.NONE, because="A file of the release's own."),
)
TASKS: Final = (
    Fields(
        "task:apps.audit.tasks.seal task:apps.audit.tasks.checkpoint task:apps.audit.tasks.attest "
        "task:apps.erasure.tasks.issue_certificates task:apps.tenants.tasks.forget_ended_sessions "
        "task:apps.tenants.tasks.forget_expired_requests task:apps.tenants.tasks.sweep_jobs "
        "task:apps.tenants.tasks.tell_alarms "
        "task:apps.erasure.tasks.count_due task:apps.privacy.tasks.expire_access "
        "task:apps.retrieval.tasks.forget_answers task:apps.research.tasks.forget_runs "
        "task:apps.privacy.tasks.send_redactions task:apps.audit.tasks.webhooks_due "
        "task:apps.corpus.tasks.run_next "
        "task:apps.intents.tasks.activate_due_policies task:apps.intents.tasks.remind_of_reviews "
        "task:apps.intents.tasks.remind_owners task:apps.intents.tasks.record_lapses "
        "task:apps.retrieval.tasks.record_unknown_ends",
        Sort.NONE,
        because="Without arguments.",
    ),
    Fields(
        "task:apps.tenants.tasks.password_link_ask",
        Sort.IDENTIFIER,
        because="The sign-in name that somebody forgot the password of.",
        stays="Until a worker has taken it, which is a moment; an hour at most.",
        withheld=reasons.MAILED,
    ),
    Fields(
        "task:apps.erasure.tasks.carry_out_removal task:apps.erasure.tasks.sweep_removals "
        "task:apps.erasure.tasks.remove_leftovers",
        Sort.NONE,
        because="Ids of a tenant and a run, or nothing.",
    ),
    Fields(
        "task:apps.privacy.tasks.send_letter task:apps.privacy.tasks.send_letters",
        Sort.NONE,
        because="Ids of a tenant and a letter, or nothing.",
    ),
    Fields(
        "task:apps.audit.tasks.run_verification task:apps.audit.tasks.verification_sweep",
        Sort.NONE,
        because="Ids of a tenant and a verification, or nothing.",
    ),
    Fields(
        "task:apps.privacy.tasks.run_inventory task:apps.privacy.tasks.redact_inventory",
        Sort.NONE,
        because="Ids of the tenant and of a row.",
    ),
    Fields("task:apps.audit.tasks.deliver_webhook", Sort.NONE, because="Ids of the tenant, of a row and of scopes."),
    Fields("task:apps.retrieval.tasks.run_impact", Sort.NONE, because="Ids of a tenant and a preview."),
    Fields("task:apps.research.tasks.carry_out_run", Sort.NONE, because="Ids of a tenant and a run."),
)
FOLDERS: Final = (
    Fields("folder:checkpoints", Sort.NONE, because="Sizes, digests and signatures of logs, under the tenants' ids."),
    Fields(
        "folder:tombstones",
        Sort.NONE,
        because="Ids of what was removed, which lead to nothing, and digests under keys that are in no database.",
    ),
    Fields(
        "folder:postgres",
        Sort.CONTENT,
        because="The embedded server's files: what is gone from the tables lies in them until they are rewritten.",
        stays="Until the physical phase, which rewrites what it can and says what it can't.",
        withheld=reasons.OPERATIONS,
    ),
    Fields(
        "folder:erasure",
        Sort.SEALED,
        because="What is looked for after an erasure, sealed under a key of its own that is wrapped by one that is "
        "not in the folder's backups: a sample of what was removed.",
        stays="Until the scan that it is there for was clean; then it is overwritten and removed.",
        withheld=reasons.OPERATIONS,
    ),
    Fields(
        "folder:databases",
        Sort.SEALED,
        because="As erasure, of what a restore brought back into another database than the configured one.",
        stays="Until that database is proven, and the scan was clean; then it is overwritten and removed.",
        withheld=reasons.OPERATIONS,
    ),
    Fields("folder:baseline", Sort.NONE, because="The catalogue of a freshly made PostgreSQL, in which nobody is."),
    Fields("folder:redis", Sort.NONE, because="Empty: the embedded Redis keeps nothing on the disk."),
    Fields(
        "folder:log",
        Sort.LOG,
        because="Lines of the processes: ids, counts and codes. Without an e-mail server, letters to people, too.",
        stays="Until it is rotated, at most: the physical phase looks through it. Statements, values and texts "
        "are not written (config/services/postgres.py).",
        withheld=reasons.OPERATIONS,
    ),
    Fields("folder:run", Sort.NONE, because="Locks and process ids."),
    Fields("folder:static", Sort.NONE, because="Pictures, styles and scripts."),
    Fields(
        "folder:secrets.json folder:secrets.lock",
        Sort.CREDENTIAL,
        because="The installation's own keys.",
        stays="They are nobody's, and everything is signed and sealed by them.",
        withheld=reasons.A_PROOF,
    ),
    Fields(
        "folder:demo.json",
        Sort.CREDENTIAL,
        because="Names and passwords of the demo's made-up people.",
        stays="Until it is deleted: they are made up, and end with the demo's tenants.",
        withheld=reasons.A_PROOF,
    ),
)
BESIDE: Final = (*CACHES, *MEMORIES, *TASKS, *FOLDERS)
