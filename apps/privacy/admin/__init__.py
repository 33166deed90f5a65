"""Requests of data subjects, inventories, access packages and my data in the admin."""
