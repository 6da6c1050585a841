"""What a network has learned: the machine inside it, found from the network alone and then proved.

`_runs` runs the network in exact numbers through the prefixes that it finds possible. `_fit` reads
a machine off these runs, which may go wrong (`_places`, `_cells` and `_updates` are its parts, and
`_reduce` makes it small); `_names` has languages with a name that fit them (`_guesses`, `_counts`,
`_regex`). `_learned` has them proved, which cannot go wrong; `_product` compares two machines,
`_cover` says what holds up to a length, and `_compare` is for two networks.
"""
