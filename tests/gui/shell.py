"""A whole window around a session that only notes what is asked of it."""

from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from hookscope.client.state import ALLOWED, SessionState
from hookscope.gui.main_window import MainWindow
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.devices import DeviceInfo
from hookscope.protocol.events import Hello, StepFinished, StepProgress
from hookscope.protocol.failures import Failure
from hookscope.protocol.tree import ModuleTree
from hookscope.protocol.workload import RunSettings, Source, SyntheticInput, WorkloadInfo
from tests.gui.fakes import FakeBridge, FakeSession

DEVICES = (
    DeviceInfo("cpu", "CPU"),
    DeviceInfo("cuda", "CUDA", unavailable="This build of PyTorch has no CUDA."),
)


class NotingSession(FakeSession):
    def __init__(self, tree: ModuleTree | None = None, workload: WorkloadInfo | None = None) -> None:
        super().__init__(tree, workload)
        self.asked: list[str] = []
        self.wanted_source: Source | None = self.source
        self.history: list[StepFinished] = []
        self.progress: StepProgress | None = None
        self.failure: Failure | None = None
        self.hello: Hello | None = None
        self.devices: tuple[DeviceInfo, ...] = ()

    def _note(self, intent: str) -> None:
        assert self.state in ALLOWED[intent], f"{intent} is not allowed while {self.state}"
        self.asked.append(intent)

    def open(self, source: Source, *, inputs: tuple[SyntheticInput, ...] = ()) -> None:
        self._note("open")
        self.wanted_source = source

    def cancel(self) -> None:
        self._note("cancel")

    def step(self) -> None:
        self._note("step")

    def run(self, count: int | None = None) -> None:
        self._note("run")

    def pause(self) -> None:
        self._note("pause")

    def stop(self) -> None:
        self._note("stop")

    def restart(self) -> None:
        self._note("restart")

    def change_settings(self, settings: RunSettings) -> None:
        self._note("change_settings")
        super().change_settings(settings)

    def dismiss_failure(self) -> None:
        self.failure = None

    def request_view(self, *_: object) -> None:
        self._note("request_view")


@dataclass
class Shell:
    """A window and everything that a test wants to reach."""

    app: QApplication
    settings: Settings = field(default_factory=lambda: Settings(MemoryStore()))
    session: NotingSession = field(default_factory=NotingSession)

    def __post_init__(self) -> None:
        self.bridge = FakeBridge(self.session)
        self.theme = ThemeSwitch(self.app, self.settings)
        self.window = MainWindow(self.bridge, self.settings, self.theme)  # type: ignore[arg-type]

    def fail(self, failure: Failure) -> None:
        self.session.failure = failure
        self.bridge.failure_raised.emit(failure)

    def close(self) -> None:
        self.window.close()
        self.window.deleteLater()
        self.theme.deleteLater()
        # Pytest keeps the shell for longer than the guard against left-over widgets looks away.
        del self.window
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    def load(self, tree: ModuleTree, title: str = "Net") -> None:
        self.session.devices = DEVICES
        self.bridge.load(tree, WorkloadInfo(title))
        self.bridge.enter(SessionState.IDLE)
