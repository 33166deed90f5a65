"""Asking again for what the candidates of a question do not hold."""
