"""Scheduled sweeps over many items. Each item is done separately, and failures are reported.

A sweep that stopped at the first damaged item would never reach the items after it. No time that stands in a row can
keep an item waiting for ever (waits.py).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final, TypeVar

from django.core.cache import cache
from django.utils.text import slugify
from redis.exceptions import RedisError

from apps.errors import ApplicationError
from apps.tenants.ids import TenantId
from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.selectors.tenants import all_tenants

logger = logging.getLogger("glassbox.sweep")

# How long failures are kept in the cache. Each run of a sweep writes them anew.
_TOLD_FOR_S: Final = 26 * 3600
_KEY: Final = "sweep:failed:{doing}"

Item = TypeVar("Item")


class SweepIncompleteError(ApplicationError):
    """Some items of a sweep failed. The others were done."""

    code = "sweep.incomplete"
    status = 500
    message = "{failed} could not be done of: {doing}. The log says which."


class Sweep(StrEnum):
    """What the schedule does for one tenant after another, in words for the log and for people.

    Each kind of job has such words too (LeasedJob.sweep).
    """

    REQUESTS = "forget expired requests"
    DOCUMENTS = "send due documents again"
    POLICIES = "put approved policies in force"
    REVIEWS = "remind of policy versions that wait for a review"
    SEAL = "seal the log"
    CHECKPOINTS = "sign and export checkpoints"
    ATTESTATIONS = "have checkpoints attested"
    VERIFY = "verify the log once a night"
    COUNT = "count what is due by the retention rules"
    LETTERS = "send letters that are due"
    REDACTIONS = "send due redactions again"
    PACKAGES = "remove expired packages"
    ANSWERS = "remove answers whose time is over"
    RESEARCH = "remove research whose time is over"
    LEFTOVERS = "remove what the log authorises"
    WEBHOOKS = "tell webhooks of events"
    CALLS = "record requests to models whose end is unknown"
    CERTIFICATES = "issue certificates of erasures"
    LAPSES = "record approvals that lapsed with the role of their givers"
    RECERTIFICATIONS = "remind the owners of grants"


def each_by_itself(items: Iterable[Item], work: Callable[[Item], int], *, doing: str) -> int:
    """Call `work` for each item. A failure is logged and does not keep the other items from being done.

    Args:    work: a function that opens its own transactions.
             doing: what the work is for, in words for the log, such as "send due jobs again".
    Returns: the sum of what `work` returned.
    Raises:  SweepIncompleteError: after all items, if some failed.
    """
    done, failed = _each(items, work, doing=doing)
    if failed:
        raise SweepIncompleteError(doing=doing, failed=len(failed))
    return done


def each_tenant(
    work: Callable[[TenantId], int],
    *,
    doing: str,
    tenants: Iterable[TenantId] | None = None,
    rank: Callable[[TenantId], float] | None = None,
) -> int:
    """Call `work` for every tenant, whatever its status. `failing` returns the tenants for which it failed last.

    A failure is logged and does not keep the other tenants from being done; nothing is raised.

    Args: doing: a member of Sweep, or LeasedJob.sweep of a kind.
          tenants: only these tenants; None for all.
          rank: the order of the tenants, the lowest first; None for any order.
    """
    every = [TenantId(each.id) for each in all_tenants()] if tenants is None else [*tenants]
    if rank is not None:
        every.sort(key=rank)
    done, failed = _each(every, work, doing=doing)
    try:
        cache.set(_key(doing), [str(each) for each in failed], timeout=_TOLD_FOR_S)
    except RedisError as error:
        # The failures are in the log, and health shows by itself that the cache does not answer.
        logger.warning("which tenants a sweep failed for can't be shown: %s", type(error).__name__)
    return done


def each_that_can(tenants: Iterable[TenantId], work: Callable[[TenantId], Item], *, doing: str) -> list[Item]:
    """Return the results of `work` for each tenant. A tenant for which it fails is logged and left out.

    Args: work: a function that opens its own scope. Within a transaction of the caller, a failure rolls back only the
              work for that tenant.
    """
    found: list[Item] = []

    def one(tenant_id: TenantId) -> int:
        found.append(work(tenant_id))
        return 1

    _each(tenants, one, doing=doing)
    return found


def failing() -> dict[str, list[str]]:
    """Return the ids of the tenants for which each sweep failed in its last run; empty if the cache does not answer."""
    keys = {_key(doing): doing for doing in (*map(str, Sweep), *(kind.sweep() for kind in LeasedJob.kinds()))}
    try:
        found = cache.get_many(keys)
    except RedisError:
        return {}
    return {keys[key]: sorted(ids) for key, ids in found.items() if ids}


def _key(doing: str) -> str:
    return _KEY.format(doing=slugify(doing))


def _each(items: Iterable[Item], work: Callable[[Item], int], *, doing: str) -> tuple[int, list[Item]]:
    done, failed = 0, []
    for item in items:
        try:
            done += work(item)
        except Exception as error:  # noqa: BLE001 - one's trouble is not another's; it is told, and tried again
            failed.append(item)
            # Do not log the error's message: a database's message may quote a row.
            code = error.code if isinstance(error, ApplicationError) else type(error).__name__
            logger.error("%s failed for %s: %s", doing, item, code)  # noqa: TRY400
    return done, failed
