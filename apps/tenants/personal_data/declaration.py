"""The declaration: for each field what it holds of people, why, how long, who clears it, searches it and shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum

from django.apps import apps
from django.db.models import Model

from apps.tenants.personal_data.stores import RowStore, TenantStore


class Sort(StrEnum):
    """What is held, as far as an erasure is concerned."""

    NONE = "none"  # ids of things, counts, codes, times, settings
    IDENTIFIER = "identifier of a person"  # a name, an address; the id of an account
    FREE_TEXT = "free text"  # somebody wrote it, and may have named a person
    CONTENT = "content"  # of documents
    DERIVED = "derived"  # made of the content: terms, vectors, digests
    SEALED = "sealed"  # encrypted, each group by itself
    CREDENTIAL = "credential"  # what somebody proves who they are with, or a key
    LOG = "log"  # lines that programs write about what they do


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields of a model about which the same is to be said.

    names: the fields' names, separated by blanks.
    because: what they hold, and of whom.
    cleared_by: the key of the store that clears them, or of several.
    stays: the ground on which they stay where no store clears them, or what of them stays beside what is cleared.
    unsearched: why a search for a person does not read them. It may be empty for fields that are searched (Texts), and
        where their sort says it (apps/erasure/searched/unsearched.py).
    shown_in: the key of the category of a person's own data that shows them (apps/privacy/my_data).
    withheld: why no category shows them, as the person reads it.
    """

    names: str
    sort: Sort
    _: KW_ONLY
    because: str
    cleared_by: str | tuple[str, ...] = ()
    stays: str = ""
    unsearched: str = ""
    shown_in: str = ""
    withheld: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """The fields in which a person is searched for.

    store: the key that names a place in them. label: what a DPO would call them.
    names: the fields' names, separated by blanks, in the order in which they are read.
    """

    store: str
    label: str
    names: str


class PersonalData:
    """What the rows of a model hold of people. Every field is named once.

    cleared_by, stays, shown_in, withheld: what holds for the fields about people that do not say it themselves.
    stores: the stores that clear rows of the model. A store that is a class of its own is not among them: it is
        registered (apps/erasure/registry.py), and fields name it by its key.
    texts: what is searched for a person. Texts that a class of their own reads are registered, too.
    """

    def __init__(
        self,
        *fields: Fields,
        cleared_by: str | tuple[str, ...] = (),
        stays: str = "",
        shown_in: str = "",
        withheld: str = "",
        stores: tuple[RowStore | TenantStore, ...] = (),
        texts: Texts | None = None,
    ) -> None:
        self.fields = tuple(
            each
            if each.sort is Sort.NONE
            else replace(
                each,
                cleared_by=each.cleared_by or cleared_by,
                stays=each.stays or stays,
                shown_in=each.shown_in or ("" if each.withheld else shown_in),
                withheld=each.withheld or ("" if each.shown_in else withheld),
            )
            for each in fields
        )
        self.stores = stores
        self.texts = texts


def declarations() -> Iterator[tuple[type[Model], PersonalData]]:
    """Yield each model that declares its personal data, in the order in which the apps are installed."""
    for model in apps.get_models():
        declared = getattr(model, "personal_data", None)
        if isinstance(declared, PersonalData):
            yield model, declared
