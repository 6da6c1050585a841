"""The classical RNNs behind the paper's main table, again.

    python -m benchmarks.rnns keep FOLDER            # rows of FOLDER/anbn_100, ... as results/*.csv
    python -m benchmarks.rnns show                   # the best of each task beside the published
    python -m benchmarks.rnns fill docs/lab/tables/paper_table.csv

The folders are those of `mdlrnn lab rnns anbn_100 --out FOLDER/anbn_100`, or DIR/rnn of `mdlrnn
reproduce table --with-rnn --out DIR`. Selection and cells are the package's own; of each row only
what they need is kept.
"""
