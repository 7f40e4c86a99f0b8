"""Panels: widgets that show one tensor each, tiled in an area of their own.

- `panel_area` lays panels out, `panel` is one of them, `details` the dock that shows the current tensor in numbers.
- `feed` asks for views while a panel is seen; `registry` lists the kinds of view, one file each.
- `header`, `slot_strip`, `range_bar`, `index_bar`, `image_view`, `plots` are the parts that they are made of.
"""
