from __future__ import annotations

from django.apps import AppConfig


class IntentsConfig(AppConfig):
    name = "apps.intents"
    label = "intents"
    verbose_name = "Policy"

    def ready(self) -> None:
        from apps.corpus.registry import register_kinds
        from apps.intents.events import register_policy_events
        from apps.intents.kinds import kinds_of_policy
        from apps.intents.services.baseline import give_baseline
        from apps.tenants.registry import register_on_tenant_created

        register_policy_events()
        register_kinds(kinds_of_policy)
        register_on_tenant_created(give_baseline)
