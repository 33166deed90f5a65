"""The embedded PostgreSQL and Redis, used if DATABASE_URL and REDIS_URL name no other servers.

layout    where files lie and how the services are reached
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
