//! Arithmetic of natural numbers stored as 64-bit limbs, least significant first.

/// Limbs of a significand.
pub const LIMBS: usize = 6;

/// A normalised significand: its top bit is set.
pub type Mantissa = [u64; LIMBS];

/// `out = a · b`; `out` has room for all limbs of the product.
pub fn mul(a: &[u64], b: &[u64], out: &mut [u64]) {
    out.fill(0);
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u64;
        for (j, &y) in b.iter().enumerate() {
            let t = x as u128 * y as u128 + out[i + j] as u128 + carry as u128;
            out[i + j] = t as u64;
            carry = (t >> 64) as u64;
        }
        out[i + b.len()] = carry;
    }
}

/// `a += b`, equal lengths; returns the carry.
pub fn add(a: &mut [u64], b: &[u64]) -> bool {
    let mut carry = false;
    for (x, &y) in a.iter_mut().zip(b) {
        let (s, c1) = x.overflowing_add(y);
        let (s, c2) = s.overflowing_add(carry as u64);
        *x = s;
        carry = c1 || c2;
    }
    carry
}

/// `a -= b`, equal lengths; returns the borrow.
pub fn sub(a: &mut [u64], b: &[u64]) -> bool {
    let mut borrow = false;
    for (x, &y) in a.iter_mut().zip(b) {
        let (s, c1) = x.overflowing_sub(y);
        let (s, c2) = s.overflowing_sub(borrow as u64);
        *x = s;
        borrow = c1 || c2;
    }
    borrow
}

/// `a >>= n`; bits shifted out are lost.
pub fn shift_right(a: &mut [u64], n: usize) {
    let (limbs, bits) = (n / 64, n % 64);
    let len = a.len();
    for i in 0..len {
        let at = |j: usize| if j < len { a[j] } else { 0 };
        let low = at(i + limbs);
        a[i] = if bits == 0 { low } else { low >> bits | at(i + limbs + 1) << (64 - bits) };
    }
}

/// `a <<= n`; bits shifted out are lost.
pub fn shift_left(a: &mut [u64], n: usize) {
    let (limbs, bits) = (n / 64, n % 64);
    for i in (0..a.len()).rev() {
        let at = |j: usize| if i >= j { a[i - j] } else { 0 };
        let high = at(limbs);
        a[i] = if bits == 0 { high } else { high << bits | at(limbs + 1) >> (64 - bits) };
    }
}

/// Quotient of two significands: `⌊a · 2^(64 (LIMBS+1)) / b⌋` (Knuth's algorithm D; `b` is normalised).
pub fn divide(a: &Mantissa, b: &Mantissa) -> [u64; LIMBS + 2] {
    const N: usize = 2 * LIMBS + 1;
    // The numerator with one more limb on top, which stays below `b`.
    let mut r = [0u64; N + 1];
    r[LIMBS + 1..N].copy_from_slice(a);
    let mut quotient = [0u64; LIMBS + 2];
    let top = b[LIMBS - 1] as u128;
    for i in (0..LIMBS + 2).rev() {
        let head = (r[i + LIMBS] as u128) << 64 | r[i + LIMBS - 1] as u128;
        let mut q = head / top;
        let mut rest = head - q * top;
        while q >> 64 != 0 || q * b[LIMBS - 2] as u128 > (rest << 64 | r[i + LIMBS - 2] as u128) {
            q -= 1;
            rest += top;
            if rest >> 64 != 0 {
                break;
            }
        }
        let mut carry = 0u128;
        let mut borrow = false;
        for j in 0..LIMBS {
            let t = q * b[j] as u128 + carry;
            carry = t >> 64;
            let (s, c1) = r[i + j].overflowing_sub(t as u64);
            let (s, c2) = s.overflowing_sub(borrow as u64);
            r[i + j] = s;
            borrow = c1 || c2;
        }
        let (s, c1) = r[i + LIMBS].overflowing_sub(carry as u64);
        let (s, c2) = s.overflowing_sub(borrow as u64);
        r[i + LIMBS] = s;
        if c1 || c2 {
            q -= 1;
            let c = add(&mut r[i..i + LIMBS], b);
            r[i + LIMBS] = r[i + LIMBS].wrapping_add(c as u64);
        }
        quotient[i] = q as u64;
    }
    quotient
}
