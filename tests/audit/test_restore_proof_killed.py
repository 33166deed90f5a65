"""A restore's proof killed between any two steps: whoever takes it up comes to the same proof, with all its needles."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from apps.erasure.proof import after_restore, safe
from apps.erasure.proof.restorations import folder_of
from apps.erasure.residue.access import Access
from apps.operations.backup import replay as replaying
from tests.audit.test_restore_proof import Story, access, proved, replayed, rows, story, supplements

pytestmark = pytest.mark.slow

__all__ = ["access", "story"]


class Killed(BaseException):
    """What no handler of the application sees, as SIGKILL: everything that is committed by then stays."""


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (safe, "keep"),
        (replaying, "restorations_open"),
        (replaying, "_clear"),
        (replaying, "_end"),
        (after_restore, "physical_phase"),
        (after_restore, "_look"),
        (after_restore, "state_restoration"),
    ],
)
def test_killed_anywhere_it_comes_to_the_same_proof(
    story: Story, access: Access, module: ModuleType, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = getattr(module, step)
    kills = 0

    def killed(*args: Any, **named: Any) -> Any:
        nonlocal kills
        done(*args, **named)
        kills += 1
        raise Killed

    def both() -> None:
        replayed(access)
        proved(access)

    with monkeypatch.context() as patch:
        patch.setattr(module, step, killed)
        with pytest.raises(Killed):
            both()
    assert kills == 1
    both()
    [row] = rows(story)
    assert (row.state, row.came_back["corpus.documents"]) == ("proved", 1)
    assert row.verification["control"]["sources"] == row.verification["scan"]["sources"] > 5
    assert [each["certificate"]["outcome"] for each in supplements(story)] == ["not_proven", "proved"]
    assert safe.kept(folder_of(access)) == []
