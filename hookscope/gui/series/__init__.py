"""Numbers over the steps, and all layers of a step side by side."""
