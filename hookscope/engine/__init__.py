"""The engine: lives in the debuggee, owns the model, hooks it, runs it and answers views. No Qt."""
