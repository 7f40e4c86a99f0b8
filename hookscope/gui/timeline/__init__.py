"""The timeline: what happened in a step, event by event and over time, and the way back to any of it.

`event_tree` brackets the events and `event_filter` chooses among them, `event_model` and `event_list` show them;
`lanes_view` and `flame_view` draw where the time went; `step_strip` chooses the step; `dock` puts them together.
"""
