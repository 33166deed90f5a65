"""The demo's passwords and keys: made once, kept in a file in the state folder that only its owner can read."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from apps.tenants.roles import Role
from config.files import write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who can sign in to both firms."""

    username: str
    first_name: str
    roles: tuple[Role, ...]


PEOPLE: Final = (
    Person(username="officer", first_name="Olive", roles=(Role.COMPLIANCE_OFFICER,)),
    Person(username="reviewer", first_name="Ravi", roles=(Role.REVIEWER,)),
    Person(username="dpo", first_name="Dora", roles=(Role.DPO,)),
    Person(username="auditor", first_name="Arne", roles=(Role.AUDITOR,)),
    Person(username="admin", first_name="Ada", roles=(Role.TENANT_ADMIN, Role.ANALYST)),
)


@dataclass(slots=True, kw_only=True)
class DemoAccess:
    """The secrets of the demo. passwords: by username; client_keys and auditor_keys: API keys by tenant."""

    passwords: dict[str, str] = field(default_factory=dict)
    client_keys: dict[str, str] = field(default_factory=dict)
    auditor_keys: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> DemoAccess:
        """Load what an earlier run saved. A missing or damaged file counts as empty: all of it can be made again."""
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return cls()

    def save(self, path: Path) -> None:
        write_atomically(path, json.dumps(asdict(self), indent=2) + "\n", mode=0o600)

    def password_of(self, person: Person) -> str:
        return self.passwords.setdefault(person.username, secrets.token_urlsafe(9))
