"""Settings of a checkout: embedded services unless DATABASE_URL and REDIS_URL name others, and generated secrets.

The secrets are made on the first start.
"""

from __future__ import annotations

from apps.audit.log.notes import SigningKey
from config import env
from config.database import database_settings
from config.log_keys import SIGNING_ROLE, VERIFY_KEYS, verify_keys
from config.secrets import load_secrets, role_password
from config.services.layout import Layout, ServiceName
from config.settings.base import *  # noqa: F403
from config.settings.base import GLASSBOX_DB_ROLE, GLASSBOX_HOME, STORAGES

DEBUG = env.boolean("GLASSBOX_DEBUG", default=False)
GLASSBOX_REQUIRE_SECOND_FACTOR = env.boolean("GLASSBOX_REQUIRE_SECOND_FACTOR", default=False)
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]

# All secrets lie in one file of the checkout. A process that a supervisor started takes only its own, as in production.
_secrets = load_secrets(process=env.named_process())
_endpoints = Layout(GLASSBOX_HOME).endpoints()
# The services that this installation starts itself: those for which the environment names no server.
GLASSBOX_EMBEDDED_SERVICES = frozenset(
    service
    for service, variable in ((ServiceName.POSTGRES, "DATABASE_URL"), (ServiceName.REDIS, "REDIS_URL"))
    if not env.text(variable, default="")
)
DATABASE_URL = env.text("DATABASE_URL", default=f"postgresql:///glassbox?host={_endpoints.postgres_host}")

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

DATABASES = {
    "default": database_settings(
        url=DATABASE_URL,
        role=GLASSBOX_DB_ROLE,
        password=role_password(_secrets.database_passwords, GLASSBOX_DB_ROLE),
        application_name="glassbox",
        process=env.named_process(),
    ),
}
if "glassbox_owner" in _secrets.database_passwords:
    DATABASES["owner"] = database_settings(
        url=DATABASE_URL,
        role="glassbox_owner",
        password=_secrets.database_passwords["glassbox_owner"],
        application_name="glassbox-migrate",
        pool_size=0,
    )
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", default=env.text("REDIS_URL", default=_endpoints.broker_url))
CACHES = {
    "default": {
        "BACKEND": "config.cache.JsonRedisCache",
        "LOCATION": env.text("REDIS_URL", default=_endpoints.redis_url),
        "KEY_PREFIX": "glassbox",
    }
}
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
