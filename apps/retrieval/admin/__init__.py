"""The start page, and the Ask page."""

from django.contrib import admin

from apps.retrieval.admin.overview import signs_view

admin.site.add_page("signs-of-life/", signs_view, name="signs_of_life")
