"""My keys: the keys that act for whoever is signed in. Everybody makes and ends their own, and nobody else's."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from apps.tenants.admin.api_key_forms import MyKeyAddForm, MyKeyRotateForm
from apps.tenants.admin.base import TenantModelAdmin
from apps.tenants.admin.key_state import expires_in, is_valid, key_state
from apps.tenants.admin.pages import Decision, decision_page, form_page, page, secret_page
from apps.tenants.models import ApiKey
from apps.tenants.requests import principal_of
from apps.tenants.roles import Role
from apps.tenants.selectors.directory import reach_in_words, with_person, with_reach
from apps.tenants.selectors.keys import own_keys_expiring
from apps.tenants.services.api_keys import api_key_revoke
from apps.tenants.services.personal_keys import personal_key_create, personal_key_rotate

_NOTES = (
    "Store it now, in a secret store that only you can reach: it is shown only this once, and only its digest is kept.",
    "Your program sends it as “Authorization: Bearer gbx_…” to /api/v1/.",
    "Whoever has it acts in your name: the audit log records its acts as yours, with the name of the key.",
)
_LIMITS = (
    "A personal key lets a program act in your name, within one of your roles and some of your scopes. Whatever its "
    "role, it can't make or change keys, members or the tenant's settings: for that, sign in. It can decide on what "
    "others propose only if you entered a code of your second factor right before you made it."
)


class MyKeysPages(TenantModelAdmin):
    """What the shared pages ask of a model's admin. Not registered: ApiKey has its own, the administrator's."""

    title_plural = "My keys"
    error_fields = {
        "tenants.role_not_held": "role",
        "tenants.scope_not_granted": "scopes",
        "tenants.key_life": "life_days",
    }

    def _url_name(self, name: str) -> str:
        return "my_keys" if name == "changelist" else f"my_keys_{name}"


_pages = MyKeysPages(ApiKey, admin.site)


def list_view(request: HttpRequest) -> HttpResponse:
    principal = principal_of(request)
    expiring = set(own_keys_expiring(principal).values_list("id", flat=True))
    rows = [
        {
            "key": key,
            "role": Role(key.role).label,
            "reach": reach_in_words(key.scope_keys, hidden_words="that you can no longer reach"),
            "state": key_state(key),
            "expires": expires_in(key) if key.id in expiring else "",
            "is_valid": is_valid(key),
            "can_rotate": is_valid(key) and key.role in principal.roles,
        }
        for key in with_reach(with_person(_own(request))).order_by("-created_at")
    ]
    return page(
        _pages,
        request,
        "glassbox/my_keys.html",
        title="My keys",
        crumbs=(),
        rows=rows,
        limits=_LIMITS,
        add_url=_pages.url("add"),
    )


def add_view(request: HttpRequest) -> HttpResponse:
    form = MyKeyAddForm(request.POST or None, roles=principal_of(request).roles)

    def act() -> HttpResponse:
        typed = form.cleaned_data
        key, plain = personal_key_create(
            name=typed["name"], role=typed["role"], scopes=typed["scopes"], expires_at=form.expires_at
        )
        return _shown_once(request, f"Your key “{key.name}” is ready", plain, _NOTES)

    return form_page(_pages, request, form, act, title="Create a personal key", intro=_LIMITS, action="Create key")


def rotate_view(request: HttpRequest, key_id: UUID) -> HttpResponse:
    key = _find(request, key_id)
    form = MyKeyRotateForm(request.POST or None)

    def act() -> HttpResponse:
        hours = form.cleaned_data["overlap_hours"]
        successor, plain = personal_key_rotate(key, expires_at=form.expires_at, overlap=timedelta(hours=hours))
        ends = "has ended" if not hours else f"ends in {hours} hours" if hours > 1 else "ends in one hour"
        return _shown_once(
            request, f"Your key “{successor.name}” has a successor", plain, (*_NOTES, f"The old key {ends}.")
        )

    return form_page(
        _pages,
        request,
        form,
        act,
        title=f"Rotate {key.name}",
        intro="Makes a new key with the same name and role and with those of its scopes that you can still reach. "
        "Ends the old one.",
        action="Make the new key",
        crumbs=[f"Rotate {key}"],
    )


def revoke_view(request: HttpRequest, key_id: UUID) -> HttpResponse:
    key = _find(request, key_id)

    def act() -> HttpResponse:
        api_key_revoke(key)
        messages.success(request, f"{key} is revoked. It is recorded in the audit log.")
        return HttpResponseRedirect(_pages.url("changelist"))

    return decision_page(
        _pages,
        request,
        Decision(
            question=f"Revoke {key}?",
            effects=[
                "From the next request on, anybody who sends this key gets the answer “401: the API key is not "
                "valid”. Downloads and jobs that were started with it also end.",
                f"Its last use: {key.last_used_at:%Y-%m-%d %H:%M} UTC." if key.last_used_at else "It was never used.",
                "You stay signed in, and your other keys do not change. What was done with it is not undone.",
            ],
            irreversible="A revoked key can't be restored.",
            action="Revoke key",
        ),
        act,
        crumbs=[f"Revoke {key}"],
        back=_pages.url("changelist"),
    )


def _own(request: HttpRequest) -> QuerySet[ApiKey]:
    own: QuerySet[ApiKey] = ApiKey.objects.filter(person_id=principal_of(request).id)
    return own


def _find(request: HttpRequest, key_id: UUID) -> ApiKey:
    key = _own(request).filter(id=key_id).first()
    if key is None:
        raise Http404("There is no key of yours with this id.")
    return key


def _shown_once(request: HttpRequest, title: str, plain: str, notes: tuple[str, ...]) -> HttpResponse:
    return secret_page(
        _pages,
        request,
        title=title,
        crumbs=["Key created"],
        secret=plain,
        caption="Your key",
        notes=notes,
        back=_pages.url("changelist"),
    )
