"""Where a step is in the user's code: frames, local variables, source text."""
