"""Stepping: the events of a step, breakpoints and their conditions, and the stop on the thread that fired."""
