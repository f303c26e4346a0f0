"""The HTTP service of `tengen serve`.

Reading guide: app.py lists the paths, messages.py the requests, work.py computes the answers from them, and ogs.py does
both for the score estimator of OGS. Around them, guard.py checks requests before their bodies are read and writes
headers and the access log, lanes.py bounds the work, and server.py opens the port and starts the workers.

No request changes anything that a later answer depends on, so any worker on any machine can answer it.
"""
