"""mdlrnn attacked: hostile files of every kind, and runs killed at every write.

    python -m benchmarks.fuzz --seconds 600 --seed 1
    python -m benchmarks.fuzz --campaign networks --cases 5000
    python -m benchmarks.fuzz --campaign kills --kills 100
    python -m benchmarks.fuzz --campaign grammars --case 123

A case is a valid file after a few mutations, given to a command or a function in a worker process
of limited memory that is watched by a clock. It must end well or in one sentence and exit code 2;
without a traceback, without control characters in what is printed, and within the limits of time
and memory. A kill ends a run in a folder at one of its file operations; the run then has to go on
to the same network as one that was never disturbed. A case is made from the seed and its number
alone, so that each can be repeated; those that fail are kept in a folder.
"""
