"""Certificates of erasures: the list, the page that prints, and the files to hand out."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from apps.erasure.admin.certificates.words import words_of
from apps.erasure.admin.removals.restored import every_restored, restored_of_run
from apps.erasure.admin.removals.words import ORIGIN_PAGES
from apps.erasure.certificate.bundle import bundle, written
from apps.erasure.certificate.checking import fails, holds
from apps.erasure.certificate.document import document_of, supplement_of
from apps.erasure.certificate.selectors import certificate_of, checks_of, supplement_named
from apps.erasure.models import Certificate
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import require
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant

_A_PAGE: Final = 50


@require_safe
def certificates_view(request: HttpRequest) -> HttpResponse:
    """All of them, the newest first."""
    require(request, Permission.AUDIT_VIEW)
    page = Paginator(Certificate.objects.all(), _A_PAGE).get_page(request.GET.get("page"))
    context = {
        **admin.site.each_context(request),
        "title": "Certificates of erasure",
        "crumbs": [("Certificates", "")],
        "page": page,
        "rows": [(certificate, words_of(certificate)) for certificate in page],
        "restored": every_restored(),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/certificates.html", context)


@require_safe
def certificate_view(request: HttpRequest, certificate_id: UUID) -> HttpResponse:
    """What was removed, what stayed and why, how it was shown; checked while it is opened."""
    require(request, Permission.AUDIT_VIEW)
    certificate = certificate_of(certificate_id)
    shown = _shown(certificate)
    context = {
        **admin.site.each_context(request),
        **shown,
        "title": shown["words"].title,
        "crumbs": [("Certificates", reverse("admin:erasure_certificates")), (shown["words"].title, "")],
        "run_url": reverse("admin:removal_run", args=[certificate.run_id]),
        "origin_url": next(
            (url for name in ORIGIN_PAGES[certificate.origin] if (url := address(name, certificate.origin_id))), ""
        ),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/certificate.html", context)


@require_safe
def certificate_json_view(request: HttpRequest, certificate_id: UUID) -> HttpResponse:
    """The signed file that `manage.py erasure verify-certificate` checks."""
    require(request, Permission.AUDIT_VIEW)
    certificate = certificate_of(certificate_id)
    return _file(_name(certificate, "json"), written(document_of(certificate)), content_type="application/json")


@require_safe
def supplement_json_view(request: HttpRequest, supplement_id: UUID) -> HttpResponse:
    """What was signed after a restore, as a file that both verifiers check."""
    require(request, Permission.AUDIT_VIEW)
    supplement = supplement_named(supplement_id)
    name = f"erasure-supplement-{supplement.number}.json"
    return _file(name, written(supplement_of(supplement)), content_type="application/json")


@require_safe
def certificate_zip_view(request: HttpRequest, certificate_id: UUID) -> HttpResponse:
    """The signed file with the program that checks it without this installation."""
    require(request, Permission.AUDIT_VIEW)
    certificate = certificate_of(certificate_id)
    content = bundle(document_of(certificate), name=_name(certificate, "json"))
    return _file(_name(certificate, "zip"), content, content_type="application/zip")


@require_safe
def certificate_html_view(request: HttpRequest, certificate_id: UUID) -> HttpResponse:
    """The page as one file that needs nothing else."""
    require(request, Permission.AUDIT_VIEW)
    certificate = certificate_of(certificate_id)
    content = render_to_string("glassbox/certificate_file.html", _shown(certificate))
    return _file(_name(certificate, "html"), content, content_type="text/html; charset=utf-8")


def _shown(certificate: Certificate) -> dict[str, Any]:
    checks = checks_of(certificate)
    return {
        "certificate": certificate,
        "body": certificate.body,
        "words": words_of(certificate),
        "checks": checks,
        "holds": holds(checks),
        "fails": fails(checks),
        "restored": restored_of_run(certificate.run_id),
        "tenant": current_tenant(),
        "file_name": _name(certificate, "json"),
    }


def _name(certificate: Certificate, suffix: str) -> str:
    return f"erasure-certificate-{certificate.number}.{suffix}"


def _file(name: str, content: str | bytes, *, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "private, no-store"
    return response
