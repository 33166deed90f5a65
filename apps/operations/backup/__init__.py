"""Make backups, restore them, and serve nothing of a restored database until later erasures were repeated in it."""
