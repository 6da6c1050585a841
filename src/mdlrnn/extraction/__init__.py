"""What a network has learned: the machine inside it, found from the network alone and then proved.

`_runs` runs the network in exact numbers through all prefixes that it finds possible; `_fit` reads
a machine off these runs, which may go wrong; `_learned` has it proved, which may not. `_names`
gives the machine the name that a person would.
"""
