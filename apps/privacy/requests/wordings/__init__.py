"""The wording of letters, one module per language; letters.py fills them in."""
