"""The base of every model's pages: the role table decides who sees and does what, and services do the writing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.urls.resolvers import URLPattern
from django.utils.text import capfirst

from apps.errors import ApplicationError
from apps.tenants.admin.kit import ModelAdmin
from apps.tenants.requests import access_of, principal_of
from apps.tenants.roles import Permission

Crumb = tuple[str, str]


def may(request: HttpRequest, permission: Permission | None) -> bool:
    """Whether the request's principal has it; nobody has None."""
    principal = access_of(request).principal
    return principal is not None and permission is not None and principal.may(permission)


def require(request: HttpRequest, permission: Permission | None) -> None:
    """Raises PermissionDeniedError, naming the roles that would do; PermissionDenied for what nobody may do here."""
    if permission is None:
        raise PermissionDenied("Nobody can do this here: these entries can't be edited by hand.")
    principal_of(request).require(permission)


def add_error(form: forms.BaseForm, error: ApplicationError | ValidationError, field: str | None) -> None:
    """Put a service's refusal into a form: beside the field it is about, or above the form."""
    if isinstance(error, ApplicationError):
        form.add_error(field if field in form.fields else None, error.detail)
    elif hasattr(error, "error_dict"):
        for name, errors in error.error_dict.items():
            form.add_error(name if name in form.fields else None, errors)
    else:
        form.add_error(None, error)


class TenantModelAdmin(ModelAdmin):
    """Pages of one model within the open scope.

    view_permission ... delete_permission: what the role table must grant; None: nobody, and no affordance.
    error_fields: error code of a service -> the form's field that the refusal stands beside.
    title_plural: the page's name as in the sidebar.
    empty_text: what an empty list says, naming how to fill it.
    add_label: the button that adds, named by its effect; empty where nothing is added by hand.
    in_palette: whether the search over everything (Ctrl K) finds rows of this model.
    """

    view_permission: ClassVar[Permission | None] = None
    add_permission: ClassVar[Permission | None] = None
    change_permission: ClassVar[Permission | None] = None
    delete_permission: ClassVar[Permission | None] = None
    error_fields: ClassVar[Mapping[str, str]] = {}
    title_plural: ClassVar[str] = ""
    empty_text: ClassVar[str] = "There is nothing here yet."
    add_label: ClassVar[str] = ""
    in_palette: ClassVar[bool] = True

    actions: Sequence[str] | None = None
    list_per_page = 50
    show_full_result_count = False
    list_filter_submit = True

    # --- Permissions ------------------------------------------------------------------------------------------------

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may(request, self.view_permission) or may(request, self.change_permission)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may(request, self.add_permission)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may(request, self.change_permission)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may(request, self.delete_permission)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    # --- Pages ------------------------------------------------------------------------------------------------------

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        self._require_view(request)
        context = {"crumbs": self.crumbs(), **(extra_context or {})}
        return super().changelist_view(request, context)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """What the list's own filters ask, and nothing else.

        Django lets an address ask about every column, in every way: the digest of a secret letter by letter, or with a
        regular expression that the database chokes on. A NUL would reach the database, too.
        """
        name, _, how = lookup.partition("__")
        filters: Any = self.get_list_filter(request)
        asked = (each[0] if isinstance(each, tuple) else each.parameter_name for each in filters)
        plain = how in ("", "exact") and "\0" not in value
        return plain and any(name == each or name.startswith(f"{each}_") for each in asked)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Django's form page; what a service refuses comes back beside the form, with what was typed in it."""
        if object_id is None:
            require(request, self.add_permission)
        else:
            self._require_view(request)
        row = None if object_id is None else self.get_object(request, object_id)
        here = str(row) if row is not None else self.add_label or f"Add {self.opts.verbose_name}"
        buttons = {"show_save_and_continue": False, "show_save_and_add_another": False}
        context = {"crumbs": self.crumbs(here), **buttons, **(extra_context or {})}
        try:
            with transaction.atomic():
                return super().changeform_view(request, object_id, form_url, context)
        except (ApplicationError, ValidationError) as error:
            request.__dict__["service_error"] = error
        return super().changeform_view(request, object_id, form_url, context)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        error = request.__dict__.get("service_error")
        if error is None:
            return form

        def clean(refused: forms.ModelForm[Any]) -> Any:
            cleaned = form.clean(refused)
            add_error(refused, error, self.error_field(error, refused))
            return cleaned

        return type(form.__name__, (form,), {"clean": clean})

    def error_field(self, error: ApplicationError | ValidationError, form: forms.BaseForm) -> str | None:
        """The field that a service's refusal is about; None for the form as a whole."""
        return self.error_fields.get(error.code) if isinstance(error, ApplicationError) else None

    def get_urls(self) -> list[URLPattern]:
        return [*self.own_urls(), *super().get_urls()]

    def own_urls(self) -> list[URLPattern]:
        """A model's pages beyond Django's; made with `self.page`."""
        return []

    def page(self, route: str, view: Callable[..., HttpResponse], *, name: str) -> URLPattern:
        """A page at <the model's address>/<route>, as admin:<app>_<model>_<name>."""
        return path(route, self.admin_site.admin_view(view), name=self._url_name(name))

    def url(self, name: str, *args: Any) -> str:
        """The address of one of this model's pages: changelist, add, change, or one of its own."""
        return reverse(f"admin:{self._url_name(name)}", args=args)

    def find(self, request: HttpRequest, object_id: str) -> Any:
        """The row of a page of our own. Raises Http404 alike for what does not exist and what may not be seen."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404(f"There is no {self.opts.verbose_name} with this id that you may see.")
        return row

    def crumbs(self, *here: str | Crumb) -> list[Crumb]:
        """The way to this page: the list, then what is named, with an address where it is not the page itself."""
        title = self.title_plural or capfirst(str(self.opts.verbose_name_plural))
        way = [name if isinstance(name, tuple) else (name, "") for name in here]
        return [(title, self.url("changelist") if here else ""), *way]

    def palette_note(self, row: Any) -> str:
        """What tells a row from others of the same name, in the search over everything."""
        return str(self.opts.verbose_name)

    def _url_name(self, name: str) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{name}"

    # --- Recording --------------------------------------------------------------------------------------------------

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """A row's history is what the audit log tells of it."""
        require(request, Permission.AUDIT_VIEW)
        return HttpResponseRedirect(f"{reverse('admin:audit_event_changelist')}?subject={object_id}")

    # Django's admin log would be a second record, without the wall and without the transaction of the act: services
    # write the audit events, and the runtime role has no rights on django_admin_log.

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return None

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return None

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        return None

    def _require_view(self, request: HttpRequest) -> None:
        if not self.has_view_permission(request):
            require(request, self.view_permission)
