"""How long a proof may take, wherever one is sought."""

SECONDS = 60.0
"""A proof that a user asks for, or that a table needs."""
IN_RUN = 15.0
"""A proof of one network in a run, or for a page."""
FIRST_TRY = 4.0
"""A proof in a run that goes on until there is one; most that succeed take less."""
SHORTEST_PROOF = 1.0
"""A proof in a run whose time is nearly up."""
RUNNERS_UP = 20.0
"""At the end of a run, all networks but the best together."""
CHECK = 600.0
"""All queries of a certificate together."""
