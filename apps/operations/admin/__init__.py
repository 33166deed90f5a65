"""The start page and the health of the installation in the admin."""
