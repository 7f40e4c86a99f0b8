"""What the tree says about a module when the pointer rests on it."""

import html

from PySide6.QtCore import QCoreApplication

from hookscope.figures.text import format_shape
from hookscope.gui.badge_text import badge_sentence
from hookscope.protocol.tensors import Record
from hookscope.protocol.tree import ModuleInfo, ParameterInfo

MAX_LINES = 12
"""Parameters and other names beyond this many are counted instead of listed."""


def module_tooltip(module: ModuleInfo, output: Record | None) -> str:
    """Return path, class and arguments, other names, own parameters, and the badges of the newest output, as HTML."""
    title = module.path or module.name
    lines = [f"<b>{html.escape(title)}</b>&nbsp; {html.escape(f'{module.class_name}({module.description})')}"]
    if module.aliases:
        lines.append(html.escape(_translate("also: {names}").format(names=", ".join(module.aliases[:MAX_LINES]))))
    lines += [html.escape(_parameter_line(parameter)) for parameter in module.parameters[:MAX_LINES]]
    if len(module.parameters) > MAX_LINES:
        lines.append(_translate("and {count} more parameters").format(count=len(module.parameters) - MAX_LINES))
    if output is not None:
        lines += [html.escape(badge_sentence(badge)) for badge in output.badges]
    return f"<p style='white-space:pre-wrap'>{'<br>'.join(lines)}</p>"


def _parameter_line(parameter: ParameterInfo) -> str:
    line = f"{parameter.name}  {format_shape(parameter.shape)}  {parameter.dtype}"
    return line if parameter.requires_grad else _translate("{parameter}, frozen").format(parameter=line)


def _translate(english: str) -> str:
    return QCoreApplication.translate("module_tree", english)
