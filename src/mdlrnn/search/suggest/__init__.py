"""What a corpus suggests: automata, counters and stacks to construct networks from."""
