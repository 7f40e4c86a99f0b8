"""The dock that says what a step runs: inputs, targets, loss, optimizer, and what of it can be chosen."""

import msgspec
from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QCheckBox, QDockWidget, QFormLayout, QLabel, QVBoxLayout, QWidget

from hookscope.client.state import ALLOWED
from hookscope.figures.text import format_shape
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.tall_content import TallContent
from hookscope.gui.workload_inputs import InputForm, InputTable, typed_form
from hookscope.gui.workload_loss import LossForm
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.tensors import BadgeKind, NamedSpec
from hookscope.protocol.tree import ModuleTree
from hookscope.protocol.workload import LossChoice, RunSettings, Source, SyntheticInput, WorkloadInfo, source_text

_LEAST_LINES = 11
"""What is kept of it when there is little room, in lines; the rest is scrolled."""


class WorkloadDock(QDockWidget):
    """Shows the workload of one session. It shows what the session says, never a wish of its own.

    Args:
        bridge: The session.
        parent: The main window.
    """

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._suggested_for: Source | None = None
        self._title = QLabel()
        self._source = _quiet_label()
        self._remarks = _quiet_label()
        self._nothing = _quiet_label(self.tr("Open a model to see what its steps run."))
        self.inputs = InputTable()
        self._targets = _quiet_label()
        self.loss = LossForm()
        self.optimizer = QCheckBox()
        self.restore = QCheckBox(self.tr("&Restore the state after each step"))
        self.eagerly = QCheckBox(self.tr("Run &eagerly"))
        self.form = InputForm()
        self._content = QWidget()
        self._assemble()
        for signal in (bridge.state_changed, bridge.model_loaded, bridge.settings_changed):
            signal.connect(self._update)
        bridge.model_loaded.connect(self._suggest_inputs)
        bridge.failure_raised.connect(self._tell_failure)
        self.inputs.ticks_changed.connect(self._choose_ticks)
        self.loss.chosen.connect(self._choose_loss)
        self.optimizer.clicked.connect(self._choose_optimizer)
        self.restore.clicked.connect(self._choose_restore)
        self.eagerly.clicked.connect(self._choose_eagerly)
        self.form.inputs_given.connect(self._give_inputs)
        self._update()
        self._suggest_inputs()

    def _assemble(self) -> None:
        self.setObjectName("workload")
        self.setWindowTitle(self.tr("Workload"))
        bold = self._title.font()
        bold.setBold(True)
        self._title.setFont(bold)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self.optimizer.setToolTip(self.tr("After backward, let the optimizer change the parameters."))
        self.eagerly.setToolTip(self.tr("Run compiled modules as they were written, so that hooks in them are called."))
        gap = self.fontMetrics().height() // 2
        choices = QFormLayout()
        choices.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        choices.addRow(self.tr("&Loss"), self.loss)
        for box in (self.optimizer, self.restore, self.eagerly):
            choices.addRow(box)
        choices.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows = QVBoxLayout(self._content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(gap)
        for widget in (self._title, self._source, self.inputs, self._targets, self._remarks, self.form):
            rows.addWidget(widget)
        rows.addLayout(choices)
        page = QWidget()
        outer = QVBoxLayout(page)
        outer.setContentsMargins(gap, gap, gap, gap)
        outer.addWidget(self._content)
        outer.addWidget(self._nothing)
        outer.addStretch()
        self.setWidget(TallContent(page, _LEAST_LINES * self.fontMetrics().lineSpacing()))
        self.setFocusProxy(self.form.field)

    @Slot()
    def _update(self) -> None:
        session, workload = self._session, self._session.workload
        self._content.setVisible(workload is not None)
        self._nothing.setVisible(workload is None)
        if workload is None:
            return
        settings, can_change = session.settings, session.state in ALLOWED["change_settings"]
        source = source_text(session.source) if session.source is not None else ""
        self._title.setText(workload.title)
        self._source.setText(source)
        self._source.setVisible(source != workload.title)
        self.inputs.show_inputs(workload.inputs, settings.requires_grad)
        self.inputs.setVisible(bool(workload.inputs))
        self.inputs.setEnabled(can_change)
        self._targets.setText(self._target_text(workload.targets))
        self._targets.setVisible(bool(workload.targets))
        self._remarks.setText("\n".join(self._remarks_on(workload)))
        self._remarks.setVisible(bool(self._remarks.text()))
        self.form.setVisible(workload.needs_input or workload.synthetic)
        self.form.setEnabled(session.state in ALLOWED["give_inputs"])
        self.loss.show_settings(workload, settings)
        self.optimizer.setChecked(settings.optimizer)
        self.loss.setEnabled(can_change)
        self.optimizer.setText(self.tr("&Optimizer steps ({name})").format(name=workload.optimizer_name))
        self.optimizer.setVisible(bool(workload.optimizer_name))
        self.optimizer.setEnabled(can_change)
        self._show_restore(workload, settings)
        self.restore.setEnabled(can_change)
        self.eagerly.setChecked(settings.run_eagerly)
        self.eagerly.setVisible(has_compiled(session.tree))
        self.eagerly.setEnabled(can_change)

    def _show_restore(self, workload: WorkloadInfo, settings: RunSettings) -> None:
        """Show what holds, which depends on the workload while nobody has chosen."""
        self.restore.setChecked(restores_state(workload, settings))
        what = self.tr(
            "Buffers, random state, gradients and flags are afterwards as they were before the step, so that every "
            "step is the same."
        )
        undone = self.tr("Parameters too: what the optimizer does is undone again.")
        self.restore.setToolTip(f"{what}\n{undone}" if workload.optimizer_name and settings.optimizer else what)

    def _target_text(self, targets: tuple[NamedSpec, ...]) -> str:
        lines = [
            f"{target.leaf}  {format_shape(target.spec.shape)}  {target.spec.dtype}"
            if target.spec is not None
            else f"{target.leaf}  {target.text}"
            for target in targets
        ]
        return "\n".join(lines)

    def _remarks_on(self, workload: WorkloadInfo) -> list[str]:
        remarks = []
        if workload.needs_input:
            remarks.append(self.tr("The layers do not tell what this model takes. Give the shapes to run it."))
        if workload.synthetic:
            remarks.append(self.tr("The inputs are made up: random numbers."))
        if workload.batches is not None and workload.batches > 1:
            remarks.append(self.tr("{count} batches, one a step").format(count=workload.batches))
        elif workload.batches is None and not workload.needs_input:
            remarks.append(self.tr("One batch a step; how many there are is not known"))
        return remarks

    @Slot()
    def _suggest_inputs(self) -> None:
        """Offer another model's made-up inputs for changing; what was typed for the same model stays."""
        source, workload = self._session.source, self._session.workload
        self.form.tell("")
        if workload is not None and source != self._suggested_for:
            self._suggested_for = source
            self.form.field.setText(typed_form(workload.inputs) if workload.synthetic else "")

    @Slot(object)
    def _tell_failure(self, failure: Failure) -> None:
        if failure.kind is FailureKind.BAD_INPUT and self.form.isVisibleTo(self._content):
            self.form.tell(failure.values.get("reason", ""))
        elif failure.kind is FailureKind.GRADIENT_UNUSABLE:
            self.loss.tell(failure.values.get("reason", ""))

    @Slot(object)
    def _choose_ticks(self, leaves: tuple[str, ...]) -> None:
        self._change(requires_grad=leaves)

    @Slot(object, str)
    def _choose_loss(self, loss: LossChoice, gradient_file: str) -> None:
        self._change(loss=loss, gradient_file=gradient_file)

    @Slot(bool)
    def _choose_optimizer(self, is_on: bool) -> None:
        self._change(optimizer=is_on)

    @Slot(bool)
    def _choose_restore(self, is_on: bool) -> None:
        """Take a choice; one that says what holds anyway leaves it to the workload again."""
        workload = self._session.workload
        is_default = workload is not None and is_on == (not workload.optimizer_name)
        self._change(restore_state=None if is_default else is_on)

    @Slot(bool)
    def _choose_eagerly(self, is_on: bool) -> None:
        self._change(run_eagerly=is_on)

    @Slot(object)
    def _give_inputs(self, inputs: tuple[SyntheticInput, ...]) -> None:
        if self._session.state in ALLOWED["give_inputs"]:
            self._session.give_inputs(inputs)

    def _change(self, **changes: object) -> None:
        settings = msgspec.structs.replace(self._session.settings, **changes)
        if settings != self._session.settings and self._session.state in ALLOWED["change_settings"]:
            self._session.change_settings(settings)

    def sizeHint(self) -> QSize:
        """Return a size that shows inputs with four dims."""
        character = self.fontMetrics().averageCharWidth()
        return QSize(max(44 * character, super().sizeHint().width()), super().sizeHint().height())


def restores_state(workload: WorkloadInfo, settings: RunSettings) -> bool:
    """Return whether a step leaves the state as it was: see `RunSettings.restore_state`."""
    return not workload.optimizer_name if settings.restore_state is None else settings.restore_state


def has_compiled(tree: ModuleTree | None) -> bool:
    """Return whether a model has compiled modules."""
    modules = tree.modules if tree is not None else ()
    return any(badge.kind is BadgeKind.COMPILED for module in modules for badge in module.badges)


def _quiet_label(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setProperty("quiet", True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
