"""What a theorem, which is about exact numbers, says of the network as it runs in float64."""
