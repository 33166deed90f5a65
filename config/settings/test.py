"""Settings of the tests: the same services and roles; each worker has its own servers, state folder and database."""

from __future__ import annotations

import os

from apps.audit.log.notes import SigningKey
from config import env
from config.database import database_settings
from config.log_keys import SIGNING_ROLE, VERIFY_KEYS, verify_keys
from config.secrets import load_secrets, role_password
from config.services.layout import Layout, ServiceName
from config.settings.base import *  # noqa: F403
from config.settings.base import CELERY_BROKER_TRANSPORT_OPTIONS, GLASSBOX_DB_ROLE, REST_FRAMEWORK, STORAGES

# Each worker has its own servers, because what VACUUM may remove and what WAL contains concerns the whole server: a
# physical proof would wait for another worker's transactions, and find the words that its tests write meanwhile.
_worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
GLASSBOX_HOME = env.home() / "test" / _worker
GLASSBOX_EMBEDDED_SERVICES = frozenset(ServiceName)
GLASSBOX_REQUIRE_SECOND_FACTOR = False
ALLOWED_HOSTS = ["*"]

_secrets = load_secrets(GLASSBOX_HOME, process=env.named_process())
_endpoints = Layout(GLASSBOX_HOME).endpoints()
# Two runs at the same time share only the servers. A process that a test starts inherits the names.
_run = os.environ.setdefault("GLASSBOX_TEST_RUN", str(os.getpid()))
# The model's threads sleep while they wait for one another. By default they wait actively, which is faster with enough
# cores. With more processes than cores, they slow each other down: 7 s of waiting for 1 s of vectors.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

TEST_DATABASE = f"glassbox_test_{_run}_{_worker}"
DATABASE_URL = f"postgresql:///{TEST_DATABASE}?host={_endpoints.postgres_host}"

SECRET_KEY = _secrets.django_secret_key
GLASSBOX_SCOPE_KEYS = _secrets.scope_token_keys
GLASSBOX_AUDIT_KEY = _secrets.audit_master_key
GLASSBOX_AUDIT_KEKS = _secrets.audit_keks
GLASSBOX_DB_PASSWORDS = _secrets.database_passwords
# Every process has the public key; only the processes that sign have the private one.
_seed = load_secrets(GLASSBOX_HOME).log_seed
if _seed is None:
    raise AssertionError("a checkout makes its own key")
_log_key = SigningKey(name=_seed.kid, seed=_seed.seed)
GLASSBOX_LOG_SIGNING_KEY = _log_key if _secrets.log_seed and GLASSBOX_DB_ROLE == SIGNING_ROLE else None
GLASSBOX_LOG_VERIFY_KEYS = verify_keys(_log_key, env.items(VERIFY_KEYS, default=()))
GLASSBOX_CHECKPOINT_URL = str(GLASSBOX_HOME / "checkpoints" / TEST_DATABASE)
GLASSBOX_TOMBSTONES_URL = env.text("GLASSBOX_TOMBSTONES_URL", default=str(GLASSBOX_HOME / "tombstones" / TEST_DATABASE))
GLASSBOX_WARM_UP = env.boolean("GLASSBOX_WARM_UP", default=False)
GLASSBOX_REQUIRE_REPLAY = env.boolean("GLASSBOX_REQUIRE_REPLAY", default=False)

DATABASES = {
    "default": database_settings(
        url=DATABASE_URL,
        role=GLASSBOX_DB_ROLE,
        password=role_password(_secrets.database_passwords, GLASSBOX_DB_ROLE),
        application_name="glassbox-test",
        process=env.named_process(),
    ),
}
if "glassbox_owner" in _secrets.database_passwords:
    DATABASES["owner"] = database_settings(
        url=DATABASE_URL,
        role="glassbox_owner",
        password=_secrets.database_passwords["glassbox_owner"],
        application_name="glassbox-test-owner",
        pool_size=0,
    )
# Which plans PostgreSQL makes (plan_cache_mode). By default, from the sixth use in a session on, it changes from plans
# for the given values to one for all values, and only some plans refuse what a role may not read.
_plans = env.text("GLASSBOX_TEST_PLAN_CACHE_MODE", default="")
if _plans:
    for _database in DATABASES.values():
        _database["OPTIONS"]["options"] += f" -c plan_cache_mode={_plans}"
    # For connections without Django, through libpq's own variable.
    os.environ["PGOPTIONS"] = f"-c plan_cache_mode={_plans}"
CELERY_BROKER_URL = _endpoints.broker_url
CELERY_BROKER_TRANSPORT_OPTIONS = {**CELERY_BROKER_TRANSPORT_OPTIONS, "global_keyprefix": f"{TEST_DATABASE}:"}
CACHES = {
    "default": {
        "BACKEND": "config.cache.JsonRedisCache",
        "LOCATION": _endpoints.redis_url,
        "KEY_PREFIX": TEST_DATABASE,
    }
}
# Tests of the physical proof turn it on: it needs the server's administrator, and takes seconds.
GLASSBOX_PHYSICAL_ORIGINS = frozenset()
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"principal": "10000/min"}}
# Tests that fail to sign in share a window; tests of the limits set their own.
GLASSBOX_SIGN_IN_FAILURES = GLASSBOX_SIGN_IN_FAILURES_OF_NAME = GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS = 10_000
GLASSBOX_KEY_FAILURES = 10_000
