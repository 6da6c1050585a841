"""Theorems: what a network computes in words, that it is right for every string, or where not.

`_terms` and `_execute` are symbolic execution, `_system` is what a network is held against,
`_invariant`, `_facts` and `_obligations` are the induction, `_smt` and `_solver` the solvers'
side, `_explore` and `_witness` the search for a string that is wrong, `_prove` the whole.
"""
