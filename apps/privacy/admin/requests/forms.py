"""What a DPO fills in about a request. Each field says what it is for; what is missing is said beside it."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.validators import validate_email
from django.utils import timezone
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from apps.erasure.runs.runs import RejectionReason
from apps.privacy.access_packages.told import Told
from apps.privacy.codes.requests import (
    Delivery,
    Extension,
    Ground,
    Language,
    Purpose,
    Refusal,
    Requester,
    SubjectType,
    refusals_of,
)
from apps.privacy.requests.details import Details, LetterText
from apps.privacy.requests.errors import RequestError
from apps.tenants.models import Membership, Scope

_LINES: Final = ("names", "aliases", "emails", "phones", "identifiers")
_MOST_LINES: Final = 50
_MOST_CHARS: Final = 200


def _words(label: str, *, required: bool = False, help_text: str = "", rows: int = 3) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=required,
        max_length=4000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": rows}),
        help_text=help_text,
        error_messages={"required": RequestError.kinds["audit.request_words_missing"][1]},
    )


def _line(label: str, *, help_text: str = "") -> forms.CharField:
    return forms.CharField(
        label=label, required=False, max_length=_MOST_CHARS, widget=UnfoldAdminTextInputWidget(), help_text=help_text
    )


class Lines(forms.CharField):
    """Several values, one a line."""

    def __init__(self, label: str, *, help_text: str) -> None:
        widget = UnfoldAdminTextareaWidget(attrs={"rows": 2})
        super().__init__(label=label, required=False, max_length=12_000, widget=widget, help_text=help_text)

    def clean(self, value: Any) -> tuple[str, ...]:
        lines = tuple(dict.fromkeys(line.strip() for line in str(super().clean(value)).splitlines() if line.strip()))
        if len(lines) > _MOST_LINES:
            raise forms.ValidationError(f"Enter at most {_MOST_LINES} lines.")
        if any(len(line) > _MOST_CHARS for line in lines):
            raise forms.ValidationError(f"A line may have at most {_MOST_CHARS} characters. Enter one value per line.")
        return lines

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, tuple | list) else value


class PlainForm(forms.Form):
    # Errors stand beside their fields; a browser's own bubble would not say what to do.
    use_required_attribute = False


class WhoAsksForm(PlainForm):
    """Who asks, and how they are reached."""

    requester = forms.ChoiceField(label="Who asks", choices=Requester.choices, widget=UnfoldAdminSelectWidget())
    requester_name = _line("Their name", help_text="Used to address them in letters.")
    requester_email = _line(
        "Their e-mail address", help_text="Letters are sent there. Without an address they are posted by hand."
    )
    requester_address = _words("Their postal address", rows=2)
    language = forms.ChoiceField(
        label="Language of the letters", choices=Language.choices, widget=UnfoldAdminSelectWidget()
    )
    notes = _words(
        "Notes", help_text="For the people who work on the request. Sealed like everything that describes a person."
    )

    def clean_requester_email(self) -> str:
        email = str(self.cleaned_data["requester_email"]).strip()
        if email:
            try:
                validate_email(email)
            except forms.ValidationError:
                raise forms.ValidationError("Enter one e-mail address, such as jo@example.com.") from None
        return email

    def details(self) -> Details:
        said = self.cleaned_data
        return Details(**{name: said[name] for name in Details.__dataclass_fields__ if name in said})


class PersonForm(WhoAsksForm):
    """A person who is named in documents: by what can they be found?"""

    names = Lines("Names", help_text="One per line, as they may appear in documents: Anna Müller, Müller, Anna.")
    aliases = Lines("Other names", help_text="Maiden names, pseudonyms, initials, user names. One per line.")
    emails = Lines("E-mail addresses", help_text="One per line.")
    phones = Lines("Phone numbers", help_text="One per line.")
    identifiers = Lines("Numbers", help_text="Account, client, tax and passport numbers, IBAN. One per line.")
    description = _words(
        "What else distinguishes them from others", help_text="For example their role, employer or town.", rows=2
    )

    field_order = (*_LINES, "description", "requester")


class UserForm(WhoAsksForm):
    subject_id = forms.ChoiceField(label="Which member", widget=UnfoldAdminSelectWidget())
    field_order = ("subject_id", "requester")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = Membership.objects.select_related("user").order_by("user__username")
        found = {str(each.user_id): each.user.get_username() for each in members}
        self.fields["subject_id"].choices = [("", "Choose one"), *found.items()]  # type: ignore[attr-defined]
        self.fields["subject_id"].error_messages["required"] = (
            "Choose the member whose account and traces are to be erased."
        )


class DocumentForm(WhoAsksForm):
    subject_id = forms.UUIDField(
        label="The document's id",
        widget=UnfoldAdminTextInputWidget(),
        help_text="Open the document under Corpus, Documents, and copy its id.",
        error_messages={
            "required": "Enter the id of the document to be erased.",
            "invalid": "This is not an id: copy the whole id from the document's page.",
        },
    )
    field_order = ("subject_id", "requester")


class ScopeForm(WhoAsksForm):
    subject_id = forms.ChoiceField(label="Which scope", widget=UnfoldAdminSelectWidget())
    field_order = ("subject_id", "requester")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes = {str(each.id): str(each.key) for each in Scope.objects.order_by("key")}
        self.fields["subject_id"].choices = [("", "Choose one"), *scopes.items()]  # type: ignore[attr-defined]
        self.fields["subject_id"].error_messages["required"] = "Choose the scope to be erased with everything in it."


FORMS: Final[dict[SubjectType, type[WhoAsksForm]]] = {
    SubjectType.DATA_SUBJECT: PersonForm,
    SubjectType.USER: UserForm,
    SubjectType.DOCUMENT: DocumentForm,
    SubjectType.SCOPE: ScopeForm,
    SubjectType.TENANT: WhoAsksForm,
}


def received_at_field() -> forms.DateTimeField:
    return forms.DateTimeField(
        label="Received, in UTC",
        initial=lambda: timezone.now().replace(second=0, microsecond=0),
        widget=forms.DateTimeInput(
            format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local", "class": " ".join(INPUT_CLASSES)}
        ),
        help_text="When it reached the firm, anywhere in the firm. The month is counted from that day, not from today.",
        error_messages={
            "required": "Enter the day and time at which the request reached the firm.",
            "invalid": "Enter a date and a time, such as 2026-12-01 09:00.",
        },
    )


class AssessForm(PlainForm):
    ground = forms.ChoiceField(
        label="Why there is a duty to erase",
        choices=[("", "Choose one"), *Ground.choices],
        widget=UnfoldAdminSelectWidget(),
        error_messages={"required": "Choose the ground. If there is none, refuse the request."},
    )
    notes = _words("Notes", help_text="What you considered. Sealed with the request.")


class SendBackForm(PlainForm):
    reason = forms.ChoiceField(
        label="Why it is not approved",
        choices=[
            (RejectionReason.WRONG_TARGETS.value, "Something else should be erased, or less"),
            (RejectionReason.NOT_DUE.value, "There is no duty to erase, or not yet"),
            (RejectionReason.MUST_BE_KEPT.value, "It must be kept"),
        ],
        widget=UnfoldAdminSelectWidget(),
    )


class WordsForm(PlainForm):
    words = _words("Why", required=True)


class IdentityForm(PlainForm):
    words = _words(
        "What you ask for, and why you doubt it",
        required=True,
        help_text="This text appears in the letter. Ask for no more than is needed (Article 12(6)).",
    )


class ExtendForm(PlainForm):
    code = forms.ChoiceField(
        label="Why two further months are needed", choices=Extension.choices, widget=UnfoldAdminSelectWidget()
    )
    words = _words("The reasons", required=True, help_text="They appear in the letter: the person has a right to them.")


class RefuseForm(PlainForm):
    code = forms.ChoiceField(
        label="On which ground",
        choices=[("", "Choose one"), *Refusal.choices],
        widget=UnfoldAdminSelectWidget(),
        error_messages={"required": "Choose the ground for the refusal."},
    )
    words = _words("The reasons", required=True, help_text="They appear in the letter: the person has a right to them.")

    def __init__(self, *args: Any, purpose: str = Purpose.ERASURE, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        grounds = [(each.value, each.label) for each in refusals_of(purpose)]
        self.fields["code"].choices = [("", "Choose one"), *grounds]  # type: ignore[attr-defined]


class ToldForm(PlainForm):
    """What an access package says of the firm's documents (Article 15(1)(a), (d) and (g)), and on which ground."""

    purposes = _words("What they are kept for", required=True)
    legal_basis = _words("On which legal basis", required=True, rows=2)
    source = _words("Where they come from", required=True, rows=2)
    retention = _words("How long they are kept", required=True, rows=2)

    def told(self) -> Told:
        return Told(**self.cleaned_data)


class LetterForm(PlainForm):
    """The letter as it goes out."""

    delivery = forms.ChoiceField(label="How it goes", choices=Delivery.choices, widget=UnfoldAdminSelectWidget())
    subject = forms.CharField(
        label="Subject",
        max_length=200,
        widget=UnfoldAdminTextInputWidget(),
        error_messages={"required": "Enter a subject for the letter."},
    )
    body = forms.CharField(
        label="Letter",
        max_length=20_000,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 18}),
        help_text="Filled in from the template. Change it as you like: it is sent exactly as shown here.",
        error_messages={"required": "Write the letter, or start again to have it filled in."},
    )

    def text(self) -> LetterText:
        return LetterText(subject=self.cleaned_data["subject"], body=self.cleaned_data["body"].replace("\r\n", "\n"))
