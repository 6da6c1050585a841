"""What is said of networks that short runs find, without being told the language.

    python -m benchmarks.learned OUT --seconds 20

runs what is missing as `python -m benchmarks.languages run OUT` does, one seed a language, then
asks `mdlrnn.learned` about each best network and holds the answer against network and language.
Answers are kept in OUT/learned; `--again` finds them again.
"""
