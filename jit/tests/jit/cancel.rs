//! Runs that are ended from other threads.

use crate::jit::{compile, parse};
use adc_ir::interp::Limits;
use adc_ir::{Datum, RuntimeError, Trap};
use adc_jit::{Cancel, Workspace};
use std::sync::mpsc::channel;

const ENDLESS: &str = "fn f(x: f64) -> f64 {
  v0 = while x (v1) { v2 = eq v1, v1 yield v2 } do (v3) { v4 = f64 0.5 v5 = mul v3, v4 yield v5 }
  return v0
}";

fn limited(cancel: &Cancel) -> Workspace {
    let mut workspace = Workspace::with_limits(Limits { fuel: u64::MAX, ..Limits::default() });
    workspace.set_cancel(Some(cancel.clone()));
    workspace
}

#[test]
fn running_and_later_runs_end() {
    let m = parse(ENDLESS);
    let code = compile(&m, "f");
    let trap = |result: Result<Vec<Datum>, RuntimeError>| result.map_err(|e| e.trap).err();
    let x = [Datum::from(adc_ir::Const::F64(1.0))];
    for _ in 0..50 {
        let cancel = Cancel::new();
        // Several runs, each of which says when it is about to begin.
        let (begun, begins) = channel();
        std::thread::scope(|s| {
            let run = || {
                let (begun, mut workspace) = (begun.clone(), limited(&cancel));
                let (code, x) = (&code, &x);
                s.spawn(move || {
                    begun.send(()).expect("somebody waits");
                    code.call_data(&mut workspace, x)
                })
            };
            let runs = [run(), run()];
            runs.iter().for_each(|_| begins.recv().expect("it begins"));
            assert!(!cancel.is_cancelled());
            cancel.cancel();
            for r in runs {
                assert_eq!(trap(r.join().expect("compiled code does not panic")), Some(Trap::OutOfFuel));
            }
        });
        assert!(cancel.is_cancelled());
        let mut later = limited(&cancel);
        assert_eq!(trap(code.call_data(&mut later, &x)), Some(Trap::OutOfFuel));
        // Others are none of its business.
        later.set_cancel(None);
        later.set_limits(Limits { fuel: 10, ..Limits::default() });
        let minus = [Datum::from(adc_ir::Const::F64(f64::NAN))];
        assert_eq!(trap(code.call_data(&mut later, &minus)), None);
        assert_eq!(later.iterations(), 0);
    }
}
