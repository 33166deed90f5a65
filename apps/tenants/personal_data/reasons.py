"""Reasons that the declarations of several models give."""

from __future__ import annotations

from typing import Final

# Why something stays.
# GDPR 17(3)(b) and (e), and 5(2): these rows are the proof of what was removed, what was kept, and on whose word.
ACCOUNTABLE: Final = (
    "Under GDPR 17(3)(b) and (e): who decided what is removed and what is kept is what the firm must be able to show."
)
EVIDENCE: Final = (
    "Under GDPR 17(3)(b) and (e): the log must show what happened. It holds ids, codes and times, and an id names "
    "nobody once its account is empty."
)
# The database also prevents the deletion: a submitted version is never changed.
RULES_OF_ANSWERS: Final = (
    "Under GDPR 17(3)(b) and (e), as long as the log refers to the version: by what rules answers were given, who "
    "wrote them and who approved them is what the firm must be able to show."
)
SURROGATE: Final = "The id names nobody once the account is empty."
NOBODY_WRITES: Final = "It is empty: no role that runs anything may write here, or read it."
ENDS_WITH_PROCESS: Final = "In the memory of a process: gone when it ends, which the physical phase sees to."

OTHER_TENANTS: Final = (
    "While the person belongs to another tenant, or administers the platform: then it is not this tenant's."
)

# What something is.
WORDS_OF_POLICY: Final = (
    "Words of the policy, written by its authors; an example may be a question that somebody asked."
)

# Why a person's own data do not show something.
A_PROOF: Final = (
    "Passwords, keys and their digests: they prove who somebody is. Handing them out would help only a thief."
)
OWN_ACT: Final = (
    "Your name or id beside a step that you took in somebody else's matter. Each such step is listed among your acts."
)
OFFICERS: Final = (
    "Words of the people who work on privacy or retention. They may name others, or the law may permit "
    "withholding them: ask the data protection officer."
)
TARGETS: Final = (
    "What a removal is aimed at, which can be your account: the request for it is in its own chapter, if "
    "the law lets you see it."
)
MAILED: Final = (
    "Links that were mailed to you for a new password or a new address: they work for an hour and are "
    "then removed. The events show that a new password was requested and that a link was used."
)
SECOND_FACTOR: Final = (
    "That you have an authenticator app or recovery codes: your page for signing in shows it, and the "
    "events show when they were set up, used and removed."
)
MOMENTARY: Final = "Answers and counts that are kept for a day at most and repeat what you were told."
DIGESTS: Final = "Digests, which reveal nothing by themselves and can't be reversed."
NOT_USED: Final = "Tables that are empty: nothing writes there."
OPERATIONS: Final = (
    "Files and log lines of the programs, which contain what the tables contain, or ids, counts and codes."
)
CONTENT: Final = (
    "Documents of the firm, and data made from them. They are about others, or name you: for that, ask "
    "the data protection officer, who has them searched for you."
)
OF_THE_POLICY: Final = (
    "The words of the firm's policy. They belong to the firm, whoever typed them. Your versions are "
    "listed among the policy versions, and each can be read there."
)

# Why a search for a person does not read something.
KEY_OF_REQUEST: Final = (
    "What was said in somebody's request, under a key of that request that is destroyed after its end."
)
