"""Panels: widgets that show one tensor each, tiled in an area of their own.

- `panel_area` makes and places the panels, `panel` is one of them, `details` the current tensor in numbers.
- `target` says what is looked at, `feed` asks for its views while it is seen, `pacer` lets one panel draw at a time.
- `registry` lists the kinds of view: `base` is what they share, and each has a file of its own.
- `header`, `panel_body`, `slot_strip` and the rest are the parts that they are made of.
"""
