from __future__ import annotations

from django.apps import AppConfig


class IntentsConfig(AppConfig):
    name = "apps.intents"
    label = "intents"
    verbose_name = "Policy"

    def ready(self) -> None:
        from apps.corpus.registry import register_kinds, register_leaving_kinds
        from apps.intents.events import register_policy_events
        from apps.intents.kinds import kinds_left_out, kinds_of_policy
        from apps.intents.packs.catalogue import PACKS
        from apps.intents.services.baseline import give_first_policy
        from apps.tenants.registry import FirstPolicy, register_first_policy

        register_policy_events()
        register_kinds(kinds_of_policy)
        register_leaving_kinds(kinds_left_out)
        offered = {pack.key: f"{pack.name}: {pack.description}" for pack in PACKS.values()}
        register_first_policy(FirstPolicy(packs=offered, give=give_first_policy))
