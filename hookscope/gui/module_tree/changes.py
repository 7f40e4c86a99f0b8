"""What interventions change of a module, in words."""

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from hookscope.figures.intervention_words import word_change, word_place
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tree import ModuleInfo


def changes_of(interventions: Iterable[Intervention], module: ModuleInfo) -> list[str]:
    """Return one text per intervention that is on and changes something of the module, under whatever name."""
    names = {module.path, *module.aliases}
    return [
        f"{word_place(one, module.name, _translate)}: {word_change(one.change, _translate)}"
        for one in interventions
        if one.enabled and one.path in names
    ]


def _translate(english: str) -> str:
    return QCoreApplication.translate("interventions", english)
