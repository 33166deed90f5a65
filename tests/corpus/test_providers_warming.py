"""A web process loads the model of its tenants before anybody asks, and says what it can't load."""

from __future__ import annotations

import logging
import threading

import pytest
from django.conf import LazySettings

from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from config.gunicorn import post_worker_init
from tests.factories import make_firm

pytestmark = pytest.mark.django_db(transaction=True)


def begun(profile: str) -> None:
    """A web process begins, in an installation whose one tenant embeds by that profile."""
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile=profile)
    begin()


def begin() -> None:
    post_worker_init(object())
    for thread in threading.enumerate():
        if thread.name == "warm-up":
            thread.join(timeout=120)


@pytest.fixture(autouse=True)
def _wanted(settings: LazySettings, caplog: pytest.LogCaptureFixture) -> None:
    settings.GLASSBOX_WARM_UP = True
    caplog.set_level(logging.INFO, logger="glassbox.corpus")


def test_the_model_on_this_machine_is_loaded(caplog: pytest.LogCaptureFixture) -> None:
    begun("local")
    assert "the model of the profile local was loaded in" in caplog.text


def test_what_is_elsewhere_is_not_asked(caplog: pytest.LogCaptureFixture) -> None:
    begun("openai")
    assert caplog.text == ""


def test_nobody_there_needs_no_model(caplog: pytest.LogCaptureFixture) -> None:
    begin()
    assert caplog.text == ""


def test_what_can_t_be_loaded_is_logged_and_the_process_serves(
    settings: LazySettings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        "local": {**settings.GLASSBOX_EMBEDDING_PROFILES["local"], "model": "/nowhere/at/all"}
    }
    begun("local")
    assert "a model could not be loaded beforehand: ProviderConfigurationError" in caplog.text


def test_it_can_be_switched_off(settings: LazySettings, caplog: pytest.LogCaptureFixture) -> None:
    settings.GLASSBOX_WARM_UP = False
    begun("local")
    assert caplog.text == ""
