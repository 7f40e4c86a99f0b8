"""Interventions in the window: `book` keeps the list, `hand` the changes of a stopped step, and `parts` joins them.

`fields` are the inputs that a form is made of, `kind_form` makes one from the fields of structs; `change_form`,
`selection_form` and `place_form` are the three of them, and `form` is all of one intervention. `dock` shows the list
beside the form, or `hand_page` while a tensor is at hand.
"""
