"""The API of research."""
