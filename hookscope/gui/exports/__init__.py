"""Data out of the window: tensors and whole steps as files, and what is seen while the debuggee writes them."""
