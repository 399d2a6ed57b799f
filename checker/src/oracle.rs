//! The difference oracle of automatic tolerances: slopes of the function's shadow. Its steps are so small that truncation
//! is negligible, and it has so many digits that rounding is, too.

mod extrapolation;
mod pair;
mod secants;
mod steps;

pub(crate) use extrapolation::{
    Estimate, Shape, StepSlopes, measure_noise, shape, two_steps, two_steps_aside,
};
use secants::POINT;
pub(crate) use secants::{Along, Builders, Version, build};
pub(crate) use steps::{STEP, offsets, own_scale, scale};

use crate::coordinates::{Block, Coordinate, blocks};
use crate::runner::{Engine, Runner};
use crate::running::PAIR;
use crate::slots::{doubles, doubles_mut, load, load_doubles, to_double};
use adc_ir::*;

/// Offsets of one displacement.
const OFFSETS: usize = 4;
/// The noise of a shadow, relative to that of the double-precision program beside it: 106 bits instead of 53, with a margin
/// of three bits.
const SHADOW_NOISE: f64 = 1.0 / (1u64 << 50) as f64;
/// A lower bound of the relative error of a shadow's values.
const SHADOW_ROUNDING: f64 = SHADOW_NOISE * SHADOW_NOISE / 16.0;
/// The same for a shadow that is no better than doubles.
const ROUNDING: f64 = 2.0 * f64::EPSILON;
/// Pairs lose bits if their low part underflows.
const UNDERFLOW: f64 = 16.0 * f64::from_bits(1);

/// If less than this part of the columns is wanted, they are displaced one after the other, by the program for directions:
/// the program for columns computes all of them.
const FEW: usize = 2;

/// What is displaced together, in columns of the Jacobian.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Moved {
    /// One of them.
    Column(usize),
    /// Each by its component.
    Along(Vec<f64>),
}

/// What is needed to make and run programs.
pub(crate) struct Toolchain<'a> {
    pub module: &'a mut Module,
    pub builders: &'a mut Builders,
    pub engine: &'a mut Engine,
}

/// The secant programs of one function, compiled.
#[derive(Clone)]
pub(crate) struct Oracle {
    func: FuncId,
    outputs: Vec<usize>,
    /// The columns and rows of the Jacobian: by part of each input and output, by its entries.
    columns_of: Vec<Vec<usize>>,
    rows_of: Vec<Vec<usize>>,
    coordinates: Option<Runner>,
    along: Option<Runner>,
    /// Whether the program for directions has the values at its centre, and whether decisions were live there.
    centre: Option<bool>,
    /// Programs for one entry of one part each, made when a run-time error ends the others; `None` if one cannot be made.
    single: Vec<(Block, Option<Runner>)>,
    /// Forms without a double-double version that the function reaches, with their spans.
    pub holes: Vec<(String, Span)>,
    /// Its values are assumed no better than those of the double-precision program.
    pub coarse: bool,
    /// By row, the rounding of the function's value, if known; else empty.
    pub bounds: Vec<f64>,
    /// By row, the loss by underflow of the value, where `coarse` and known; else empty.
    pub underflow: Vec<f64>,
    /// Known together with the bounds: the largest number that the function computes.
    pub largest: f64,
    pub table: Table,
}

/// Slopes and gaps at every offset of every displacement (a column, or the one direction), for every row.
#[derive(Clone, Default)]
pub(crate) struct Table {
    rows: usize,
    slopes: Vec<f64>,
    gaps: Vec<f64>,
    /// By row: |p − (hi + lo)| and |p| at the centre.
    centre: Vec<(f64, f64)>,
    /// By row: the largest gap anywhere.
    worst_gap: Vec<f64>,
}

impl Table {
    fn at(&self, displacement: usize, offset: usize, row: usize) -> usize {
        (displacement * OFFSETS + offset) * self.rows + row
    }

    /// The slopes of a row at the four offsets of a displacement.
    pub(crate) fn slopes(&self, displacement: usize, row: usize) -> [f64; OFFSETS] {
        std::array::from_fn(|k| self.slopes[self.at(displacement, k, row)])
    }

    /// The magnitude of a row's value at the centre.
    pub(crate) fn size(&self, row: usize) -> f64 {
        self.centre[row].1
    }

    /// The rounding of the double-precision program in a row, at most.
    pub(crate) fn gap(&self, row: usize) -> f64 {
        self.worst_gap[row]
    }
}

/// The functions of secant programs before compilation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs {
    pub coordinates: Option<FuncId>,
    pub along: Option<FuncId>,
    pub holes: Vec<(String, Span)>,
}

/// Builds the programs that a check needs.
pub(crate) fn programs(
    m: &mut Module,
    builders: &mut Builders,
    f: FuncId,
    (wrt, outputs): (&[usize], &[usize]),
    (coordinates, along): (bool, bool),
    version: Version,
) -> Result<Programs, Diagnostic> {
    let inputs = blocks(wrt, |i| m.func(f).param_ty(i));
    let mut out = Programs::default();
    for (on, along) in [(coordinates, Along::Coordinates), (along, Along::Directions)] {
        if on {
            let made = build(m, builders, f, (along, version), &inputs, outputs)?;
            out.holes = made.holes;
            match along {
                Along::Coordinates => out.coordinates = Some(made.func),
                Along::Directions | Along::Entry => out.along = Some(made.func),
            }
        }
    }
    Ok(out)
}

impl Oracle {
    pub(crate) fn new(
        func: FuncId,
        outputs: &[usize],
        (columns_of, rows_of): (Vec<Vec<usize>>, Vec<Vec<usize>>),
        holes: Vec<(String, Span)>,
        (coordinates, along): (Option<Runner>, Option<Runner>),
    ) -> Oracle {
        Oracle {
            func,
            outputs: outputs.to_vec(),
            columns_of,
            rows_of,
            coordinates,
            along,
            centre: None,
            single: Vec::new(),
            holes,
            coarse: false,
            bounds: Vec::new(),
            underflow: Vec::new(),
            largest: 0.0,
            table: Table::default(),
        }
    }

    /// Whether entries can be differenced one by one.
    pub(crate) fn has_coordinates(&self) -> bool {
        self.coordinates.is_some()
    }

    pub(crate) fn add_coordinates(&mut self, code: Option<Runner>) {
        self.coordinates = self.coordinates.take().or(code);
    }

    /// Noise of the shadow's values in a row, absolute.
    pub(crate) fn noise(&self, row: usize) -> f64 {
        let gap = self.table.worst_gap[row];
        let part = if self.holes.is_empty() && !self.coarse { SHADOW_NOISE } else { 2.0 };
        let rounding = if self.coarse { ROUNDING } else { SHADOW_ROUNDING };
        let bound = self.bound(row) * if self.is_coarse() || self.coarse { 2.0 } else { PAIR };
        let underflow = self.underflow.get(row).map_or(UNDERFLOW, |lost| UNDERFLOW.max(2.0 * lost));
        (gap * part).max(self.table.size(row) * rounding).max(bound).max(underflow)
    }

    /// The rounding of a row's value, as far as known.
    pub(crate) fn bound(&self, row: usize) -> f64 {
        self.bounds.get(row).copied().unwrap_or(0.0)
    }

    /// Whether the function reaches something without a double-double form: then its values are no better than doubles.
    pub(crate) fn is_coarse(&self) -> bool {
        !self.holes.is_empty()
    }

    /// Fills the table with the slopes along every displacement of the list at its offsets.
    pub(crate) fn run(
        &mut self,
        tools: &mut Toolchain,
        inputs: &[Datum],
        live: bool,
        columns: &[Coordinate],
        list: &[(&Moved, [f64; OFFSETS])],
    ) {
        self.table.reset(list.len(), self.rows_of.iter().map(Vec::len).sum());
        let single = list.iter().all(|(moved, _)| matches!(moved, Moved::Column(_)));
        let few = self.along.is_some() && FEW * list.len() < columns.len();
        match single && !few {
            true => self.run_coordinates(tools, inputs, live, columns, list),
            false => self.run_each_along(tools, inputs, live, columns.len(), list),
        }
        self.table.finish();
    }

    /// One displacement after the other.
    fn run_each_along(
        &mut self,
        tools: &mut Toolchain,
        inputs: &[Datum],
        live: bool,
        columns: usize,
        list: &[(&Moved, [f64; OFFSETS])],
    ) {
        if let Some(code) = &mut self.along {
            let known = self.centre == Some(live) && code.inputs.iter().zip(inputs).all(|(a, b)| a.same(b));
            self.centre = self.centre.filter(|_| known);
            load_doubles(&mut code.inputs, inputs);
        }
        let mut unit = vec![0.0; columns];
        for (at, (moved, offsets)) in list.iter().enumerate() {
            match moved {
                Moved::Along(u) => self.run_along(tools, inputs.len(), live, u, (at, offsets)),
                Moved::Column(column) => {
                    unit[*column] = 1.0;
                    self.run_along(tools, inputs.len(), live, &unit, (at, offsets));
                    unit[*column] = 0.0;
                }
            }
        }
    }

    /// Every column of the list by itself, in one program.
    fn run_coordinates(
        &mut self,
        tools: &mut Toolchain,
        inputs: &[Datum],
        live: bool,
        columns: &[Coordinate],
        list: &[(&Moved, [f64; OFFSETS])],
    ) {
        let Some(code) = &mut self.coordinates else { return };
        let mut displacement = vec![usize::MAX; columns.len()];
        for (at, (moved, _)) in list.iter().enumerate() {
            if let Moved::Column(column) = moved {
                displacement[*column] = at;
            }
        }
        load_doubles(&mut code.inputs, inputs);
        code.inputs[inputs.len()] = Datum::Scalar(Const::Bool(live));
        for (t, block) in code.inputs[inputs.len() + 1..].iter_mut().zip(&self.columns_of) {
            for (t, column) in doubles_mut(t).chunks_mut(OFFSETS).zip(block) {
                let offsets = list.get(displacement[*column]).map_or([0.0; OFFSETS], |(_, offsets)| *offsets);
                t.copy_from_slice(&offsets);
            }
        }
        if tools.engine.aside_for(1 + OFFSETS * columns.len(), |e| code.run(e)).is_err() {
            // A run-time error at one displaced point ended the whole program, so every offset is computed separately.
            for (column, c) in
                columns.iter().enumerate().filter(|(column, _)| displacement[*column] != usize::MAX)
            {
                let at = displacement[column];
                for (k, t) in list[at].1.iter().enumerate() {
                    self.run_one(tools, inputs, live, *c, (*t, (at, k)));
                }
            }
            return;
        }
        let mut results = code.outputs.iter();
        for block in &self.columns_of {
            let to = |i: usize, k| Some((displacement[block[i]], k)).filter(|(at, _)| *at != usize::MAX);
            self.table.read(&mut results, &self.rows_of, to, (block.len(), OFFSETS));
        }
        self.table.read_centre(results, &self.rows_of);
    }

    /// One direction, given by column, as the displacement with this number. The inputs, so many, are loaded.
    fn run_along(
        &mut self,
        tools: &mut Toolchain,
        inputs: usize,
        live: bool,
        u: &[f64],
        (displacement, offsets): (usize, &[f64; OFFSETS]),
    ) {
        let Some(code) = &mut self.along else { return };
        for (direction, block) in code.inputs[inputs..].iter_mut().zip(&self.columns_of) {
            doubles_mut(direction).iter_mut().zip(block).for_each(|(x, column)| *x = u[*column]);
        }
        if self.run_offsets(tools.engine, live, offsets) {
            return self.read_along(|k| Some((displacement, k)));
        }
        // A run-time error at one displaced point ended the whole program, so every offset is computed separately.
        for (at, t) in offsets.iter().enumerate() {
            if self.run_offsets(tools.engine, live, &[*t; OFFSETS]) {
                self.read_along(|k| Some((displacement, at)).filter(|_| k == 0));
            }
        }
    }

    /// Runs the program along the direction that it was given. Whether it has results.
    fn run_offsets(&mut self, engine: &mut Engine, live: bool, offsets: &[f64; OFFSETS]) -> bool {
        let Some(code) = &mut self.along else { return false };
        let base = POINT.len() * self.rows_of.len();
        let given = code.inputs.len() - base;
        let [.., decisions, steps, known] = &mut code.inputs[..given] else {
            unreachable!("the program has these parameters")
        };
        *decisions = Datum::Scalar(Const::Bool(live));
        doubles_mut(steps).copy_from_slice(offsets);
        *known = Datum::Scalar(Const::Bool(self.centre.is_some()));
        let done = engine.aside_for(1 + OFFSETS, |e| code.run(e)).is_ok();
        if done && self.centre.is_none() {
            let values = &code.outputs[code.outputs.len() - base..];
            load(&mut code.inputs[given..], values);
            self.centre = Some(live);
        }
        done
    }

    /// Reads the last results along a direction. `to` gives the displacement and offset of each, if it is wanted.
    fn read_along(&mut self, to: impl Fn(usize) -> Option<(usize, usize)>) {
        let Some(code) = &self.along else { return };
        let mut results = code.outputs.iter();
        self.table.read(&mut results, &self.rows_of, |_, k| to(k), (1, OFFSETS));
        self.table.read_centre(results, &self.rows_of);
    }

    /// The slope of a row along one column at one offset; NaN where there is none.
    pub(crate) fn slope(
        &mut self,
        tools: &mut Toolchain,
        inputs: &[Datum],
        (row, c): (usize, Coordinate),
        t: f64,
    ) -> f64 {
        self.table.reset(1, self.rows_of.iter().map(Vec::len).sum());
        self.run_one(tools, inputs, true, c, (t, (0, 0)));
        self.table.finish();
        self.table.slopes(0, row)[0]
    }

    /// Fills one element of the table: a displacement and an offset.
    fn run_one(
        &mut self,
        tools: &mut Toolchain,
        inputs: &[Datum],
        live: bool,
        c: Coordinate,
        (t, place): (f64, (usize, usize)),
    ) {
        let Some(at) = self.single(tools, Block { index: c.index, part: c.part }) else { return };
        let code = self.single[at].1.as_mut().expect("just found");
        let t = Array { shape: vec![1], data: Buffer::F64([t].into_iter().collect()) };
        let last =
            [Datum::Scalar(Const::I64(c.entry as i64)), Datum::Scalar(Const::Bool(live)), Datum::Array(t)];
        code.inputs = inputs.iter().map(to_double).chain(last).collect();
        if tools.engine.aside_for(2, |e| code.run(e)).is_ok() {
            let mut results = code.outputs.iter();
            self.table.read(&mut results, &self.rows_of, |_, _| Some(place), (1, 1));
            self.table.read_centre(results, &self.rows_of);
        }
    }

    fn single(&mut self, tools: &mut Toolchain, block: Block) -> Option<usize> {
        let at = match self.single.iter().position(|(b, _)| *b == block) {
            Some(at) => at,
            None => {
                let what = (Along::Entry, Version::Shadowed);
                let made = build(tools.module, tools.builders, self.func, what, &[block], &self.outputs)
                    .and_then(|p| tools.engine.compile(tools.module, &[p.func]));
                self.single.push((block, made.ok().and_then(|mut code| code.pop())));
                self.single.len() - 1
            }
        };
        self.single[at].1.is_some().then_some(at)
    }
}

impl Table {
    fn reset(&mut self, displacements: usize, rows: usize) {
        self.rows = rows;
        for list in [&mut self.slopes, &mut self.gaps] {
            list.clear();
            list.resize(displacements * OFFSETS * rows, f64::NAN);
        }
        self.centre.clear();
        self.centre.resize(rows, (0.0, 0.0));
        self.worst_gap.clear();
        self.worst_gap.resize(rows, 0.0);
    }

    /// Reads the slopes and gaps of one block of displacements. `to` gives the (displacement, offset) of each, if it is
    /// wanted.
    fn read<'a>(
        &mut self,
        results: &mut impl Iterator<Item = &'a Datum>,
        rows_of: &[Vec<usize>],
        to: impl Fn(usize, usize) -> Option<(usize, usize)>,
        (displacements, offsets): (usize, usize),
    ) {
        for rows in rows_of {
            let slopes = doubles(results.next().expect("slopes"));
            let gaps = doubles(results.next().expect("gaps"));
            for i in 0..displacements {
                for k in 0..offsets {
                    let Some((displacement, offset)) = to(i, k) else { continue };
                    let from = (i * offsets + k) * rows.len()..(i * offsets + k + 1) * rows.len();
                    for ((slope, gap), row) in slopes[from.clone()].iter().zip(&gaps[from]).zip(rows) {
                        let at = self.at(displacement, offset, *row);
                        (self.slopes[at], self.gaps[at]) = (*slope, *gap);
                    }
                }
            }
        }
    }

    /// Reads gaps and magnitudes at the centre, the last results of every program.
    fn read_centre<'a>(&mut self, mut results: impl Iterator<Item = &'a Datum>, rows_of: &[Vec<usize>]) {
        for rows in rows_of {
            let gaps = doubles(results.next().expect("gaps"));
            let sizes = doubles(results.next().expect("sizes"));
            for ((gap, size), row) in gaps.iter().zip(sizes).zip(rows) {
                self.centre[*row] = (*gap, *size);
            }
        }
    }

    /// To be called after the table was filled.
    fn finish(&mut self) {
        for (worst, (gap, _)) in self.worst_gap.iter_mut().zip(&self.centre) {
            *worst = finite_or_zero(*gap);
        }
        for gaps in self.gaps.chunks(self.rows.max(1)) {
            for (worst, gap) in self.worst_gap.iter_mut().zip(gaps) {
                *worst = worst.max(finite_or_zero(*gap));
            }
        }
    }
}

fn finite_or_zero(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}
