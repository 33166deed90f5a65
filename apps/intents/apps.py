from __future__ import annotations

from django.apps import AppConfig


class IntentsConfig(AppConfig):
    name = "apps.intents"
    label = "intents"
    verbose_name = "Policy"

    def ready(self) -> None:
        from apps.intents.erasure_stores import register_stores
        from apps.intents.events import register_policy_events
        from apps.intents.personal_data import classify_policies
        from apps.intents.searched import register_policy_texts
        from apps.intents.services.baseline import give_baseline
        from apps.tenants.provisioning import on_tenant_created

        register_policy_events()
        register_policy_texts()
        on_tenant_created(give_baseline)
        register_stores()
        classify_policies()
