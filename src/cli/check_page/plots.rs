//! The page's drawings, as SVG.

use super::words;
use adc_checker::{Entry, Severity, StepCurve, Verdict, index_text};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A plot that failed: the library's errors are about files, but none are used.
type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Rows and columns of a heat map; more are not shown.
const CELLS: usize = 64;
/// With at most this many columns, cells contain numbers.
const NUMBERED: usize = 8;
/// The ratio of error and tolerance that gets the full colour of a failure.
const DEEPEST: f64 = 1e6;

const INK: RGBColor = RGBColor(31, 35, 40);
const FAINT: RGBColor = RGBColor(110, 118, 129);
const FAILED: RGBColor = RGBColor(178, 24, 43);
const PASSED: RGBColor = RGBColor(26, 127, 55);
const PLAIN: RGBColor = RGBColor(217, 119, 6);
const PRECISE: RGBColor = RGBColor(9, 105, 218);

/// The meaning of the colours of a heat map.
const LEGEND: [(&str, RGBColor); 6] = [
    ("agrees", RGBColor(166, 219, 160)),
    ("exactly 0", ZERO),
    ("kink", KINK),
    ("warning", WARNED),
    ("unsure", UNSURE),
    ("wrong", RGBColor(214, 69, 65)),
];
const ZERO: RGBColor = RGBColor(236, 238, 240);
const KINK: RGBColor = RGBColor(146, 197, 222);
const WARNED: RGBColor = RGBColor(255, 237, 160);
const UNSURE: RGBColor = RGBColor(254, 196, 79);
const NON_FINITE: RGBColor = RGBColor(84, 0, 84);

/// A Jacobian: a cell for each entry, coloured by its verdict. Entries beyond the first [`CELLS`] rows and columns are not
/// shown.
pub(super) fn heat_map(entries: &[&Entry]) -> Option<String> {
    let row = |e: &Entry| format!("{}{}{}", e.output, index_text(&e.output_index), e.output_part.suffix());
    let column = |e: &Entry| format!("{}{}{}", e.input, index_text(&e.input_index), e.input_part.suffix());
    let rows = distinct(entries.iter().map(|e| row(e)));
    let columns = distinct(entries.iter().map(|e| column(e)));
    if entries.is_empty() {
        return None;
    }
    let numbered = columns.len() <= NUMBERED;
    let (w, h) = match columns.len().max(rows.len()) {
        _ if numbered => (96, 40),
        n if n <= 24 => (26, 26),
        _ => (11, 11),
    };
    let longest = |names: &[String]| names.iter().map(|n| n.chars().count()).max().unwrap_or(0) as i32;
    let labelled = w >= 26;
    let left = if labelled { 16 + 8 * longest(&rows) } else { 16 };
    let tall = if numbered { 24 } else { 12 + 8 * longest(&columns) };
    let top = if labelled { tall } else { 16 };
    let width = (left + w * columns.len() as i32 + 16).max(520);
    let height = top + h * rows.len() as i32 + 44;
    let mut svg = String::new();
    let drawn = draw(&mut svg, (width, height), |area| {
        for e in entries {
            let at = |names: &[String], name: &str| names.iter().position(|n| n == name);
            let (Some(i), Some(j)) = (at(&rows, &row(e)), at(&columns, &column(e))) else { continue };
            let corner = (left + w * j as i32, top + h * i as i32);
            let fill = colour(e);
            let cell = [corner, (corner.0 + w - 2, corner.1 + h - 2)];
            area.draw(&Rectangle::new(cell, fill.filled()))?;
            if numbered {
                let ink = if dark(fill) { WHITE } else { INK };
                let centre = corner.0 + w / 2 - 1;
                let value = e.vjp.or(e.jvp).map_or("-".to_string(), words::brief);
                area.draw(&text(value, (centre, corner.1 + 5), 14, ink, HPos::Center))?;
                let ratio = format!("err/tol {}", words::ratio(e.ratio));
                area.draw(&text(ratio, (centre, corner.1 + 22), 11, ink, HPos::Center))?;
            }
        }
        if labelled {
            for (i, name) in rows.iter().enumerate() {
                let at = (left - 8, top + h * i as i32 + h / 2 - 8);
                area.draw(&text(name.clone(), at, 14, INK, HPos::Right))?;
            }
            for (j, name) in columns.iter().enumerate() {
                let x = left + w * j as i32;
                if numbered {
                    area.draw(&text(name.clone(), (x + w / 2, top - 20), 14, INK, HPos::Center))?;
                } else {
                    let style = ("sans-serif", 14).into_font().transform(FontTransform::Rotate270);
                    area.draw(&Text::new(name.clone(), (x + w / 2 - 8, top - 6), style.color(&INK)))?;
                }
            }
        }
        let mut x = 16;
        for (name, fill) in LEGEND {
            let y = height - 24;
            area.draw(&Rectangle::new([(x, y), (x + 12, y + 12)], fill.filled()))?;
            area.draw(&text(name.to_string(), (x + 17, y - 1), 12, FAINT, HPos::Left))?;
            x += 30 + 7 * name.len() as i32;
        }
        Ok(())
    });
    drawn.ok().map(|()| svg)
}

/// The first names, each once, in order.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        if !out.contains(&name) && out.len() < CELLS {
            out.push(name);
        }
    }
    out
}

fn colour(e: &Entry) -> RGBColor {
    let zero = [e.vjp, e.jvp, e.fd].into_iter().flatten().all(|x| x == 0.0);
    match e.status.info().severity {
        _ if e.status == Verdict::NonFinite => NON_FINITE,
        _ if e.status == Verdict::Kink => KINK,
        Severity::Pass if zero => ZERO,
        Severity::Pass => between((229, 245, 224), (127, 201, 127), e.ratio.clamp(0.0, 1.0)),
        Severity::Warning => WARNED,
        Severity::Unsure => UNSURE,
        Severity::Failure => {
            let depth = e.ratio.max(1.0).log10() / DEEPEST.log10();
            between((239, 138, 98), (165, 0, 38), if depth.is_nan() { 1.0 } else { depth.min(1.0) })
        }
    }
}

fn between(a: (u8, u8, u8), b: (u8, u8, u8), t: f64) -> RGBColor {
    let mix = |a: u8, b: u8| (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Whether white is more readable on a colour, by the weights of ITU-R BT.601.
fn dark(c: RGBColor) -> bool {
    0.299 * f64::from(c.0) + 0.587 * f64::from(c.1) + 0.114 * f64::from(c.2) < 140.0
}

/// |difference quotient − difference| against the step, and the distance of adc's derivative: on logarithmic axes.
pub(super) fn step_curve(curve: &StepCurve) -> Option<String> {
    let e = &curve.entry;
    let reference = e.fd.filter(|x| x.is_finite())?;
    let size = reference.abs().max(f64::MIN_POSITIVE.sqrt());
    let floor = 1e-18 * size;
    let distance = |x: f64| (x - reference).abs().max(floor);
    let series = |pick: &dyn Fn(&adc_checker::Quotients) -> f64| -> Vec<(f64, f64)> {
        let points = curve.steps.iter().map(|q| (q.step, distance(pick(q))));
        points.filter(|(_, y)| y.is_finite()).collect()
    };
    let (plain, precise) = (series(&|q| q.plain), series(&|q| q.precise));
    let own =
        [e.vjp, e.jvp].into_iter().flatten().filter(|x| x.is_finite()).map(distance).fold(floor, f64::max);
    let all = plain.iter().chain(&precise).map(|(_, y)| *y);
    let top = all.chain([own]).fold(10.0 * floor, f64::max) * 10.0;
    let (first, last) = (curve.steps.last()?.step, curve.steps.first()?.step);
    let mut svg = String::new();
    let drawn = draw(&mut svg, (560, 330), |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(Decades(first, last), Decades(floor, top))?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(FAINT)
            .x_desc("step of the difference")
            .y_desc("distance from the limit")
            .x_label_formatter(&|x| format!("{x:.0e}"))
            .y_label_formatter(&|y| format!("{y:.0e}"))
            .label_style(("sans-serif", 12).into_font().color(&FAINT))
            .draw()?;
        let verdict = if e.status.failing() { FAILED } else { PASSED };
        for (colour, y) in [(FAINT, e.tol), (verdict, own)] {
            if y >= floor && y <= top {
                let line = [(first, y), (last, y)];
                let style = if colour == FAINT { colour.stroke_width(1) } else { colour.stroke_width(3) };
                chart.draw_series(LineSeries::new(line, style))?;
            }
        }
        for (points, colour) in [(plain, PLAIN), (precise, PRECISE)] {
            chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
            chart.draw_series(points.iter().map(|p| Circle::new(*p, 2, colour.filled())))?;
        }
        Ok(())
    });
    drawn.ok().map(|()| svg)
}

/// A logarithmic axis with marks at powers of ten: some eight, the same number of decades apart. (The library's own leaves
/// marks out where numbers are small.)
struct Decades(f64, f64);

impl Ranged for Decades {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value / self.0).log10() / (self.1 / self.0).log10();
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _hint: H) -> Vec<f64> {
        let (first, last) = (self.0.log10().ceil() as i32, self.1.log10().floor() as i32);
        let apart = ((last - first) / 8 + 1).max(1);
        (first..=last).filter(|k| k % apart == 0).map(|k| 10f64.powi(k)).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.0..self.1
    }
}

/// The colours of [`step_curve`]'s lines with their descriptions, for the page's legend.
pub(super) fn lines(e: &Entry) -> [(String, &'static str); 4] {
    let css = |c: RGBColor| format!("rgb({},{},{})", c.0, c.1, c.2);
    let own = if e.status.failing() { FAILED } else { PASSED };
    [
        (css(own), "adc's derivative"),
        (css(PRECISE), "differences of the double-double program"),
        (css(PLAIN), "differences in double precision"),
        (css(FAINT), "tolerance"),
    ]
}

fn text(
    what: String,
    at: (i32, i32),
    size: i32,
    colour: RGBColor,
    h: HPos,
) -> Text<'static, (i32, i32), String> {
    let style = ("sans-serif", size).into_font().color(&colour).pos(Pos::new(h, VPos::Top));
    Text::new(what, at, style)
}

fn draw(svg: &mut String, (width, height): (i32, i32), with: impl FnOnce(&Area) -> Drawn) -> Drawn {
    let area = SVGBackend::with_string(svg, (width as u32, height as u32)).into_drawing_area();
    with(&area)?;
    area.present()?;
    Ok(())
}
