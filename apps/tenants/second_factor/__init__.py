"""The second factor of people who decide: a code of an authenticator app, asked for right before a decision.

sealing.py   the secret at rest            codes.py   codes, recovery codes, and what using one means
fresh.py     when a session last used one  resets.py  taking a lost one away, by two people
"""
