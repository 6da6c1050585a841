"""Runs that outlive the process: the run folder, its checkpoints, and where runs stand.

`_files` names and writes what lies in the folder, `_settings` is its settings.json, `_checkpoint`
(with `_checkpoint_check` and `_sealed`) its checkpoints, `_lock` keeps two processes apart,
`_recorder` begins a run, writes it down and reopens it, `_status` tells how runs stand from their
folders alone, and `_networks` takes a network from a file or a run.
"""
