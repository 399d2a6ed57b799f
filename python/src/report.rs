//! Reports of checks.

use crate::errors::diagnostics;
use crate::model::{Shared, unknown};
use adc::cli::check_report::{CURVES, report_json, report_page, report_text};
use adc::{Cancel, CheckObserver, CheckOptions, FileReport, Selection, Status, Style, check_observed};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often the main thread looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// What is checked and how.
pub(crate) struct Wanted {
    pub(crate) function: Option<String>,
    pub(crate) wrt: Option<Vec<String>>,
    pub(crate) dims: Vec<(String, i64)>,
    pub(crate) points: Option<usize>,
    pub(crate) seed: Option<u64>,
    pub(crate) strict: bool,
    pub(crate) progress: Option<bool>,
}

/// What the check says while it runs.
enum Event {
    Begin(usize),
    Done(String),
}

struct Watcher {
    events: Mutex<Sender<Event>>,
    cancel: Cancel,
}

impl Watcher {
    fn tell(&self, event: Event) {
        // If nobody listens any more, the check ends anyway.
        let _ = self.events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}

impl CheckObserver for Watcher {
    fn begin(&self, functions: usize) {
        self.tell(Event::Begin(functions));
    }

    fn done(&self, report: &adc::Report) {
        self.tell(Event::Done(report.name.clone()));
    }

    fn cancel(&self) -> Option<&Cancel> {
        Some(&self.cancel)
    }
}

/// The result of a check.
#[pyclass(frozen, module = "adc")]
pub(crate) struct Report {
    report: FileReport,
    strict: bool,
}

impl Report {
    pub(crate) fn new(py: Python<'_>, shared: &Arc<Shared>, wanted: Wanted) -> PyResult<Report> {
        let mut options = CheckOptions::from(&**shared);
        options.settings.points = wanted.points;
        options.settings.seed = wanted.seed;
        options.settings.curves = CURVES;
        let mut selection = Selection::default().with_dims(wanted.dims.clone());
        if let Some(name) = &wanted.function {
            if shared.model.function(name).is_err() {
                return Err(unknown(py, name));
            }
            selection = selection.with_function(name.clone());
        }
        if let Some(wrt) = &wanted.wrt {
            selection = selection.with_wrt(&wrt[..]);
        }
        let bar =
            py.import("adc._progress")?.getattr("bar")?.call1((&shared.name, wanted.progress))?.unbind();
        let (events, heard) = channel();
        let watcher = Watcher { events: Mutex::new(events), cancel: Cancel::new() };
        let mut raised = None;
        let (said, shown) = (&mut raised, &bar);
        let report = py.detach(move || {
            std::thread::scope(|scope| {
                let cancel = watcher.cancel.clone();
                let work = scope.spawn(move || check_observed(&shared.model, &options, &selection, &watcher));
                loop {
                    let event = heard.recv_timeout(TICK);
                    let over = matches!(event, Err(RecvTimeoutError::Disconnected));
                    let told = Python::attach(|py| {
                        match event {
                            Ok(Event::Begin(n)) => drop(shown.call_method1(py, "begin", (n,))?),
                            Ok(Event::Done(name)) => drop(shown.call_method1(py, "step", (name,))?),
                            Err(_) => {}
                        }
                        py.check_signals()
                    });
                    if let (Err(e), None) = (told, &said) {
                        *said = Some(e);
                        cancel.cancel();
                    }
                    if over {
                        break;
                    }
                }
                work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        });
        bar.call_method0(py, "end")?;
        if let Some(e) = raised {
            return Err(e);
        }
        let report = report.map_err(|d| diagnostics(py, "DiagnosticError", &d))?;
        if report.reports.iter().any(|r| r.status == Status::Interrupted) {
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        Ok(Report { report, strict: wanted.strict })
    }
}

#[pymethods]
impl Report {
    /// Whether every check passed, and there was one.
    #[getter]
    fn passed(&self) -> bool {
        let r = &self.report.reports;
        !r.is_empty() && r.iter().all(|r| r.status.passes(self.strict))
    }

    /// The report as `adc check` prints it.
    #[getter]
    fn text(&self) -> String {
        report_text(&self.report, Style::default(), false)
    }

    /// The report as `adc check --format json` gives it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (report_json(&self.report),))
    }

    /// Raises `adc.CheckFailed` with the report unless the check passed.
    fn raise_if_failed(slf: &Bound<'_, Report>) -> PyResult<()> {
        if slf.get().passed() {
            return Ok(());
        }
        let class = slf.py().import("adc._errors")?.getattr("CheckFailed")?;
        Err(PyErr::from_value(class.call1((slf.get().text(), slf.get().to_dict(slf.py())?))?))
    }

    /// The page of `adc check --report`.
    fn to_html(&self) -> String {
        report_page(&self.report)
    }

    /// The page in a frame of its own: its style does not touch the notebook's.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page = py.import("html")?.call_method1("escape", (report_page(&self.report),))?;
        let height = 160 + 60 * self.report.reports.len().min(10);
        Ok(format!(
            "<iframe sandbox style=\"width:100%;height:{height}px;border:0;resize:vertical\" srcdoc=\"{page}\"></iframe>"
        ))
    }

    fn __repr__(&self) -> String {
        self.text()
    }

    fn __bool__(&self) -> bool {
        self.passed()
    }
}
