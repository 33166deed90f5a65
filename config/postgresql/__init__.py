"""Django's database backend for PostgreSQL, with an end to every wait for a server that is away (ENGINE names it).

connections  what a pool lends: limits to how long an answer may take
away         whether the server answers, and the error where it does not
base         the backend itself
"""
