"""The HTTP service of `tengen serve`.

Reading guide: app.py lists the paths, messages.py has the requests and responses.py the answers, computed by work.py;
ogs.py does so for the score estimator of OGS. Around them, guard.py checks requests before their bodies are read and
writes headers and the access log, lanes.py bounds the work, and server.py opens the port and starts the workers.

No request changes anything that a later answer depends on, so any worker on any machine can answer it.
"""
