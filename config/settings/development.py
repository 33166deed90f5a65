"""A checkout: embedded services unless DATABASE_URL and REDIS_URL name others, and secrets made on the first start."""

from __future__ import annotations

from apps.audit.log.notes import SigningKey
from config import env
from config.database import database_settings
from config.log_keys import SIGNING_ROLE, VERIFY_KEYS, verify_keys
from config.secrets import load_secrets
from config.services.layout import Layout, ServiceName
from config.settings.base import *  # noqa: F403
from config.settings.base import GLASSBOX_DB_ROLE, GLASSBOX_HOME, STORAGES

DEBUG = env.boolean("GLASSBOX_DEBUG", default=False)
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]

_secrets = load_secrets()
_endpoints = Layout(GLASSBOX_HOME).endpoints()
# What this installation starts itself: whatever the environment names no server for.
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
if _secrets.log_seed is None:
    raise AssertionError("a checkout makes its own key")
_log_key = SigningKey(name=_secrets.log_seed.kid, seed=_secrets.log_seed.seed)
GLASSBOX_LOG_SIGNING_KEY = _log_key if GLASSBOX_DB_ROLE == SIGNING_ROLE else None
GLASSBOX_LOG_VERIFY_KEYS = verify_keys(_log_key, env.items(VERIFY_KEYS, default=()))

DATABASES = {
    "default": database_settings(
        url=DATABASE_URL,
        role=GLASSBOX_DB_ROLE,
        password=_secrets.database_passwords[GLASSBOX_DB_ROLE],
        application_name="glassbox",
    ),
    "owner": database_settings(
        url=DATABASE_URL,
        role="glassbox_owner",
        password=_secrets.database_passwords["glassbox_owner"],
        application_name="glassbox-migrate",
        pool_size=0,
    ),
}
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", default=env.text("REDIS_URL", default=_endpoints.broker_url))
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": env.text("REDIS_URL", default=_endpoints.redis_url),
        "KEY_PREFIX": "glassbox",
    }
}
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
