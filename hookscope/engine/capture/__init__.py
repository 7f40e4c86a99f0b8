"""Capture: hooks on modules and graph nodes, private copies in reused buffers, one record a firing."""
