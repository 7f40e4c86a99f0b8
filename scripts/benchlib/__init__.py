"""What `scripts/bench` measures; each part runs in an interpreter of its own and prints one JSON object."""
