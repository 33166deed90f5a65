"""Nothing that the application keeps is unclassified, nothing personal stays without a ground; and plants are found."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.apps.registry import Apps
from django.core.management import CommandError, call_command
from django.db import connection, models

from apps.corpus.models import Embedding384, Embedding1536, Page
from apps.erasure.declarations.classified import EVENT_GROUPS, Classified
from apps.erasure.personal_data.classification import Gap, findings
from apps.erasure.personal_data.declared import classify_declared
from apps.erasure.personal_data.places import caches, columns, everything, memories, tasks
from apps.erasure.registry import classified, classify, stores
from apps.erasure.stores.declared import register_stores
from apps.tenants.personal_data import Fields, PersonalData, Sort, declarations
from apps.tenants.rights import SECRET_COLUMNS
from tests.isolation.harness import changed

pytestmark = pytest.mark.django_db


def named(gaps: list[Gap]) -> set[str]:
    return {each.name for each in gaps}


@pytest.mark.slow
def test_everything_is_classified_and_everything_personal_is_cleared_or_has_a_ground() -> None:
    assert findings(everything()) == []


def test_every_secret_column_is_one_that_the_catalogue_asks_about() -> None:
    secret = {entry.name for entry in classified() if entry.sort is Sort.CREDENTIAL and ":" not in entry.name}
    assert secret <= {name.removeprefix("public.") for name in SECRET_COLUMNS}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM unnest(%s::text[]) name WHERE to_regclass(regexp_replace(name, '[.][^.]*$', '')) IS NULL",
            [sorted(SECRET_COLUMNS)],
        )
        assert cursor.fetchall() == []


def test_every_column_of_every_model_is_among_what_is_looked_at() -> None:
    of_models = {
        f"{model._meta.db_table}.{field.column}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
        if model._meta.managed
    }
    assert of_models <= columns()
    assert "authz.signing_key.inner_pad" in columns()


@pytest.mark.slow
def test_a_new_column_and_a_new_table_are_found() -> None:
    with changed(
        "ALTER TABLE corpus_page ADD COLUMN handwriting text",
        "CREATE TABLE corpus_note (id uuid, about text)",
        "CREATE MATERIALIZED VIEW corpus_names AS SELECT 'Ada'::text AS name",
    ):
        found = findings(everything())
    assert named(found) == {"corpus_page.handwriting", "corpus_note.id", "corpus_note.about", "corpus_names.name"}
    assert {each.problem for each in found} == {"nobody declared it: see docs/extend/table.md"}


@pytest.mark.slow
def test_a_new_model_is_found() -> None:
    class Diary(models.Model):
        entry = models.TextField()

        class Meta:
            app_label = "corpus"
            # Of its own: in the common one, a database that a later test migrates would get permissions for diaries.
            apps = Apps()

        def __str__(self) -> str:
            return self.entry

    with changed("SELECT 1"):
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")
        with connection.schema_editor(atomic=False) as editor:
            editor.create_model(Diary)
        found = findings(everything())
    assert named(found) == {"corpus_diary.id", "corpus_diary.entry"}


def test_what_is_classified_and_gone_is_found() -> None:
    with changed("ALTER TABLE retrieval_evaluationquery DROP COLUMN text"):
        found = findings(everything())
    assert found == [Gap(name="retrieval_evaluationquery.text", problem="it is classified, and not there any more")]


@pytest.mark.parametrize("sort", [sort for sort in Sort if sort is not Sort.NONE])
def test_what_is_personal_needs_a_store_or_a_ground(sort: Sort) -> None:
    entry = Classified(name="x.y", sort=sort, because="a plant")
    cleared = Classified(name="x.y", sort=sort, because="a plant", cleared_by=(EVENT_GROUPS,))
    stays = Classified(name="x.y", sort=sort, because="a plant", stays="It is the law.")
    problem = "it is personal, no store clears it, and no ground says why it stays"
    assert Gap(name="x.y", problem=problem) in findings({"x.y"}, known=[entry])
    for other in (cleared, stays):
        assert "x.y" not in named(findings({"x.y"}, known=[other]))


def test_a_store_that_nobody_registered_is_found() -> None:
    entry = Classified(name="x.y", sort=Sort.CONTENT, because="a plant", cleared_by=("corpus.nothing",))
    assert Gap(name="x.y", problem="the store that clears it is not registered: corpus.nothing") in findings(
        {"x.y"}, known=[entry]
    )


def test_a_store_that_clears_nothing_classified_is_found() -> None:
    without = [each for each in classified() if "corpus.pages" not in each.cleared_by]
    found = findings({each.name for each in without}, known=without)
    assert [each.name for each in found] == ["corpus.pages"]


@pytest.mark.slow
def test_a_module_that_writes_to_the_cache_or_remembers_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "apps" / "corpus"
    planted.mkdir(parents=True)
    (tmp_path / "config").mkdir()
    (planted / "answers.py").write_text("from django.core.cache import cache\ncache.set('answer:x', 'y')\n")
    (planted / "names.py").write_text("import functools\n\n@functools.lru_cache\ndef known(name):\n    return name\n")
    (planted / "plain.py").write_text("# nothing of a cache\n")
    assert caches(tmp_path) == {"cache:apps.corpus.answers"}
    assert memories(tmp_path) == {"memory:apps.corpus.names"}
    assert named(findings(everything() | caches(tmp_path) | memories(tmp_path))) == {
        "cache:apps.corpus.answers",
        "memory:apps.corpus.names",
    }


@pytest.mark.slow
def test_a_task_whose_messages_wait_in_redis_is_found() -> None:
    from config.celery import app

    def gossip(name: str) -> None:
        """Carries a name."""

    app.task(gossip, name="apps.corpus.tasks.gossip")
    try:
        assert "task:apps.corpus.tasks.gossip" in tasks()
        assert "task:apps.corpus.tasks.gossip" in named(findings(everything()))
    finally:
        app.tasks.unregister("apps.corpus.tasks.gossip")


def test_the_same_place_is_not_classified_in_two_ways() -> None:
    entry = next(each for each in classified() if each.name == "corpus_page.text")
    classify(entry)
    with pytest.raises(ValueError, match="classified twice"):
        classify(Classified(name=entry.name, sort=Sort.NONE, because="It is only text."))


def test_a_field_that_a_declaration_leaves_out_is_found() -> None:
    """Of every model of ours: nothing is classified by itself."""
    declared = [model for model, _ in declarations()]
    assert [model for model in apps.get_models() if model.__module__.startswith("apps.")] == declared
    for model, personal_data in declarations():
        names = [name for fields in personal_data.fields for name in fields.names.split()]
        assert sorted(names) == sorted(field.name for field in model._meta.concrete_fields), model


def test_a_declaration_that_names_no_field_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Page, "personal_data", PersonalData(Fields("handwriting", Sort.CONTENT, because="A plant.")))
    with pytest.raises(KeyError, match="handwriting"):
        classify_declared()


def test_a_store_that_two_tables_inherit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of an abstract base: the last of its tables would be cleared, and the others' rows would stay."""
    register_stores()
    monkeypatch.setattr(Embedding1536, "personal_data", Embedding384.personal_data)
    with pytest.raises(ValueError, match=r"the store corpus\.embeddings_384 is registered twice"):
        register_stores()


@pytest.mark.slow
def test_the_command_prints_every_place_and_every_store() -> None:
    printed = StringIO()
    call_command("erasure", "registry", stdout=printed)
    lines = printed.getvalue().splitlines()
    line = next(each for each in lines if each.startswith("corpus_page.text"))
    assert "content" in line
    assert "corpus.pages" in line
    assert all(store.label in printed.getvalue() for store in stores())
    personal = StringIO()
    call_command("erasure", "registry", "--personal", stdout=personal)
    assert not [each for each in personal.getvalue().splitlines() if each.startswith("corpus_page.number ")]
    assert "tenants_user.email" in personal.getvalue()


@pytest.mark.slow
def test_the_command_fails_on_what_nobody_classified() -> None:
    with (
        changed("ALTER TABLE corpus_page ADD COLUMN handwriting text"),
        pytest.raises(CommandError, match="handwriting"),
    ):
        call_command("erasure", "registry", stdout=StringIO())
