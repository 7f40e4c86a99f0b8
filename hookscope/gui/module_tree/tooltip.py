"""What the tree says about a module when the pointer rests on it."""

import html
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from hookscope.figures.text import format_shape
from hookscope.gui.badge_text import badge_label, badge_sentence
from hookscope.gui.module_tree.mode_tag import ModeTag
from hookscope.protocol.tensors import Badge
from hookscope.protocol.tree import ModuleInfo, ParameterInfo

MAX_LINES = 12
"""Parameters and other names beyond this many are counted instead of listed."""


def module_tooltip(
    module: ModuleInfo, badges: Sequence[Badge], tag: ModeTag | None, changes: Sequence[str] = ()
) -> str:
    """Return path, class and arguments, other names, own parameters, and what is to be known about it, as HTML.

    Args:
        module: The module.
        badges: What is to be known about it.
        tag: In which mode its gradients are captured.
        changes: What is changed of it, in words.
    """
    title = module.path or module.name
    lines = [f"<b>{html.escape(title)}</b>&nbsp; {html.escape(f'{module.class_name}({module.description})')}"]
    if module.aliases:
        lines.append(html.escape(_translate("also: {names}").format(names=", ".join(module.aliases[:MAX_LINES]))))
    lines += [html.escape(_parameter_line(parameter)) for parameter in module.parameters[:MAX_LINES]]
    if len(module.parameters) > MAX_LINES:
        lines.append(_translate("and {count} more parameters").format(count=len(module.parameters) - MAX_LINES))
    if tag is not None:
        lines.append(_remark(tag.text, tag.sentence))
    lines += [_remark(badge_label(badge), badge_sentence(badge)) for badge in badges]
    lines += [html.escape(change) for change in changes]
    return f"<p style='white-space:pre-wrap'>{'<br>'.join(lines)}</p>"


def _remark(label: str, sentence: str) -> str:
    return f"<b>{html.escape(label)}</b>: {html.escape(sentence)}"


def _parameter_line(parameter: ParameterInfo) -> str:
    line = f"{parameter.name}  {format_shape(parameter.shape)}  {parameter.dtype}"
    return line if parameter.requires_grad else _translate("{parameter}, frozen").format(parameter=line)


def _translate(english: str) -> str:
    return QCoreApplication.translate("module_tree", english)
