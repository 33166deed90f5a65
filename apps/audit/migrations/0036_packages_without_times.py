"""Packages have no index by their end: a range of times would visit those of scopes that the reader does not hold."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("audit", "0035_restorations"),)

    operations = (migrations.RemoveIndex(model_name="accesspackage", name="access_package_by_end"),)
