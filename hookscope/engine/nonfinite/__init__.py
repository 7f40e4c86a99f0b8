"""Finds where the first NaN or infinity of a step is born."""
