"""The admin site: who may enter, how a refusal is shown, and the search over what the user may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from http import HTTPStatus
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.functional import Promise
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from apps.errors import ApplicationError
from apps.intents.services.notices import count_unread
from apps.tenants.api.problems import retry_after_seconds
from apps.tenants.attempts import attempt_begin, attempt_failed, attempt_succeeded
from apps.tenants.client_address import address_of
from apps.tenants.errors import TooManyAttemptsError
from apps.tenants.models import User
from apps.tenants.requests import access_of
from apps.tenants.roles import APPROVING
from apps.tenants.second_person import step_up_was_refused
from apps.tenants.sessions import record_after_answer, sign_in_begins
from apps.tenants.short_scopes import mark_like, view_opens_own_scopes
from config.help.views import handbook

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite as UnfoldAdminSite
else:
    from unfold.sites import UnfoldAdminSite

from unfold.dataclasses import SearchResult

View = Callable[..., HttpResponseBase]

# The palette is for finding one thing; the lists show long results.
_HITS_PER_MODEL = 8


class GlassboxAdminSite(UnfoldAdminSite):
    """The admin site. Entry needs a staff account and a role in some tenant. Each page checks its own permission."""

    index_title = "Start"
    enable_nav_sidebar = True

    # --- Entry ------------------------------------------------------------------------------------------------------

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_staff and access_of(request).principal is not None)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Sign in. A person who is signed in but may not enter is told why and is not asked to sign in again."""
        if request.method == "GET" and isinstance(request.user, User) and not self.has_permission(request):
            context = {**self.each_context(request), "title": "No tenant", "username": request.user.get_username()}
            return TemplateResponse(request, "admin/no_tenant.html", context, status=403)
        if request.method != "POST":
            return super().login(request, extra_context)
        return self._signing_in(request, extra_context)

    def _signing_in(self, request: HttpRequest, extra_context: dict[str, Any] | None) -> HttpResponse:
        username = request.POST.get("username", "")
        if not username or not request.POST.get("password"):
            # The form says which field is missing.
            return super().login(request, extra_context)
        try:
            attempt = attempt_begin(username=username, address=address_of(request))
        except TooManyAttemptsError as error:
            return self._wait(request, error.retry_after_seconds)
        sign_in_begins(request)
        response = super().login(request, extra_context)
        if response.status_code == HTTPStatus.FOUND:
            attempt_succeeded(attempt)
        else:
            record_after_answer(request, response, username, attempt_failed(attempt))
        return response

    def _wait(self, request: HttpRequest, seconds: int) -> HttpResponse:
        until = timezone.now() + timedelta(seconds=seconds)
        context = {**self.each_context(request), "title": "Wait before you sign in", "until": until, "seconds": seconds}
        response = TemplateResponse(request, "admin/too_many_attempts.html", context, status=429)
        response["Retry-After"] = str(seconds)
        add_never_cache_headers(response)
        return response

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add needs_code: whether a user who may approve here must first enter a code, so that they do it before they
        type; and unread_notices, which counts when a page's header asks.
        """
        principal = access_of(request).principal
        needs_code = principal is not None and not principal.may_decide and any(map(principal.may, APPROVING))
        return {**super().each_context(request), "needs_code": needs_code, "unread_notices": count_unread}

    @property
    def sign_out(self) -> View:
        # Django's view refuses to sign out a person who may not enter.
        return csrf_protect(never_cache(self.logout))

    # --- Addresses --------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[Any]:
        from config.admin_pages import PAGES  # late: the rooms register their models with this site, which must exist

        own: list[URLPattern | URLResolver] = [path("logout/", self.sign_out, name="logout")]
        own += [path(route, self.admin_view(view), name=name) for route, view, name in PAGES]
        own += [
            path("help/", self.admin_view(handbook, cacheable=True), name="help"),
            path("help/<path:path>", self.admin_view(handbook, cacheable=True), name="help_page"),
        ]
        # Leave out view_on_site: Django's redirect from a content type and an id reveals whether the object exists.
        return own + [url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"]

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Wrap a view as Django does, and show every refusal as a page that says what to do."""

        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            step_up_was_refused()
            response = answered(request, *args, **kwargs)
            # Redirect whatever the page answered: the user first enters the code, and then the page is shown again.
            return self._step_up(request) if step_up_was_refused() else response

        def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            try:
                response: HttpResponseBase = view(request, *args, **kwargs)
            except ApplicationError as error:
                refusal = self._refusal(request, error.detail, error.status)
                wait_s = retry_after_seconds(error)
                if wait_s is not None:
                    refusal["Retry-After"] = str(wait_s)
                return refusal
            except PermissionDenied as error:
                return self._refusal(request, str(error), 403)
            return response

        for attribute in ("csrf_exempt", "model_admin"):
            if hasattr(view, attribute):
                setattr(guarded, attribute, getattr(view, attribute))
        wrapped = super().admin_view(guarded, cacheable)
        mark_like(wrapped, view)
        return wrapped

    def _step_up(self, request: HttpRequest) -> HttpResponse:
        if transaction.get_connection().in_atomic_block:
            transaction.set_rollback(True)
        return redirect(f"{reverse('admin:second_factor_code')}?{urlencode({'next': request.get_full_path()})}")

    def _refusal(self, request: HttpRequest, detail: str, status: int) -> HttpResponse:
        # Roll back the view's savepoint (ATOMIC_REQUESTS), as if the error had left the view.
        if transaction.get_connection().in_atomic_block and not view_opens_own_scopes(request):
            transaction.set_rollback(True)
        title = "Not permitted" if status == 403 else "That did not work"
        context = {**self.each_context(request), "title": title, "detail": detail, "status": status}
        return TemplateResponse(request, "admin/refused.html", context, status=status)

    # --- Search -----------------------------------------------------------------------------------------------------

    def search(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the command palette, with queries each time.

        Unfold's own search caches results by user and term: after a switch of tenant, or after a grant was revoked,
        they would still be shown.
        """
        term = request.GET.get("s", "").strip()
        if not term:
            return HttpResponse()
        from config.admin_pages import PALETTE

        started = perf_counter()
        results = [
            *self._pages_found(request, term.lower()),
            *(found for source in PALETTE for found in source(request, term)),
            *self._rows_found(request, term),
        ]
        paginator = Paginator(results, max(1, len(results)))
        return TemplateResponse(
            request,
            "unfold/helpers/command_results.html",
            {
                "term": term,
                "page_obj": paginator,
                "results": paginator.page(1),
                "page_counter": 0,
                "execution_time": perf_counter() - started,
            },
            headers={"HX-Trigger": "search"},
        )

    def _pages_found(self, request: HttpRequest, term: str) -> Iterator[SearchResult]:
        for group in self.each_context(request)["sidebar_navigation"]:
            for item in group["items"]:
                if item["has_permission"] and term in str(item["title"]).lower():
                    link = item["link"]
                    yield SearchResult(
                        title=item["title"],
                        description=group["title"] or "Page",
                        link=str(link) if isinstance(link, Promise) else link,
                        icon=item["icon"],
                    )

    def _rows_found(self, request: HttpRequest, term: str) -> Iterator[SearchResult]:
        from apps.tenants.admin.base import TenantModelAdmin

        for model, model_admin in self._registry.items():
            if not isinstance(model_admin, TenantModelAdmin) or not model_admin.in_palette:
                continue
            if not model_admin.get_search_fields(request) or not model_admin.has_view_permission(request):
                continue
            found, _ = model_admin.get_search_results(request, model_admin.get_queryset(request), term)
            for row in found[:_HITS_PER_MODEL]:
                yield SearchResult(
                    title=str(row),
                    description=model_admin.palette_note(row),
                    link=reverse(f"{self.name}:{model._meta.app_label}_{model._meta.model_name}_change", args=[row.pk]),
                    icon="description",
                )
