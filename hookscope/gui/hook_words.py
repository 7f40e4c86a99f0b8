"""Hook modes in words: how the gradients of a module are captured, and at what price."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from hookscope.protocol.hooks import HookMode


@dataclass(frozen=True)
class ModeWords:
    """One mode.

    Attributes:
        tag: One word, for behind the class of a module.
        title: Its name in a menu.
        sentence: What it shows, and what it does to the model.
    """

    tag: str
    title: str
    sentence: str


WORDS: dict[HookMode, ModeWords] = {
    HookMode.EXACT: ModeWords(
        "exact",
        "Exact",
        "Hooks on the nodes of the graph; the model keeps every bit, and operations in place are no trouble.",
    ),
    HookMode.NATIVE: ModeWords(
        "native",
        "Native (full backward hook)",
        "What PyTorch’s register_full_backward_hook delivers, with all that it changes in the model.",
    ),
    HookMode.ALIAS: ModeWords(
        "alias",
        "Alias",
        "As exact, on a view of each input: tells apart the share of a module that returns its input, and of inputs "
        "that are one tensor.",
    ),
    HookMode.LEGACY: ModeWords(
        "legacy",
        "Legacy (backward hook)",
        "What the deprecated register_backward_hook of old tutorials delivers, which can mislead.",
    ),
}
"""One row a mode, in the order of menus."""


def mode_tag(mode: HookMode) -> str:
    """Return one word for a mode."""
    return _translate(WORDS[mode].tag)


def mode_title(mode: HookMode) -> str:
    """Return the name of a mode."""
    return _translate(WORDS[mode].title)


def mode_sentence(mode: HookMode) -> str:
    """Return what a mode shows, and what it does to the model."""
    return _translate(WORDS[mode].sentence)


def _translate(english: str) -> str:
    return QCoreApplication.translate("hook_modes", english)
