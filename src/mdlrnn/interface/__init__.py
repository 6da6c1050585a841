"""What users call, in Python and through the command line, which is a thin layer over it.

`_evolve` searches and goes on with searches, `_feed` shows a network at work, `_score` says what it
costs, `_functions` has the others (`test`, `prove`, `check`, `sample`, `report`), `_progress` is
what is seen meanwhile, `_signals` how a run is stopped from outside, `_text` numbers as text.
"""
