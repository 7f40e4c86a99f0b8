"""Opens the window offscreen, drives it through its session, and writes one PNG a scene."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.gui.app import create_application
from hookscope.gui.headless import HEADLESS_SIZE
from hookscope.gui.main_window import MainWindow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import Distribution, UpdateRatio
from hookscope.protocol.workload import ExampleSource

FOLDER = Path(__file__).parents[2] / "resources" / "screenshots"
GIVE_UP_S = 120
_PLOTS_HEIGHT = 280


@dataclass(frozen=True)
class Scene:
    """One picture.

    Attributes:
        file: Its name.
        example: What is opened, everything checked.
        drive: What is done then, step by step; each part is done when the session has come to rest.
        ref: What the panels look at in the end, if that is not the tensor at hand.
        arrange: What is done with the window at last.
        prepare: What is done with it before anything is run.
    """

    file: str
    example: str
    drive: tuple[Callable[[DebugSession], None], ...]
    ref: TensorRef | None = None
    arrange: Callable[[MainWindow], None] | None = None
    prepare: Callable[[MainWindow], None] | None = None


def _steps(count: int) -> Callable[[DebugSession], None]:
    return lambda session: session.run(count)


def _zero_a_channel(window: MainWindow) -> None:
    window.interventions.change_channel(TensorRef("features.0", Slot.OUTPUT, "out"), 1, 3)


def _show_layers(window: MainWindow) -> None:
    window.docks.bring_up("layers")


def _follow(window: MainWindow) -> None:
    for ref, kind in (
        (TensorRef("features.3", Slot.GRAD_OUTPUT, "out"), Distribution()),
        (TensorRef("classifier.3", Slot.PARAMETER, "weight"), UpdateRatio()),
    ):
        window.series.following.follow(ref, kind)


def _look_around(window: MainWindow) -> None:
    assert window.panels is not None
    for kind, ref in (
        ("kernels", TensorRef("features.3", Slot.PARAMETER, "weight")),
        ("embedding", TensorRef("classifier.3", Slot.OUTPUT, "out")),
    ):
        window.panels.add_panel(kind, ref)
    window.docks.bring_up("series")
    window.resizeDocks([window.series.dock], [_PLOTS_HEIGHT], Qt.Orientation.Vertical)


SCENES = (
    Scene("window.png", "digits", (_steps(20),)),
    Scene(
        "stopped.png",
        "digits",
        (_steps(5), DebugSession.to_end_of_forward, lambda session: session.run_to("features.3")),
    ),
    Scene(
        "broken_exploding.png",
        "broken_exploding",
        (_steps(1),),
        TensorRef("blocks.0", Slot.GRAD_OUTPUT, "out"),
        _show_layers,
    ),
    Scene("broken_nan.png", "broken_nan", (DebugSession.to_non_finite,)),
    Scene("broken_dead.png", "broken_dead", (_steps(1),), TensorRef("relu", Slot.OUTPUT, "out")),
    Scene(
        "broken_detached.png",
        "broken_detached",
        (_steps(1),),
        TensorRef("outline.conv", Slot.GRAD_OUTPUT, "out"),
    ),
    Scene("changed.png", "digits", (_steps(5),), TensorRef("features.0", Slot.OUTPUT, "out"), _zero_a_channel),
    Scene(
        "tensors.png",
        "digits",
        (_steps(60),),
        TensorRef("features.3", Slot.OUTPUT, "out"),
        _look_around,
        _follow,
    ),
)
"""The last one leaves panels behind."""
RESTING = {SessionState.IDLE, SessionState.STOPPED}


def _pump(app: QApplication, is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + GIVE_UP_S
    while not is_done():
        if time.monotonic() > deadline:
            raise TimeoutError("the window did not come to rest")
        app.processEvents()
        time.sleep(0.01)


def _rest(app: QApplication, window: MainWindow, session: DebugSession) -> None:
    _pump(app, lambda: session.state in RESTING and not session.is_trying)
    for _ in range(30):  # what arrives with the rest asks for further views
        _pump(app, lambda: window.is_settled)


def _take(app: QApplication, window: MainWindow, bridge: SessionBridge, scene: Scene) -> None:
    session = bridge.session
    window.handlers.opening.open_source(ExampleSource(scene.example))
    _pump(app, lambda: session.source == ExampleSource(scene.example) and session.state is SessionState.IDLE)
    assert session.tree is not None
    session.check(module.path for module in session.tree.modules)
    session.trace_steps = True
    if scene.prepare is not None:
        scene.prepare(window)
    for part in scene.drive:
        part(session)
        _rest(app, window, session)
    if scene.ref is not None:
        window.current.select_ref(scene.ref)
        _rest(app, window, session)
    if scene.arrange is not None:
        scene.arrange(window)
        _rest(app, window, session)
    window.handlers.pictures.write_window(FOLDER / scene.file)
    print(f"{FOLDER / scene.file}", file=sys.stderr)
    window.interventions.book.clear()
    if session.state is SessionState.STOPPED:
        session.stop()
        _pump(app, lambda: session.state is SessionState.IDLE)


def main() -> int:
    """Take all pictures, or those whose scenes are named."""
    wanted = sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    app = create_application(sys.argv[:1])
    settings = Settings(MemoryStore())
    bridge = SessionBridge(app)
    theme = ThemeSwitch(app, settings)
    window = MainWindow(bridge, settings, theme)
    window.resize(HEADLESS_SIZE)
    window.show()
    try:
        for scene in SCENES:
            if not wanted or scene.file.removesuffix(".png") in wanted:
                _take(app, window, bridge, scene)
    finally:
        app.closeAllWindows()
        bridge.close()
        for thing in (window, bridge, theme):
            thing.deleteLater()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
