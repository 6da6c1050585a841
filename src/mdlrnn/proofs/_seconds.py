"""How long a proof may take, wherever one is sought."""

SECONDS = 60.0
"""A proof that a user asks for, or that a table needs."""
IN_RUN = 15.0
"""A proof of one network in a run, or for a page."""
RUNNERS_UP = 20.0
"""At the end of a run, all networks but the best together."""
CHECK = 600.0
"""All queries of a certificate together."""
