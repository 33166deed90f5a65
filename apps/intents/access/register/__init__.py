"""Who could reach what, by person, key, role, document, kind or scope: at an instant, over a range, or what changed."""
