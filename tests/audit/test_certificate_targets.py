"""Attacks that bring something home: a certificate whose list of targets was changed, and that still holds."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings

from apps.erasure.certificate import offline
from apps.erasure.certificate.checking import checked
from tests.audit.proving import certified
from tests.audit.removing import asked
from tests.audit.test_certificate import Json, file_of
from tests.baked import baked
from tests.factories import Firm, make_firm

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "checkpoints")
    return baked(make_firm, "acme")


def _spliced(listed: list[str]) -> Any:
    """Two hashes that are hashed together are cut elsewhere: the same root, and neither of them is in the list."""
    return [listed[0][:-2], listed[0][-2:] + listed[1], *listed[2:]]


WAYS: dict[str, Callable[[list[str]], Any]] = {
    "in capitals": lambda listed: [each.upper() for each in listed],
    "with blanks": lambda listed: [f" {each}" for each in listed],
    "cut elsewhere": _spliced,
    "as an object": lambda listed: dict.fromkeys(listed, 1),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_list_of_targets_is_what_was_certified(acme: Firm, way: str, tmp_path: Path) -> None:
    """Whoever was erased asks whether they are in it: the file says no, and that it holds."""
    document = file_of(acme, certified(acme, asked(acme, 2)))
    assert not any(check.problem for check in checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS))
    forged: Json = copy.deepcopy(document)
    forged["targets"] = WAYS[way](document["targets"])
    assert forged["targets"] != document["targets"]
    keys = [offline.parsed_key(key.line()) for key in settings.GLASSBOX_LOG_VERIFY_KEYS]
    by_the_file = any(problem for _, problem in offline.checked(forged, keys))
    by_the_application = any(check.problem for check in checked(forged, settings.GLASSBOX_LOG_VERIFY_KEYS))
    assert (by_the_file, by_the_application) == (True, True)
