"""The dock of interventions in a window around a session that only notes what is asked of it."""

from hookscope.gui.interventions.list_page import ListPage
from hookscope.gui.interventions.model import Column
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensor_changes import Change, Scale
from tests.gui.shell import Shell


def page_of(shell: Shell) -> ListPage:
    return shell.window.interventions.dock.page


def texts(shell: Shell) -> list[list[str]]:
    model = page_of(shell).model
    return [[model.index(row, column).data() for column in Column] for row in range(model.rowCount())]


def put(shell: Shell, *interventions: Intervention) -> None:
    for intervention in interventions:
        shell.window.interventions.book.put(intervention)


def tries(shell: Shell) -> int:
    return sum(wish == ("try_interventions",) for wish in shell.session.wishes)


def shown_form(shell: Shell, change: Change | None = None) -> ListPage:
    """Put an intervention, and show its form."""
    put(shell, Intervention(1, "features.3", Slot.OUTPUT, change or Scale(2.0), "out"))
    page = page_of(shell)
    page.edit(1)
    return page
