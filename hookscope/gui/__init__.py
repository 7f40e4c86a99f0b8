"""The window. It never imports torch: what it knows of a model comes over the wire."""
