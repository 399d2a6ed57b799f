//! The text form, and what the checks refuse.

use crate::strips::fuzz::random;
use adc_ir::testing::Rng;
use adc_jit::strips::Strip;

#[test]
fn what_is_printed_is_read_back() {
    for seed in 0..200 {
        let strip = random(&mut Rng::new(seed), 1 + seed as usize % 60);
        assert_eq!(strip.to_string().parse(), Ok(strip));
    }
}

#[test]
fn malformed_strips_are_refused() {
    let head = "strip 2\nstream 0 0 unit f64 r\nstream 1 0 unit f64 w\nv0 = load 0\n";
    for (tail, why) in [
        ("v1 = add v0 v1", "v1 takes v1 as a Number"),
        ("v1 = lt v0 v0\nv2 = add v0 v1", "v2 takes v1 as a Number"),
        ("v1 = select v0 v0 v0", "v1 takes v0 as a Mask"),
        ("v1 = load 1", "v1 reads stream 1"),
        ("v1 = store 0 v0", "v1 writes stream 0"),
        ("v1 = scal 2", "v1 reads slot 2, which is no number"),
        ("max v0 to 2", "reduction 0 of v0 into slot 2"),
        ("sum v0 to 1", "reduction 0 of v0 into base 1"),
        ("v1 = store 1 v0\nv2 = lt v0 v0\nv3 = exit v2", "an exit after v1, which stores"),
        ("stream 2 0 step 2 f64 w\nstream 2 2 step 2 f64 w", "streams 2 and 3 overlap"),
        ("min v0 to 1\nmax v0 to 1", "reduction 1 of v0 into slot 1"),
        ("stream 1 1 unit f64 r", "streams 1 and 2 overlap"),
        ("stream 0 0 step 0 f64 w", "stream 2 writes one place"),
        ("stream 2 0 step s1 f64 r\nv1 = scal 1", "v1 reads slot 1, which is no number"),
        ("v1 = loop 3\nv2 = carried v0\nv3 = end", "v3 ends nothing"),
        ("v1 = loop 3\nv2 = carried v0", "a loop without end"),
        ("v1 = loop 3\nv2 = neg v0\nv3 = end\nv4 = neg v2", "v4 takes v2 as a Number"),
        ("v1 = loop 3\nv2 = neg v0\nv3 = end\nmax v2 to 1", "reduction 0 of what a loop computes"),
        ("v1 = loop 3\nv2 = neg v0\nv3 = carried v0", "v3 begins in the middle"),
        ("v1 = loop 3\nv2 = carried v0\nv3 = next v2 v0\nv4 = next v2 v0\nv5 = end", "v4 is the next of v2"),
        (
            "v1 = loop 3\nv2 = carried v0\nv3 = next v2 v0\nv4 = neg v0\nv5 = end",
            "v4 comes behind the last of a turn",
        ),
        ("v1 = loop 3\nv2 = loop 3\nv3 = loop 3", "v3 is one loop too many"),
        ("v1 = loop 3\nv2 = lt v0 v0\nv3 = exit v2\nv4 = end", "v3 leaves a loop"),
        ("v1 = turn 0", "v1 is the turn of no loop"),
        ("v1 = loop s1\nv2 = end\nv3 = scal 1", "v3 reads slot 1, which is no number"),
        ("stream 2 0 unit turns 1 0 f64 r\nv1 = load 2", "v1 moves with no loop"),
        ("stream 2 0 unit turns 1 0 f64 w", "stream 2 is written in turns"),
        ("stream 2 4 cycle f64 rw", "stream 2 is no cycle"),
        ("stream 2 0 cycle f64 rw\nv1 = load 2", "v1 reads stream 2"),
        (
            "own 3\nstream 0 0 own turns 1 0 f64 rw\nv1 = loop 4\nv2 = store 2 v0\nv3 = end",
            "v2 leaves its array",
        ),
        (
            "own 3\nstream 0 0 own turns 1 0 f64 rw\nv1 = loop s1\nv2 = store 2 v0\nv3 = end",
            "v2 may leave its array",
        ),
        ("stream 0 0 own f64 rw", "stream 2 is of no array"),
        ("nonsense", "line 5: nonsense"),
    ] {
        let e = format!("{head}{tail}").parse::<Strip>().expect_err(tail);
        assert_eq!(e.0, why, "{tail}");
    }
}
