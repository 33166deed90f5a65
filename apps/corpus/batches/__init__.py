"""Ingest of many files by a command, with the workers or, if none answers, in processes of the command."""
