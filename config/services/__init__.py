"""The embedded PostgreSQL and Redis, used where DATABASE_URL and REDIS_URL name no others.

layout    where things lie and how they are reached
access    join, leave, stop, ask
keeper    the process that starts, watches and stops a service
postgres, cluster, redis    the servers themselves
"""

from .access import endpoints, ensure_services, release_services, shared_descriptors, status, stop_services
from .errors import ServiceError
from .layout import Durability, Endpoints, ServiceName
from .state import Phase, ServiceState

__all__ = [
    "Durability",
    "Endpoints",
    "Phase",
    "ServiceError",
    "ServiceName",
    "ServiceState",
    "endpoints",
    "ensure_services",
    "release_services",
    "shared_descriptors",
    "status",
    "stop_services",
]
