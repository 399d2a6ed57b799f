//! Where buffers lie in the frame, and when heap memory is given back.

use super::scan::Scan;
use super::share::Shared;
use super::{BufferId, Memory, Store};
use adc_ir::{Func, Inst, Region, Shape, Value};
use std::collections::BTreeMap;

/// Of a region: its instructions by the number at which they end; and whose region it is, the how manieth.
type Ends = (Vec<(u32, *const Inst)>, Option<(*const Inst, usize)>);

/// The plan from what is shared.
pub(super) fn stores(func: &Func, body: &Region, scan: &Scan, shared: Shared, shapes: Vec<Shape>) -> Memory {
    let mut shared = shared;
    let last = lifetimes(&shared);
    let mut memory = Memory { handed_over: vec![false; func.results.len()], ..Memory::default() };
    for (k, (r, y)) in func.results.iter().zip(&body.yields).enumerate() {
        if !r.ty.is_array() || r.shape.iter().all(|d| d.as_const().is_some()) {
            continue;
        }
        if let Some(b) = shared.whole(*y)
            && shared.buffers[b.0 as usize].store.on_heap()
            && shared.buffers[b.0 as usize].region == 0
            && !body.yields[..k].iter().any(|o| func.ty(*o).is_array() && shared.find(*o) == shared.find(*y))
        {
            memory.handed_over[k] = true;
        }
    }
    let handed: Vec<BufferId> = (memory.handed_over.iter().zip(&body.yields))
        .filter_map(|(handed, y)| handed.then(|| shared.whole(*y)).flatten())
        .collect();
    memory.frame = frame(&mut shared, &last);
    memory.framed = (0..func.values.len() as u32).map(|v| shared.is_framed(Value(v))).collect();
    if shared.buffers.iter().any(|b| b.store.on_heap()) {
        let mut regions: Vec<Ends> = Vec::new();
        regions.resize_with(scan.regions.len(), Default::default);
        ends(body, 0, scan, &mut regions);
        for (i, b) in shared.buffers.iter().enumerate() {
            let id = BufferId(i as u32);
            if !b.store.on_heap() || handed.contains(&id) {
                continue;
            }
            let (insts, owner) = &regions[b.region as usize];
            let at = insts.partition_point(|(end, _)| *end < last[i]);
            match (insts.get(at), owner) {
                (Some((_, inst)), _) => memory.frees.entry(*inst).or_default().push(id),
                (None, Some(owner)) => memory.frees_in.entry(*owner).or_default().push(id),
                (None, None) => memory.frees_at_end.push(id),
            }
        }
    }
    Memory {
        buffers: shared.buffers,
        shapes,
        made: shared.made,
        direct: shared.direct,
        direct_results: shared.direct_results,
        row_results: shared.row_results,
        ..memory
    }
}

/// By buffer: when the last array in it had its last use.
fn lifetimes(shared: &Shared) -> Vec<u32> {
    let mut last: Vec<u32> = shared.buffers.iter().map(|b| b.start).collect();
    for class in &shared.classes {
        for b in &class.buffers {
            last[b.0 as usize] = last[b.0 as usize].max(class.last);
        }
    }
    last
}

/// The instructions of every region by when they end, and whose region it is.
fn ends(r: &Region, id: u32, scan: &Scan, regions: &mut [Ends]) {
    for inst in &r.insts {
        let span = scan.span(inst);
        regions[id as usize].0.push((span.end, std::ptr::from_ref(inst)));
        for (k, (r, id)) in inst.regions.iter().zip(&span.regions).enumerate() {
            regions[*id as usize].1 = Some((std::ptr::from_ref(inst), k));
            ends(r, *id, scan, regions);
        }
    }
}

/// Gives buffers of the frame their places: the lowest that is free from first to last use.
fn frame(shared: &mut Shared, last: &[u32]) -> u64 {
    let mut order: Vec<usize> =
        (0..shared.buffers.len()).filter(|i| matches!(shared.buffers[*i].store, Store::Frame(_))).collect();
    order.sort_by_key(|i| shared.buffers[*i].start);
    let mut free: BTreeMap<u64, u64> = BTreeMap::new();
    // By last use, the ranges in use.
    let mut busy: BTreeMap<(u32, u64), u64> = BTreeMap::new();
    let mut end = 0;
    for i in order {
        let b = &mut shared.buffers[i];
        while let Some((&(until, at), &len)) =
            busy.first_key_value().filter(|((until, _), _)| *until < b.start)
        {
            busy.remove(&(until, at));
            release(&mut free, at, len);
        }
        let len = b.bytes.expect("arrays of unknown size are on the heap");
        let fit = free.iter().find(|(_, l)| **l >= len).map(|(at, l)| (*at, *l));
        let at = match fit {
            Some((at, whole)) => {
                free.remove(&at);
                if whole > len {
                    free.insert(at + len, whole - len);
                }
                at
            }
            None => {
                end += len;
                end - len
            }
        };
        b.store = Store::Frame(at);
        busy.insert((last[i], at), len);
    }
    end
}

/// Joins a range with its free neighbours.
fn release(free: &mut BTreeMap<u64, u64>, at: u64, len: u64) {
    let (mut at, mut len) = (at, len);
    if let Some((&before, &l)) = free.range(..at).next_back()
        && before + l == at
    {
        free.remove(&before);
        (at, len) = (before, len + l);
    }
    if let Some(l) = free.remove(&(at + len)) {
        len += l;
    }
    free.insert(at, len);
}
