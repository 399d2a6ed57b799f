//! Whether a function has a derivative at a point, by its differences alone: where a derivative program ends in a run-time error
//! there is no derivative to compare them with.

use super::Unit;
use super::automatic::{At, Automatic};
use super::directions::Rows;
use super::entries::Entries;
use super::resolve::{Ladder, Source};
use crate::judge::is_known;
use crate::oracle::{self, Shape, Shop};

impl Unit {
    /// Whether ladders of steps find a derivative for every entry, or where entries are not compared, along `count` directions.
    #[cold]
    pub(crate) fn has_derivative(&mut self, at: At, count: u64, shop: &mut Shop) -> bool {
        let Some(mut auto) = self.automatic.take() else { return false };
        let known = match self.by_entry {
            true => self.has_entries(&mut auto, at, shop),
            false => (0..count).all(|probe| self.has_along(&mut auto, at, probe, shop)),
        };
        self.automatic = Some(auto);
        known
    }

    fn has_entries(&self, auto: &mut Automatic, at: At, shop: &mut Shop) -> bool {
        self.place_offsets(auto, at.inputs);
        let indices: Vec<usize> = (0..self.size()).collect();
        let mut source = Entries { unit: self, auto, at, indices: &indices, shop };
        source.ladder(Ladder::LIVE).iter().all(is_smooth)
    }

    fn has_along(&self, auto: &mut Automatic, at: At, probe: u64, shop: &mut Shop) -> bool {
        let d = self.direction(at, &self.rademacher(at, probe), oracle::scale);
        let rows: Vec<usize> = (0..self.rows.len()).collect();
        let mut source = Rows { unit: self, auto, at, d: &d, rows: &rows, shop };
        source.ladder(Ladder::LIVE).iter().all(is_smooth)
    }
}

fn is_smooth(shape: &Shape) -> bool {
    match shape {
        Shape::Smooth(e) => is_known(e.value, e.error()),
        Shape::Kink { .. } | Shape::Jump { .. } | Shape::Edge(_) | Shape::Alone | Shape::Unresolved => false,
    }
}
