//! Constants: those that cannot be computed from anything simpler, as limbs, and the rest from them.

use crate::big::Big;
use crate::limbs::LIMBS;
use std::sync::LazyLock;

/// π/4 as a binary fraction.
#[rustfmt::skip]
const QUARTER_PI: [u64; 7] = [
    0x302b0a6df25f1437, 0xef9519b3cd3a431b, 0x514a08798e3404dd, 0x020bbea63b139b22,
    0x29024e088a67cc74, 0xc4c6628b80dc1cd1, 0xc90fdaa22168c234,
];

/// ln 2 as a binary fraction.
#[rustfmt::skip]
const LN_2: [u64; 12] = [
    0x256fa0ec7657f74b, 0xb9ea9bc3b136603b, 0x1acbda11317c387e, 0x3e96ca16224ae8c5,
    0x27573b291169b825, 0xed2eae35c1382144, 0x559552fb4afa1b10, 0xe7b876206debac98,
    0x8a0d175b8baafa2b, 0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab,
];

/// 2/π as a binary fraction: enough for arguments up to 2¹¹⁰⁰.
#[rustfmt::skip]
pub const TWO_OVER_PI: [u64; 26] = [
    0x19c367cddce8092a, 0x60e27bc08c6b47c4, 0x06061556ca73a8c9, 0x8dffd8804d732731,
    0x6599855f14a06840, 0xa9e391615ee61b08, 0xf0cfbc209af4361d, 0x56033046fc7b6bab,
    0x6bfb5fb11f8d5d08, 0x3d0739f78a5292ea, 0x7527bac7ebe5f17b, 0x4f463f669e5fea2d,
    0x6d367ecf27cb09b7, 0xef2f118b5a0a6d1f, 0x1ff897ffde05980f, 0x9c845f8bbdf9283b,
    0x3991d639835339f4, 0xe99c7026b45f7e41, 0xe88235f52ebb4484, 0xfe1deb1cb129a73e,
    0x06492eea09d1921c, 0xb7246e3a424dd2e0, 0xfe5163abdebbc561, 0xdb6295993c439041,
    0xfc2757d1f534ddc0, 0xa2f9836e4e441529,
];

/// π
pub static PI: LazyLock<Big> = LazyLock::new(|| Big::from_limbs(false, &QUARTER_PI, 2));
/// ln 2
pub static LN2: LazyLock<Big> = LazyLock::new(|| Big::from_limbs(false, &LN_2, 0));
/// 1/ln 2
pub static LOG2_E: LazyLock<Big> = LazyLock::new(|| LN2.recip());
/// The leading 320 bits of ln 2, whose products with 64-bit integers are exact.
pub static LN2_HIGH: LazyLock<Big> =
    LazyLock::new(|| Big::from_limbs(false, &LN_2[LN_2.len() + 1 - LIMBS..], 0));
/// The rest of ln 2.
pub static LN2_LOW: LazyLock<Big> =
    LazyLock::new(|| Big::from_limbs(false, &LN_2[..LN_2.len() + 1 - LIMBS], -64 * (LIMBS as i64 - 1)));
/// ln 10
pub static LN10: LazyLock<Big> = LazyLock::new(|| Big::from(10.0).ln());
/// 2/√π
pub static TWO_OVER_SQRT_PI: LazyLock<Big> = LazyLock::new(|| Big::from(2.0) / PI.sqrt());
/// ½ ln 2π
pub static HALF_LN_2PI: LazyLock<Big> = LazyLock::new(|| PI.scale2(1).ln().scale2(-1));

/// 1/n! for n = 0, 1, …
pub static INVERSE_FACTORIALS: LazyLock<[Big; 64]> = LazyLock::new(|| {
    let mut out = [Big::ONE; 64];
    for n in 1..out.len() {
        out[n] = out[n - 1].div_int(n as u64);
    }
    out
});

/// The Bernoulli numbers B₀, B₂, B₄, …, from the tangent numbers, whose recurrence only adds positive
/// integers (Brent and Harvey, *Fast computation of Bernoulli, tangent and secant numbers*).
pub static BERNOULLI: LazyLock<[Big; 100]> = LazyLock::new(|| {
    let mut b = [Big::ONE; 100];
    let n = b.len() - 1;
    for k in 2..=n {
        b[k] = b[k - 1].mul_int(k as i64 - 1);
    }
    for k in 2..=n {
        for j in k..=n {
            b[j] = b[j - 1].mul_int((j - k) as i64) + b[j].mul_int((j - k + 2) as i64);
        }
    }
    for (k, b) in b.iter_mut().enumerate().skip(1) {
        let four = Big::exp2i(2 * k as i64);
        let magnitude = b.mul_int(2 * k as i64) / (four * (four - Big::ONE));
        *b = magnitude.with_sign(k % 2 == 0);
    }
    b
});
