//! Writes inputs of the GradBench models at GradBench's sizes as .npy files: `cargo run --release --example bench_data`,
//! or with `all` behind `--` also the large ones, which are not kept in the repository.
//!
//! The numbers come from one seed: the same files on every machine.

use adc::{Value, npy};
use std::path::Path;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1), in steps of 2⁻⁵³.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// By the formula of Box and Muller.
    fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

fn main() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models/bench/data"));
    let all = std::env::args().any(|a| a == "all");
    let mut written = 0;
    let mut put = |name: String, shape: &[usize], small: bool, number: &mut dyn FnMut() -> f64| {
        // Every file has its own seed, so that leaving some out changes none of the others.
        let data: Vec<f64> = (0..shape.iter().product()).map(|_| number()).collect();
        if small || all {
            let value = Value::array(shape, data).expect("as many numbers as the sizes say");
            npy::write(folder.join(format!("{name}.npy")), &value).expect("the folder can be written to");
            written += 1;
        }
    };
    let seed =
        |name: &str| Random(name.bytes().fold(20_240_607, |h: u64, b| h.rotate_left(7) ^ u64::from(b)));

    let mut r = seed("llsq");
    put("llsq_x".into(), &[128], true, &mut || 0.1 * r.normal());
    for k in 0..10 {
        let n = 2500 << k;
        let mut r = seed(&format!("lse{n}"));
        put(format!("lse_{n}_x"), &[n], k < 2, &mut || r.uniform());
    }
    for n in [1000, 10_000, 100_000] {
        let mut r = seed(&format!("ode{n}"));
        put(format!("ode_{n}_x"), &[n], n == 1000, &mut || r.uniform());
    }
    for l in 5..=11 {
        let mut r = seed(&format!("det{l}"));
        put(format!("det_{l}_A"), &[l, l], true, &mut || r.normal());
    }
    // The centroids of k clusters are the last k points.
    for n in [1000, 10_000] {
        for d in [8, 16] {
            let mut r = seed(&format!("kmeans{n}x{d}"));
            put(format!("kmeans_{n}_{d}_points"), &[n, d], n * d <= 16_000, &mut || r.uniform());
        }
    }
    for d in [2, 10, 20, 32, 64] {
        let mut r = seed(&format!("gmm{d}"));
        put(format!("gradbench_gmm_{d}_x"), &[1000, d], d <= 10, &mut || r.normal());
        for k in [5, 10, 25, 50, 100] {
            let mut r = seed(&format!("gmm{d}x{k}"));
            let small = (d, k) == (2, 5) || (d, k) == (10, 25);
            let name = |what: &str| format!("gradbench_gmm_{d}_{k}_{what}");
            put(name("alpha"), &[k], small, &mut || r.normal());
            put(name("mu"), &[k, d], small, &mut || r.uniform());
            put(name("q"), &[k, d], small, &mut || r.normal());
            put(name("l"), &[k, d * (d - 1) / 2], small, &mut || r.normal());
        }
    }
    for l in [2, 4, 6] {
        for c in [1024, 4096] {
            let mut r = seed(&format!("lstm{l}x{c}"));
            let name = |what: &str| format!("gradbench_lstm_{l}_{c}_{what}");
            put(name("main"), &[2 * l, 56], false, &mut || r.uniform());
            put(name("extra"), &[3, 14], false, &mut || r.uniform());
            put(name("state"), &[2 * l, 14], false, &mut || r.uniform());
            put(name("seq"), &[c, 14], false, &mut || (r.next() & 1) as f64);
        }
    }
    println!("{written} files in {}", folder.display());
}
