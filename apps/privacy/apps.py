from __future__ import annotations

from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    name = "apps.privacy"
    label = "privacy"
    verbose_name = "Privacy"

    def ready(self) -> None:
        from apps.erasure.contracts import Origin
        from apps.erasure.registry import (
            register_given_texts,
            register_listener,
            register_obstacle,
            register_searched,
            register_store,
        )
        from apps.privacy.access_packages.store import AccessPackages
        from apps.privacy.inventory.events import register_inventory_events
        from apps.privacy.inventory.restricting import kept_by_requests
        from apps.privacy.my_data.events import register_subject_access_events
        from apps.privacy.people.files import FileTexts
        from apps.privacy.proposals.following import request_follows
        from apps.privacy.requests.events import register_request_events
        from apps.privacy.requests.looked_for import texts_given
        from apps.privacy.webhooks import offer_events

        register_request_events()
        register_inventory_events()
        offer_events()
        register_obstacle(kept_by_requests)
        register_listener(Origin.REQUEST, request_follows)
        register_given_texts(Origin.REQUEST, texts_given)
        register_store(AccessPackages())
        register_searched(FileTexts())
        register_subject_access_events()
