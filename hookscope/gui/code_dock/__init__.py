"""Where a stopped step is in the code: its frames, the source of one of them, and that frame's variables."""
