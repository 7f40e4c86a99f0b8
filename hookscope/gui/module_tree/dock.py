"""The dock with the module tree: filter above, counts below, and the wiring to the session."""

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from hookscope.client.state import ALLOWED
from hookscope.gui.assets import icon
from hookscope.gui.current import Current
from hookscope.gui.module_tree.checks import CheckMarks
from hookscope.gui.module_tree.filter_field import FilterField
from hookscope.gui.module_tree.filters import Kept, apply_filter, parse_filter
from hookscope.gui.module_tree.layout import TreeLayout
from hookscope.gui.module_tree.model import ModuleTreeModel
from hookscope.gui.module_tree.view import ModuleTreeView
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.hooks import HookMode

FILTER_DELAY_MS = 150
"""How long typing must rest before the tree is filtered."""
OUTPUT_INTERVAL_MS = 100
"""How often outputs of a running model are written into the tree, at most."""

_LEAST_CHARS = 30
"""The dock is not made narrower than this, or no names could be read."""

OPEN_WHOLE_UP_TO = 300
"""A model with at most this many modules is shown with everything open, a larger one with the root open."""


class ModuleTreeDock(QDockWidget):
    """Shows the modules of one session, and lets a person check, filter and select them.

    Args:
        bridge: The session.
        current: What the window is looking at; selecting a row sets it, and it marks the row.
        parent: The main window.

    Signals:
        operations_requested: The operations of a module should be shown; its path.
        change_requested: A tensor of a module should be changed; see `ModuleMenu`.
    """

    operations_requested = Signal(str)
    change_requested = Signal(str, object, bool)

    def __init__(self, bridge: SessionBridge, current: Current, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._current = current
        self._kept = Kept((), ())
        self._newer: set[str] = set()
        self._is_shown = False
        self._is_fresh = False
        self.model = ModuleTreeModel(bridge.session, self)
        self.view = ModuleTreeView(self.model)
        self.filter_field = FilterField(self.view)
        self.check_button = QToolButton()
        self.check_button.setAccessibleName(self.tr("Check all matching"))
        self._checked_label = QLabel()
        self._matches_label = QLabel()
        self._filter_timer = QTimer(self, singleShot=True, interval=FILTER_DELAY_MS)
        self._output_timer = QTimer(self, singleShot=True, interval=OUTPUT_INTERVAL_MS)
        self._assemble()
        self._connect()
        self._show([])
        self._follow_model()

    def _assemble(self) -> None:
        self.setObjectName("modules")
        self.setWindowTitle(self.tr("Modules"))
        above, below, rows = QHBoxLayout(), QHBoxLayout(), QVBoxLayout()
        above.addWidget(self.filter_field)
        above.addWidget(self.check_button)
        for label in (self._checked_label, self._matches_label):
            label.setProperty("quiet", True)
        below.addWidget(self._checked_label)
        below.addStretch()
        below.addWidget(self._matches_label)
        rows.addLayout(above)
        self._tree_row = QHBoxLayout()
        self._tree_row.setSpacing(0)
        self._tree_row.addWidget(self.view)
        rows.addLayout(self._tree_row)
        rows.addLayout(below)
        gap = self.fontMetrics().height() // 2
        rows.setContentsMargins(gap, 0, gap, gap)
        rows.setSpacing(gap)
        above.setSpacing(gap // 2)
        content = QWidget()
        content.setLayout(rows)
        content.setMinimumWidth(_LEAST_CHARS * self.fontMetrics().averageCharWidth())
        self.setWidget(content)
        self._tint()

    def _connect(self) -> None:
        bridge = self._bridge
        bridge.state_changed.connect(self._follow_state)
        bridge.model_loaded.connect(self._follow_model)
        bridge.hooks_changed.connect(self._follow_checks)
        bridge.settings_changed.connect(self.model.forget_findings)
        bridge.records_changed.connect(self._note_outputs)
        bridge.stopped.connect(self._follow_current)
        self._current.changed.connect(self._follow_current)
        self.visibilityChanged.connect(self._follow_visibility)
        self.model.check_requested.connect(self._check)
        self.view.menu.check_requested.connect(self._check)
        self.view.menu.mode_requested.connect(self._set_mode)
        self.view.menu.operations_requested.connect(self.operations_requested)
        self.view.menu.change_requested.connect(self.change_requested)
        self.view.module_selected.connect(self._select)
        self.filter_field.textChanged.connect(self._filter_timer.start)
        self.filter_field.returnPressed.connect(self.go_to_next_match)
        self.check_button.clicked.connect(self.check_matching)
        self._filter_timer.timeout.connect(self._filter)
        self._output_timer.timeout.connect(self._write_outputs)

    def focus_filter(self) -> None:
        """Go to the filter, ready for a new one to be typed."""
        self.show()
        self.raise_()
        self.filter_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter_field.selectAll()

    def set_gutter(self, gutter: QWidget) -> None:
        """Put a strip to the left of the tree, whose rows it follows."""
        self._tree_row.insertWidget(0, gutter)

    @Slot()
    def check_matching(self) -> None:
        """Check every module that the filter matches; without a filter, every module."""
        self._filter_now()
        self._check(self.model.marks.changed_with(self._kept.matches, checked=True))

    def uncheck_all(self) -> None:
        """Uncheck every module, whatever the filter shows."""
        self._check(())

    @Slot()
    def go_to_next_match(self) -> None:
        """Make the next module that the filter matches the current one; after the last comes the first."""
        self._filter_now()
        matches, path = self._kept.matches, self._current.path
        if matches:
            here = -1 if path is None else self.model.layout.index_of.get(path, -1)
            self._select(next((match for match in matches if match > here), matches[0]))

    @Slot(object)
    def _check(self, paths: tuple[str, ...]) -> None:
        if self._can_check():
            self._bridge.session.check(paths)
            self._follow_checks()

    @Slot(object, object)
    def _set_mode(self, paths: tuple[str, ...], mode: HookMode) -> None:
        if self._can_check():
            self._bridge.session.set_hook_mode(paths, mode)
            self._follow_checks()

    def _can_check(self) -> bool:
        session = self._bridge.session
        return session.tree is not None and session.state in ALLOWED["check"]

    @Slot(int)
    def _select(self, module: int) -> None:
        self._current.select_module(self.model.layout.modules[module].path)

    @Slot()
    def _follow_model(self) -> None:
        session = self._bridge.session
        layout = TreeLayout.of(session.tree)
        if layout.modules != self.model.layout.modules:
            is_same_shape = layout.index_of == self.model.layout.index_of
            opened = self.view.open_modules() if is_same_shape else _first_opened(layout)
            self.model.set_tree(layout, CheckMarks(layout, session.checked))
            self._show(opened)
        self.model.forget_findings()
        self.view.set_has_outputs(bool(session.records.step))
        self._is_fresh = True
        self._follow_state()
        self._follow_checks()

    @Slot()
    def _follow_state(self) -> None:
        self.model.set_checkable(self._can_check())
        self.check_button.setEnabled(self.model.is_checkable and bool(self._kept.matches))

    @Slot()
    def _follow_checks(self) -> None:
        layout = self.model.layout
        self.model.set_marks(CheckMarks(layout, self._bridge.session.checked))
        self.view.viewport().update()  # the tags behind the classes
        text = self.tr("{count} of {total} checked").format(count=self.model.marks.count, total=len(layout.modules))
        self._checked_label.setText(text if layout.modules else "")

    @Slot()
    def _follow_current(self) -> None:
        path = self._current.path
        self.view.mark(self.model.layout.index_of.get(path) if path is not None else None)

    @Slot(bool)
    def _follow_visibility(self, shown: bool) -> None:
        self._is_shown = shown
        if shown:
            self._write_outputs()

    @Slot(object)
    def _note_outputs(self, paths: frozenset[str]) -> None:
        self._newer |= paths
        if not self._output_timer.isActive():
            self._output_timer.start()

    @Slot()
    def _write_outputs(self) -> None:
        if not self._is_shown:
            return
        if self._is_fresh:
            # The first records of a model that was loaded again replace all those of its former debuggee.
            self.model.forget_findings()
        self.model.refresh_findings(self._newer)
        self.view.set_has_outputs(bool(self._bridge.session.records.step))
        self._newer.clear()
        self._is_fresh = False

    def _filter_now(self) -> None:
        if self._filter_timer.isActive():
            self._filter()

    @Slot()
    def _filter(self) -> None:
        self._show(self.view.open_modules())

    def _show(self, opened: list[int]) -> None:
        """Show what the filter keeps; `opened` is open when it keeps everything."""
        self._filter_timer.stop()
        wanted = parse_filter(self.filter_field.text())
        self._kept = apply_filter(wanted, self.model.layout)
        if wanted.is_empty:
            self.view.show_all(opened)
        else:
            self.view.show_rows(self._kept.rows, opened)
        self._follow_current()
        self._tell_matches(is_filtered=not wanted.is_empty)
        self._follow_state()

    def _tell_matches(self, *, is_filtered: bool) -> None:
        matches, total = len(self._kept.matches), len(self.model.layout.modules)
        shown = self.tr("{count} of {total} modules").format(count=matches, total=total)
        self._matches_label.setText(shown if is_filtered and total else "")
        self.check_button.setToolTip(
            self.tr("Check all {count} matching modules").format(count=matches)
            if is_filtered
            else self.tr("Check all modules")
        )
        no_model = self.tr("Open a model to see its modules.")
        self.view.set_empty_text(self.tr("No module matches this filter.") if total else no_model)

    def _tint(self) -> None:
        self.filter_field.tint()
        self.check_button.setIcon(icon("msc.check-all"))

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def sizeHint(self) -> QSize:
        """Return a size that shows names, classes and output shapes of a usual model."""
        character = self.fontMetrics().averageCharWidth()
        return QSize(44 * character, 80 * character)


def _first_opened(layout: TreeLayout) -> list[int]:
    return layout.containers if len(layout.modules) <= OPEN_WHOLE_UP_TO else [0]
