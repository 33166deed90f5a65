"""The state of a service, which its keeper writes to `<home>/run/<service>.json` for all other processes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from config.files import write_atomically

from .errors import ServiceError, by_code


class Phase(StrEnum):
    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """One service's state.

    Attributes:
        pid: of the server, while it runs.
        keeper_pid: of the process that watches it.
        error_code, error_data: why it failed; see `error`.
    """

    phase: Phase
    pid: int | None = None
    keeper_pid: int | None = None
    error_code: str | None = None
    error_data: Mapping[str, str] | None = None

    def error(self) -> ServiceError | None:
        """Return the error that ended the service, as it was raised in the keeper."""
        if self.error_code is None:
            return None
        return by_code(self.error_code)(**dict(self.error_data or {}))

    def write(self, path: Path) -> None:
        write_atomically(path, json.dumps(asdict(self)))


def failed(error: ServiceError, *, keeper_pid: int) -> ServiceState:
    data = {name: str(value) for name, value in error.data.items()}
    return ServiceState(phase=Phase.FAILED, keeper_pid=keeper_pid, error_code=error.code, error_data=data)


def read_state(path: Path) -> ServiceState:
    """Return the state on disk, or STOPPED if there is none."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ServiceState(phase=Phase.STOPPED)
    return ServiceState(
        phase=Phase(values["phase"]),
        pid=values["pid"],
        keeper_pid=values["keeper_pid"],
        error_code=values["error_code"],
        error_data=values["error_data"],
    )
