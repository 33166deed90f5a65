"""Going over many things by the clock: each by itself, failures told, and no time in a row keeps one waiting for ever.

A sweep that stops at the first thing that is damaged does nothing for all that come after it, every time anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, TypeVar

from django.core.cache import cache
from django.db.models import Q
from redis.exceptions import RedisError

from apps.errors import ApplicationError
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants

logger = logging.getLogger("glassbox.sweep")

# No lease and no wait of ours is longer: one that is was written by somebody else, or under another clock.
LONGEST_WAIT: Final = timedelta(hours=12)
# Told to whoever asks for so long; a sweep that goes on tells it anew each time.
_TOLD_FOR_S: Final = 26 * 3600
_KEY: Final = "sweep:failed:{doing}"

Item = TypeVar("Item")


class SweepIncompleteError(ApplicationError):
    """Of several things some were not done; the rest was."""

    code = "sweep.incomplete"
    status = 500
    message = "{failed} could not be done of: {doing}. The log says which."


class Sweep(StrEnum):
    """What is done by the clock for one tenant after another, in words for a log and for people."""

    REQUESTS = "forget expired requests"
    DOCUMENTS = "send due documents again"
    POLICIES = "put approved policies in force"
    IMPACTS = "send due impact previews again"
    SEAL = "seal the log"
    CHECKPOINTS = "sign and export checkpoints"
    ATTESTATIONS = "have checkpoints attested"
    VERIFY = "verify the log once a night"
    COUNT = "count what is due by the retention rules"
    LETTERS = "send letters that are due"
    SEARCHES = "send due searches for people again"
    PACKAGES = "remove expired packages"
    REMOVALS = "carry out approved removals"
    LEFTOVERS = "remove what the log authorises"
    WEBHOOKS = "tell webhooks of events"
    CERTIFICATES = "issue certificates of erasures"


def each_by_itself(items: Iterable[Item], work: Callable[[Item], int], *, doing: str) -> int:
    """Do it for each; what fails is logged by what it is, and keeps no other waiting.

    Args:    work: opens its own transactions. doing: what for, in a log's words, such as "send due jobs again".
    Returns: the sum of what `work` returned.
    Raises:  SweepIncompleteError: after all of them, where some failed.
    """
    done, failed = _each(items, work, doing=doing)
    if failed:
        raise SweepIncompleteError(doing=doing, failed=len(failed))
    return done


def each_tenant(
    work: Callable[[TenantId], int],
    *,
    doing: Sweep,
    tenants: Iterable[TenantId] | None = None,
    rank: Callable[[TenantId], float] | None = None,
) -> int:
    """The same for every tenant, whatever its status; `failing` tells for which it failed last.

    Args: tenants: these alone. rank: the lowest first; None for any order.
    """
    every = [TenantId(each.id) for each in all_tenants()] if tenants is None else [*tenants]
    if rank is not None:
        every.sort(key=rank)
    done, failed = _each(every, work, doing=doing)
    try:
        cache.set(_KEY.format(doing=doing.name), [str(each) for each in failed], timeout=_TOLD_FOR_S)
    except RedisError as error:
        # It is in the log; a cache that does not answer is red by itself.
        logger.warning("which tenants a sweep failed for can't be shown: %s", type(error).__name__)
    return done


def each_that_can(tenants: Iterable[TenantId], work: Callable[[TenantId], Item], *, doing: str) -> list[Item]:
    """What comes of it for each tenant; one for which it fails is logged and left out.

    Args: work: opens its own scope; within a transaction of the caller's, what fails is undone by itself.
    """
    found: list[Item] = []

    def one(tenant_id: TenantId) -> int:
        found.append(work(tenant_id))
        return 1

    _each(tenants, one, doing=doing)
    return found


def failing() -> dict[Sweep, list[str]]:
    """Ids of the tenants that each sweep failed for when it last ran; none where the cache does not answer."""
    keys = {_KEY.format(doing=sweep.name): sweep for sweep in Sweep}
    try:
        found = cache.get_many(keys)
    except RedisError:
        return {}
    return {keys[key]: sorted(ids) for key, ids in found.items() if ids}


def is_past(field: str, now: datetime, *, longest: timedelta = LONGEST_WAIT) -> Q:
    """A time that has come, or lies further off than any that we write: that one keeps nothing waiting either."""
    return Q(**{f"{field}__lte": now}) | Q(**{f"{field}__gt": now + longest})


def has_come(moment: datetime, now: datetime, *, longest: timedelta = LONGEST_WAIT) -> bool:
    """What is_past asks the database, of one that was read."""
    return moment <= now or moment > now + longest


def _each(items: Iterable[Item], work: Callable[[Item], int], *, doing: str) -> tuple[int, list[Item]]:
    done, failed = 0, []
    for item in items:
        try:
            done += work(item)
        except Exception as error:  # noqa: BLE001 - one's trouble is not another's; it is told, and tried again
            failed.append(item)
            # Not its message: a database's may quote a row.
            code = error.code if isinstance(error, ApplicationError) else type(error).__name__
            logger.error("%s failed for %s: %s", doing, item, code)  # noqa: TRY400
    return done, failed
