//! Traps: correct derivatives where differences are hard.

use crate::oracle::survey::{Survey, check, every_mode, model};
use adc_ir::testing::cases;

/// The names of functions that have to be resolved end so.
const SHARP: &str = "_sharp";

#[test]
fn traps() {
    let traps = model("traps.dsl", include_str!("traps.dsl"));
    let names: Vec<String> =
        traps.functions().map(|f| f.name().to_string()).filter(|n| n != "sorted").collect();
    let mut options = every_mode();
    options.settings.points = Some(cases(1200).div_ceil(100));
    let mut alarms = Vec::new();
    for name in names {
        let mut survey = Survey::default();
        check(&traps, &name, &options).iter().for_each(|r| survey.add(r));
        if name.ends_with(SHARP) {
            survey.needs_all();
        }
        println!("{name}: {}", survey.line());
        alarms.extend(survey.alarms);
    }
    assert!(alarms.is_empty(), "{} alarms: {alarms:#?}", alarms.len());
}
