"""The Ask page, questions that are not recognised, and replays."""
