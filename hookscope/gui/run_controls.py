"""The device box and the seed box of the toolbar."""

import msgspec
from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QWidget

from hookscope.client.state import ALLOWED
from hookscope.figures.text import format_bytes
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.devices import DeviceInfo

_NO_SEED = -1
_MAX_SEED = 2**31 - 1


class RunControls(QWidget):
    """Chooses where the model runs and how steps are seeded. It shows what the session says, never a wish of its own.

    Devices that cannot be used are listed too, greyed, with the reason as their tooltip.
    """

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._devices = QStandardItemModel(self)
        self._device = QComboBox(self)
        self._device.setModel(self._devices)
        self._device.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._device.setAccessibleName(self.tr("Device"))
        self._device.setToolTip(self.tr("Device\nWhere the model runs; changing it moves the model."))
        self._device.activated.connect(self._choose_device)
        self._seed = QSpinBox(self)
        self._seed.setRange(_NO_SEED, _MAX_SEED)
        self._seed.setSpecialValueText(self.tr("none"))
        self._seed.setKeyboardTracking(False)
        self._seed.setMaximumWidth(self.fontMetrics().horizontalAdvance("0" * 12))
        self._seed.setAccessibleName(self.tr("Seed"))
        self._seed.setToolTip(
            self.tr("Seed\nStep 1 starts from this seed, step 2 from the next; below 0 the random state is left alone.")
        )
        self._seed.valueChanged.connect(self._choose_seed)
        label = QLabel(self.tr("S&eed"), self)
        label.setBuddy(self._seed)
        label.setProperty("quiet", True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 0, 6, 0)
        for widget in (self._device, label, self._seed):
            layout.addWidget(widget)
        for signal in (bridge.state_changed, bridge.model_loaded, bridge.settings_changed):
            signal.connect(self._update)
        self._update()

    @Slot()
    def _update(self) -> None:
        settings = self._session.settings
        with QSignalBlocker(self._device), QSignalBlocker(self._seed):
            self._show_devices(settings.device)
            self._seed.setValue(_NO_SEED if settings.seed is None else settings.seed)
        self.setEnabled(self._session.state in ALLOWED["change_settings"])

    def _show_devices(self, chosen: str) -> None:
        devices = list(self._session.devices)
        if not any(device.name == chosen for device in devices):
            devices.insert(0, DeviceInfo(chosen, chosen))
        if [device.name for device in devices] != self._names():
            self._devices.clear()
            for device in devices:
                self._devices.appendRow(_item(device))
        self._device.setCurrentIndex(self._names().index(chosen))

    def _names(self) -> list[str]:
        rows = range(self._devices.rowCount())
        return [str(self._devices.item(row).data(Qt.ItemDataRole.UserRole)) for row in rows]

    @Slot(int)
    def _choose_device(self, row: int) -> None:
        self._change(device=self._names()[row])

    @Slot(int)
    def _choose_seed(self, value: int) -> None:
        self._change(seed=None if value == _NO_SEED else value)

    def _change(self, **changes: object) -> None:
        settings = msgspec.structs.replace(self._session.settings, **changes)
        if settings != self._session.settings:
            self._session.change_settings(settings)


def _item(device: DeviceInfo) -> QStandardItem:
    text = device.label
    if device.total_bytes and device.name != "cpu":
        text = f"{text} · {format_bytes(device.total_bytes)}"
    item = QStandardItem(text)
    item.setData(device.name, Qt.ItemDataRole.UserRole)
    item.setToolTip(device.unavailable or text)
    item.setEnabled(not device.unavailable)
    return item
