"""What Redis holds of a person for a minute: how often they called the API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from django.conf import settings
from django.core.cache import cache
from redis import Redis

from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.stores.rows import ids
from apps.tenants.context import current_scope

# As apps/tenants/api/throttling.py writes them.
_OF_PERSON: Final = "throttle:{tenant}:user:{user}"
_OF_TENANT: Final = "throttle:{tenant}:*"


class RateCounters:
    """Redis knows no transaction of ours: what is cleared is gone even where the transaction is rolled back.

    Without Redis it raises RedisError, since nobody can say then that nothing is there.
    """

    key = "tenants.rate_counters"
    label = "Counters of API calls"
    phase = Phase.CACHES
    types = frozenset({TargetType.USER, TargetType.TENANT})

    def count(self, targets: Sequence[Target]) -> int:
        with redis_client() as client:
            return sum(1 for _ in self._found(client, targets))

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        with redis_client() as client:
            names = list(islice(self._found(client, targets), limit))
            return int(client.delete(*names)) if names else 0

    def _found(self, client: Redis, targets: Sequence[Target]) -> Iterator[bytes]:
        """Costs: a look for each person; for a tenant, a walk over all keys, as Redis has no other way."""
        tenant = current_scope().tenant_id
        if tenant in ids(targets, TargetType.TENANT):
            # A walk may come by a key twice.
            yield from set(client.scan_iter(match=cache.make_key(_OF_TENANT.format(tenant=tenant)), count=1_000))
            return
        for user in ids(targets, TargetType.USER):
            name = cache.make_key(_OF_PERSON.format(tenant=tenant, user=user)).encode()
            if client.exists(name):
                yield name


def redis_client() -> Redis:
    return Redis.from_url(settings.CACHES["default"]["LOCATION"])
