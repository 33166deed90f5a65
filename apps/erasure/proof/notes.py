"""What the prover writes into a run's row, as the server's administrator: nobody of the application may."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from apps.erasure.contracts import RunState
from apps.erasure.models import RemovalRun
from apps.erasure.residue.access import Access


def note(
    access: Access,
    runs: Iterable[RemovalRun],
    *,
    state: RunState,
    without: tuple[str, ...] = (),
    prepared: bool = False,
    **found: Mapping[str, Any] | list[str] | str,
) -> None:
    """Add to what is known of these runs, in one transaction; of those that are in that state still.

    Args: without: what is not so any more. prepared: nothing else stands before the first removal.
    """
    ids: list[UUID] = [run.id for run in runs]
    with access.connect() as connection:
        connection.execute(
            "UPDATE audit_removalrun SET verification = (verification - %s::text[]) || %s, "
            "prepared_at = CASE WHEN %s THEN now() ELSE prepared_at END WHERE id = ANY (%s) AND state = %s",
            [["waits", *without], Jsonb(found), prepared, ids, str(state)],
        )


def waits(access: Access, runs: Iterable[RemovalRun], *, state: RunState, code: str, **more: list[str] | str) -> None:
    """Say why they do not go on, for their pages."""
    note(access, runs, state=state, waits={"code": code, **more})
