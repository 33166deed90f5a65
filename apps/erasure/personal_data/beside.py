"""What lies beside the database: caches, tasks, folders, memory. See apps/erasure/personal_data/classification.py."""

from __future__ import annotations

from apps.erasure.declarations.classified import Sort
from apps.erasure.registry import classify


def classify_beside() -> None:
    classify(
        "cache:apps.audit.log.export.state",
        Sort.NONE,
        because="audit:export:<tenant>: size and time of the newest exported checkpoint; audit:attesting:<tenant>: "
        "which witnesses did not answer. Kept until overwritten.",
    )
    classify(
        "cache:apps.audit.log.lag", Sort.NONE, because="audit:lag-alarm:<tenant>: that an alarm was given; 5 minutes."
    )
    classify(
        "cache:apps.audit.verify.stating",
        Sort.NONE,
        because="audit:verified:<tenant>: the newest exported note of a verification: its state, its time and a digest "
        "of its counts. Kept until overwritten.",
    )
    classify(
        "cache:apps.tenants.watchdog",
        Sort.NONE,
        because="watchdog:ended: the database's roles of which a session was ended; an hour.",
    )
    classify(
        "cache:apps.tenants.clock", Sort.NONE, because="clock:<task>: when a task of the schedule last ended well."
    )
    classify(
        "cache:apps.tenants.waiting",
        Sort.NONE,
        because="waiting:<work>: how much waits for a worker over all tenants, and since when; ten minutes.",
    )
    classify(
        "cache:apps.tenants.sweeping",
        Sort.NONE,
        because="sweep:failed:<what>: ids of tenants for which something failed that is done by the clock; a day.",
    )
    classify(
        "cache:apps.tenants.alarm_mail",
        Sort.NONE,
        because="alarm:told:<day>:<what>:<tenant>: that the operators were told of an alarm; two days.",
    )
    classify(
        "cache:apps.tenants.api.throttling",
        Sort.IDENTIFIER,
        because="throttle:<tenant>:<kind>:<id>: times of the calls that an account or a key made; one minute.",
        cleared_by="tenants.rate_counters",
    )
    classify(
        "cache:apps.tenants.counting",
        Sort.NONE,
        because="Counts under the keys of throttling and attempts; names none.",
    )
    classify("cache:apps.tenants.tally", Sort.NONE, because="How often what happened, of all tenants together.")
    classify("memory:config.release", Sort.NONE, because="The version and the commit.")
    classify(
        "cache:apps.tenants.attempts",
        Sort.DERIVED,
        because="attempts:<what>:<keyed digest>: how many sign-ins of a name or an address failed, or a key's secrets.",
        stays="For GLASSBOX_FAILURE_WINDOW_SECONDS (15 minutes); only the installation's key makes such a digest.",
    )
    classify(
        "cache:apps.erasure.stores.counters", Sort.NONE, because="Clears what throttling wrote, and writes nothing."
    )
    classify(
        "memory:apps.audit.keys.data_keys",
        Sort.CREDENTIAL,
        because="Data keys that the process has used lately, unwrapped.",
        stays="Five minutes in the memory of a process, and not after its end.",
    )
    classify(
        "memory:apps.audit.log.export.s3",
        Sort.CREDENTIAL,
        because="Clients of the object store, with the keys that the settings or a role gave.",
        stays="As long as the process, which was started with them.",
    )
    classify("memory:apps.tenants.api.probes", Sort.NONE, because="Whether the platform's parts work; two seconds.")
    classify(
        "memory:apps.tenants.api.media_types",
        Sort.NONE,
        because="Renderers by media type; there are as many as the code names.",
    )
    classify("memory:apps.tenants.api.schema", Sort.NONE, because="The description of the API.")
    for name in (
        "apps.audit.tasks.seal",
        "apps.audit.tasks.checkpoint",
        "apps.audit.tasks.attest",
        "apps.erasure.tasks.issue_certificates",
    ):
        classify(f"task:{name}", Sort.NONE, because="Without arguments.")
    for name in ("forget_ended_sessions", "forget_expired_requests", "sweep_jobs", "tell_alarms"):
        classify(f"task:apps.tenants.tasks.{name}", Sort.NONE, because="Without arguments.")
    classify(
        "task:apps.tenants.tasks.password_link_ask",
        Sort.IDENTIFIER,
        because="The sign-in name that somebody forgot the password of.",
        stays="Until a worker has taken it, which is a moment; an hour at most.",
    )
    classify("folder:checkpoints", Sort.NONE, because="Sizes, digests and signatures of logs, under the tenants' ids.")
    classify(
        "folder:tombstones",
        Sort.NONE,
        because="Ids of what was removed, which lead to nothing, and digests under keys that are in no database.",
    )
    classify(
        "folder:postgres",
        Sort.CONTENT,
        because="The embedded server's files: what is gone from the tables lies in them until they are rewritten.",
        stays="Until the physical phase, which rewrites what it can and says what it can't.",
    )
    classify(
        "folder:erasure",
        Sort.SEALED,
        because="What is looked for after an erasure, sealed under a key of its own that is wrapped by one that is not "
        "in the folder's backups: a sample of what was removed.",
        stays="Until the scan that it is there for was clean; then it is overwritten and removed.",
    )
    classify(
        "folder:databases",
        Sort.SEALED,
        because="As erasure, of what a restore brought back into another database than the configured one.",
        stays="Until that database is proven, and the scan was clean; then it is overwritten and removed.",
    )
    classify("folder:baseline", Sort.NONE, because="The catalogue of a freshly made PostgreSQL, in which nobody is.")
    classify("folder:redis", Sort.NONE, because="Empty: the embedded Redis keeps nothing on the disk.")
    classify(
        "folder:log",
        Sort.LOG,
        because="Lines of the processes: ids, counts and codes. Without an e-mail server, letters to people, too.",
        stays="Until it is rotated, at most: the physical phase looks through it. Statements, values and texts are not "
        "written (config/services/postgres.py).",
    )
    classify("folder:run", Sort.NONE, because="Locks and process ids.")
    classify("folder:static", Sort.NONE, because="Pictures, styles and scripts.")
    for name in ("folder:secrets.json", "folder:secrets.lock"):
        classify(
            name,
            Sort.CREDENTIAL,
            because="The installation's own keys.",
            stays="They are nobody's, and everything is signed and sealed by them.",
        )
    classify(
        "folder:demo.json",
        Sort.CREDENTIAL,
        because="Names and passwords of the demo's made-up people.",
        stays="Until it is deleted: they are made up, and end with the demo's tenants.",
    )
