"""Where a NaN or an infinity was born, in words; for the command line and the window alike."""

from collections.abc import Callable

from hookscope.protocol.stops import NonFiniteOrigin, OriginPhase

SENTENCES: dict[OriginPhase, str] = {
    OriginPhase.INPUT: "{what} in the input {operation} of the model: it was there before the step began.",
    OriginPhase.PARAMETER: "{what} in the parameter {operation} of {module}: it was there before the step began.",
    OriginPhase.FORWARD: "{what} born in forward, in {module}, operation {operation}.",
    OriginPhase.LOSS: "{what} born in the loss, operation {operation}.",
    OriginPhase.BACKWARD: "{what} born in backward, in {module}, by the gradient of operation {operation}.",
}
"""One row a phase."""


def origin_lines(origin: NonFiniteOrigin, translate: Callable[[str], str] = str) -> list[str]:
    """Say where it was born: a sentence, then the source line if it is known.

    Args:
        origin: What was found.
        translate: Puts the sentence into the reader's language.
    """
    module = f"{origin.path or 'the root'} ({origin.class_name})" + (f", call {origin.call}" if origin.call else "")
    sentence = translate(SENTENCES[origin.phase]).format(
        what=origin.what, module=module, operation=origin.operation or "?"
    )
    lines = [f"step {origin.step}: {sentence}"]
    if origin.file:
        lines.append(f"{origin.file}:{origin.line}: {origin.code}")
    return lines
