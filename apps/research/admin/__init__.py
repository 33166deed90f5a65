"""The admin pages of research."""
