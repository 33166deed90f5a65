"""The words of letters, one module a language; letters.py fills them in."""
