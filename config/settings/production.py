"""Settings of a served installation: external PostgreSQL and Redis, secrets from the environment, HTTPS.

An installation without these refuses to start. Each process takes only the secrets that config/needs.py lists for it.
"""

from __future__ import annotations

from apps.audit.log.notes import SigningKey
from config import env
from config.cache import SERVING_BROKER
from config.database import database_settings
from config.log_keys import VERIFY_KEYS, verify_keys
from config.needs import Process
from config.operations.logs import logging_settings
from config.secrets import required_secrets, role_password, secret_texts
from config.services.layout import ServiceName
from config.settings.base import *  # noqa: F403
from config.settings.base import CELERY_BROKER_TRANSPORT_OPTIONS, GLASSBOX_DB_ROLE, GLASSBOX_PROCESS

GLASSBOX_EMBEDDED_SERVICES: frozenset[ServiceName] = frozenset()

with env.collecting() as _env:
    DATABASE_URL = _env.url("DATABASE_URL", schemes=("postgresql", "postgres"))
    _redis_url = _env.url("REDIS_URL", schemes=("redis", "rediss", "unix"))
    ALLOWED_HOSTS = list(_env.items("DJANGO_ALLOWED_HOSTS"))
    _texts = secret_texts(_env, GLASSBOX_PROCESS, role=GLASSBOX_DB_ROLE)
_secrets = required_secrets(_texts)

SECRET_KEY = _secrets.django_secret_key
GLASSBOX_SCOPE_KEYS = _secrets.scope_token_keys
GLASSBOX_AUDIT_KEY = _secrets.audit_master_key
GLASSBOX_AUDIT_KEKS = _secrets.audit_keks
GLASSBOX_DB_PASSWORDS = _secrets.database_passwords
_seed = _secrets.log_seed
GLASSBOX_LOG_SIGNING_KEY = None if _seed is None else SigningKey(name=_seed.kid, seed=_seed.seed)
GLASSBOX_LOG_VERIFY_KEYS = verify_keys(GLASSBOX_LOG_SIGNING_KEY, env.items(VERIFY_KEYS, default=()))
GLASSBOX_URL = env.text("GLASSBOX_URL", default=f"https://{ALLOWED_HOSTS[0].removeprefix('.')}")
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if not host.startswith(".")]

_pool_size = env.integer("GLASSBOX_DB_POOL", default=8, minimum=1)
DATABASES = {
    "default": database_settings(
        url=DATABASE_URL,
        role=GLASSBOX_DB_ROLE,
        password=role_password(_secrets.database_passwords, GLASSBOX_DB_ROLE),
        application_name="glassbox",
        pool_size=_pool_size,
        process=GLASSBOX_PROCESS,
    ),
}
# Only processes that make tables have the owner's password.
if "glassbox_owner" in _secrets.database_passwords:
    DATABASES["owner"] = database_settings(
        url=DATABASE_URL,
        role="glassbox_owner",
        password=_secrets.database_passwords["glassbox_owner"],
        application_name="glassbox-migrate",
        pool_size=0,
    )
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", default=env.broker_url(_redis_url))
# With a prefix, Redis can limit the broker's user to the broker's keys, and the cache's user to the cache's (README,
# Redis).
CELERY_BROKER_TRANSPORT_OPTIONS = {**CELERY_BROKER_TRANSPORT_OPTIONS, "global_keyprefix": "glassbox:broker:"}
if GLASSBOX_PROCESS is Process.WEB:
    CELERY_BROKER_TRANSPORT_OPTIONS |= SERVING_BROKER
CACHES = {
    "default": {
        "BACKEND": "config.cache.JsonRedisCache",
        "LOCATION": _redis_url,
        "KEY_PREFIX": "glassbox",
    }
}

# One by default: the proxy that ends TLS.
GLASSBOX_PROXIES = env.integer("GLASSBOX_PROXIES", default=1, minimum=0)
SECURE_SSL_REDIRECT = env.boolean("GLASSBOX_SSL_REDIRECT", default=True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = env.integer("GLASSBOX_HSTS_SECONDS", default=31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
GLASSBOX_LOG_FORMAT = env.text("GLASSBOX_LOG_FORMAT", default="json")
LOGGING = logging_settings(
    as_json=GLASSBOX_LOG_FORMAT == "json",
    level=env.text("GLASSBOX_LOG_LEVEL", default="INFO"),
    access=env.boolean("GLASSBOX_ACCESS_LOG", default=True),
)
