"""gunicorn's settings, for `manage.py up` and for a container: gunicorn -c python:config.gunicorn config.wsgi"""

# Threads, because a question waits for the database and for a model more than it computes.
worker_class = "gthread"
threads = 4
# Long enough for an upload of 100 MB and for a slow model.
timeout = 120
graceful_timeout = 30
# A socket in the home directory that nobody here uses; versions before 25.1 know neither it nor this setting.
control_socket_disable = True
