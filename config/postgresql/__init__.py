"""Django's database backend for PostgreSQL, which limits every wait for a server that is down (ENGINE names it).

connections  the connections of a pool: limits to how long an answer may take
away         whether the server answers, and the error if it does not
base         the backend itself
"""
