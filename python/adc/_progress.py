"""The bar of a running check: in a notebook a progress element, on a terminal a line."""

from __future__ import annotations

import html
import sys
import time
from typing import Any


class _Quiet:
    """Nothing is shown."""

    def begin(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.show("")

    def step(self, name: str) -> None:
        self.done += 1
        self.show(name)

    def end(self) -> None:
        pass

    def show(self, name: str) -> None:
        pass


class _Notebook(_Quiet):
    def __init__(self, model: str) -> None:
        from IPython.display import DisplayHandle

        self.model = html.escape(model)
        self.handle: Any = DisplayHandle()
        self.shown = False

    def _html(self, name: str) -> Any:
        from IPython.display import HTML

        label = f"checked {self.done} of {self.total} functions of {self.model}"
        last = f" · <code>{html.escape(name)}</code>" if name else ""
        return HTML(f"<progress value={self.done} max={max(self.total, 1)}></progress> {label}{last}")

    def show(self, name: str) -> None:
        if self.shown:
            self.handle.update(self._html(name))
        else:
            self.shown = True
            self.handle.display(self._html(name))


class _Terminal(_Quiet):
    """Shown after a second, and removed at the end."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.start = time.monotonic()
        self.width = 0

    def show(self, name: str) -> None:
        if time.monotonic() - self.start > 1:
            line = f"{self.model}: {self.done} of {self.total} {name}"
            self.width = max(self.width, len(line))
            print(f"\r{line.ljust(self.width)}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.width:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell is not None else None
    return current is not None and getattr(current, "kernel", None) is not None


def bar(model: str, wanted: bool | None) -> _Quiet:
    if wanted is False:
        return _Quiet()
    if _in_notebook():
        return _Notebook(model)
    if wanted or sys.stderr.isatty():
        return _Terminal(model)
    return _Quiet()
