"""Languages beyond the paper's, and how well the search learns each of them.

    python -m benchmarks.languages run OUT --seeds 1-3 --seconds 60 --setting default
    python -m benchmarks.languages show OUT
    python -m benchmarks.languages compare OUT default 'paper:encoding="paper"'

`run` does what is missing and prints a line a run; every run is a file in OUT, so that an
interrupted call goes on where it was. A setting is a name, then changes to the default search after
a colon. `--languages task` runs the tasks of the package instead. `--folder` adds the corpora of a
folder, NAME.train.txt and NAME.test.txt each.
"""
