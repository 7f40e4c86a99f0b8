"""Numbers of captured tensors, step after step and layer by layer."""
