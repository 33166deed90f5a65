"""The admin's foundation, and the pages of tenants, scopes, members and keys."""

from django.contrib import admin
from django.contrib.auth.models import Group
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from apps.tenants.admin import api_key, membership, scope, tenant, user
from apps.tenants.admin.my_keys import MY_KEYS_PAGES
from apps.tenants.admin.switcher import tenant_switch
from config.admin_site import add_page

__all__ = ["api_key", "membership", "scope", "tenant", "user"]

# Rights come from memberships; the platform's schedules belong to no tenant and are set in the code.
for model in (Group, ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule):
    if admin.site.is_registered(model):
        admin.site.unregister(model)

add_page("tenant/", tenant_switch, name="tenant_switch")
for route, view, name in MY_KEYS_PAGES:
    add_page(route, view, name=name)
