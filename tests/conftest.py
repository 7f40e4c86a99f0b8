"""Guards for every test: nothing is left over, nothing unexpected is logged, no setting of the user is touched."""

import gc
import logging
import multiprocessing
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

# Offscreen unless someone wants to watch; has to be said before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

GRACE_S = 5.0
"""How long threads and processes that were told to end may take; a busy machine is no failure."""

_passed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Note whether the test itself passed: the traceback of a failed one keeps its objects alive."""
    report = yield
    if call.when == "call":
        item.stash[_passed] = report.passed
    return report


@pytest.fixture(scope="session", autouse=True)
def _home_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    places = {"HOME": home, "XDG_CONFIG_HOME": home / "config", "XDG_DATA_HOME": home / "data"}
    places |= {"XDG_CACHE_HOME": home / "cache", "XDG_STATE_HOME": home / "state", "APPDATA": home / "appdata"}
    with pytest.MonkeyPatch.context() as patch:
        for name, path in places.items():
            path.mkdir(exist_ok=True)
            patch.setenv(name, str(path))
        for name in [name for name in os.environ if name.startswith("HOOKSCOPE_")]:
            patch.delenv(name)
        yield


@pytest.fixture
def expected_logs() -> list[str]:
    """Patterns of warnings and errors that the test means to cause; each must match at least one record."""
    return []


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def _logs_nothing_unexpected(expected_logs: list[str]) -> Iterator[None]:
    collector = _Collector()
    logging.getLogger().addHandler(collector)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(collector)
    messages = [f"{record.levelname} {record.name}: {record.getMessage()}" for record in collector.records]
    unexpected = [text for text in messages if not any(re.search(pattern, text) for pattern in expected_logs)]
    missing = [pattern for pattern in expected_logs if not any(re.search(pattern, text) for text in messages)]
    assert not unexpected, "unexpected log records: " + "; ".join(unexpected)
    assert not missing, "log records that did not come: " + "; ".join(missing)


def _child_processes() -> set[int]:
    """Ids of our child processes, as the kernel (where it tells) and multiprocessing know them."""
    children = {child.pid for child in multiprocessing.active_children() if child.pid}
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            children.update(map(int, listing.read_text().split()))
        except OSError:  # that thread has just ended
            continue
    return {pid for pid in children if "resource_tracker" not in _command_line(pid)}


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def _wait_until_gone(threads_before: set[threading.Thread], children_before: set[int]) -> list[str]:
    """Return what is still there after the grace time, in words."""
    deadline = time.monotonic() + GRACE_S
    while True:
        threads = [thread for thread in threading.enumerate() if thread not in threads_before]
        children = _child_processes() - children_before
        if not (threads or children) or time.monotonic() > deadline:
            return [f"thread {thread.name!r}" for thread in threads] + [
                f"process {pid} ({_command_line(pid) or 'ended, but nobody waited for it'})" for pid in children
            ]
        time.sleep(0.01)


@pytest.fixture(scope="session", autouse=True)
def _session_leaves_no_threads_or_processes(_home_of_its_own: None) -> Iterator[None]:
    threads, children = set(threading.enumerate()), _child_processes()
    yield
    left = _wait_until_gone(threads, children)
    assert not left, "left over by a fixture: " + ", ".join(left)


@pytest.fixture(autouse=True)
def _leaves_no_threads_or_processes(request: pytest.FixtureRequest) -> Iterator[None]:
    threads, children = set(threading.enumerate()), _child_processes()
    yield
    if request.node.stash.get(_passed, False):
        left = _wait_until_gone(threads, children)
        assert not left, "left over: " + ", ".join(left)


@pytest.fixture(autouse=True)
def _leaves_no_widgets(request: pytest.FixtureRequest) -> Iterator[None]:
    known = _top_level_widgets()
    yield
    if not request.node.stash.get(_passed, False) or _top_level_widgets().keys() <= known.keys():
        return
    gc.collect()
    left = [text for address, text in _top_level_widgets().items() if address not in known]
    assert not left, "widgets left over: " + ", ".join(left)


def _top_level_widgets() -> dict[int, str]:
    """Top-level widgets without an owner, by their address; none as long as no test has made an application.

    Addresses and not the widgets themselves, for a reference to a wrapper would keep its widget alive.
    """
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return {}
    from PySide6.QtCore import QCoreApplication, QEvent  # noqa: PLC0415 - only where a test has imported Qt already
    from shiboken6 import getCppPointer  # noqa: PLC0415

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return {
        getCppPointer(widget)[0]: f"{type(widget).__name__} {widget.objectName()!r} {widget.windowTitle()!r}"
        for widget in widgets.QApplication.topLevelWidgets()
        # The one label that shows all tooltips is Qt's own and stays.
        if widget.parentWidget() is None and widget.metaObject().className() != "QTipLabel"
    }


@pytest.fixture(scope="module", autouse=True)
def _leaves_no_timers_or_qt_threads() -> Iterator[None]:
    """Once a module, for it looks at every object there is."""
    yield
    core = sys.modules.get("PySide6.QtCore")
    if core is None:
        return
    gc.collect()
    left = []
    for thing in gc.get_objects():
        if issubclass(type(thing), core.QTimer) and _is_alive(thing) and thing.isActive() and thing.parent() is None:
            left.append(f"a running timer without an owner, every {thing.interval()} ms")
        elif issubclass(type(thing), core.QThread) and _is_alive(thing) and thing.isRunning() and _is_ours(thing):
            left.append(f"thread {thing.objectName()!r} of {type(thing).__name__}")
    assert not left, "left over by this module: " + ", ".join(left)


def _is_alive(thing: object) -> bool:
    from shiboken6 import isValid  # noqa: PLC0415

    return bool(isValid(thing))


def _is_ours(thread: object) -> bool:
    """Whether a thread is another one than the main thread, which Qt adopted and is always running."""
    from PySide6.QtCore import QCoreApplication  # noqa: PLC0415

    application = QCoreApplication.instance()
    return application is None or thread != application.thread()
