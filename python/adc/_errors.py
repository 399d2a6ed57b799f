"""The exceptions that adc raises."""

from __future__ import annotations

import json
from typing import Any


class Error(Exception):
    """An error of adc.

    ``text`` is the message as the command line prints it, with source lines. ``code`` is the code of the first message
    (``"ADC0201"``) and ``span`` the place that it marks: file, byte offsets, lines and columns. ``diagnostics`` has all messages as
    ``--format json`` gives them.
    """

    def __init__(self, text: str, diagnostics: str = "[]") -> None:
        super().__init__(text)
        self.text = text
        self._json = diagnostics
        self.diagnostics: list[dict[str, Any]] = json.loads(diagnostics)

    @property
    def code(self) -> str | None:
        return self.diagnostics[0]["code"] if self.diagnostics else None

    @property
    def span(self) -> dict[str, Any] | None:
        labels = self.diagnostics[0]["labels"] if self.diagnostics else []
        primary = [label for label in labels if label["primary"]] or labels
        return primary[0]["span"] if primary else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self._json)


class DiagnosticError(Error):
    """A model is wrong, or what is asked of it is."""


class RunError(Error):
    """A model ran into an error: an index, a domain, an assertion, a limit, an extern function."""


class UsageError(Error, TypeError):
    """Arguments that do not fit the function."""


class CheckFailed(Error, AssertionError):
    """A check did not pass. ``report`` is the report as a dictionary."""

    def __init__(self, text: str, report: dict[str, Any]) -> None:
        super().__init__(text, json.dumps(report.get("diagnostics", [])))
        self.report = report

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.report)
