// Complex numbers: the cotangent of a real L is ∂L/∂x + i ∂L/∂y.

// C1, C2, C3
fn squared(z: c128) -> c128 { z^2 }
fn squared1(z: c128) -> c128 { vjp(squared)(z; 1 + 0i) }
fn modulus1(z: c128) -> c128 { grad(abs)(z) }
fn there_and_back(x: f64) -> f64 { re(exp(1i*x)) }
fn there_and_back1(x: f64) -> f64 { grad(there_and_back)(x) }
//= squared1(1+1i) = 2-2i
//= modulus1(0+1i) = 0+1i
//= there_and_back1(0.7) = -0.6442176872376911

// C4
fn intensity1(z: c128) -> c128 { grad(abs2)(z) }
fn phase1(z: c128) -> c128 { grad(arg)(z) }
fn parts1(z: c128) -> (c128, c128) { (grad(re)(z), grad(im)(z)) }
//= intensity1(3-4i) = 6-8i
//= phase1(0+2i) = -0.5+0i
//= parts1(1+2i) = 1+0i; 0+1i

// C5, C6: near and at 0 and infinity.
fn modulus_single1(z: c64) -> c64 { grad(abs)(z) }
//= modulus1(0+0i) = 0+0i
//= modulus_single1(-1.0568e-23+0i) = -1+0i
//= modulus1(1e-200+1e-200i) = 0.7071067811865476+0.7071067811865476i
//= modulus1(inf+0i) = 1+0i
//= phase1(5.6843e-14+1e-13i) = -7557900000000+4296200000000i ~ 1e-4

// C7: a quadratic form, (A + Aᴴ) z.
fn form[N](A: c128[N, N], z: c128[N]) -> f64 { re(dot(z, A @ z)) }
fn form1(A: c128[2, 2], z: c128[2]) -> c128[2] { grad(form, wrt = z)(A, z) }
//= form1([[1+1i, 2], [0+1i, 3]], [1, 0+1i]) = [3+2i, 2+7i]

// C8: on both sides of a cut.
fn root1(z: c128) -> c128 { vjp(rooted)(z; 1 + 0i) }
fn rooted(z: c128) -> c128 { sqrt(z) }
//= root1(-4+0i) = 0+0.25i
//= root1(-4-0i) = 0-0.25i

// C9
fn powered(z: c128, w: c128) -> c128 { z^w }
fn powered1(z: c128, w: c128) -> (c128, c128) { vjp(powered)(z, w; 1 + 0i) }
fn square_a(z: c128) -> c128 { vjp(by_power)(z; 1 + 2i) }
fn by_power(z: c128) -> c128 { z^2 }
fn square_b(z: c128) -> c128 { vjp(by_product)(z; 1 + 2i) }
fn by_product(z: c128) -> c128 { z*z }
//= powered1(1+0i, 2+0i) = 2+0i; 0+0i
//= square_a(3-1i) = 2+14i
//= square_b(3-1i) = 2+14i

// C10: a division that neither overflows nor underflows.
fn divided(z: c128, w: c128) -> c128 { z/w }
fn divided1(z: c128, w: c128) -> c128 { vjp(divided, wrt = z)(z, w; 1 + 0i) }
//= divided1(1+0i, 1e200+1e200i) = 5e-201+5e-201i
//= divided1(1+0i, 1e-200+1e-200i) = 5e199+5e199i

// C13: matrices.
fn volume1(A: c128[2, 2]) -> c128[2, 2] { grad(logdet)(A) }
fn product[N](A: c128[N, N], B: c128[N, N]) -> f64 { re(trace(A @ B)) }
fn product1(A: c128[2, 2], B: c128[2, 2]) -> c128[2, 2] { grad(product, wrt = A)(A, B) }
fn solved[N](A: c128[N, N], b: c128[N]) -> f64 { abs2(solve(A, b)[0]) }
fn solved1(A: c128[2, 2], b: c128[2]) -> c128[2] { grad(solved, wrt = b)(A, b) }
//= volume1([[0+2i, 0], [0, 4]]) = [[0+0.5i, 0], [0, 0.25]]
//= product1([[1, 2], [3, 4]], [[1+1i, 2], [3, 4-1i]]) = [[1-1i, 3], [2, 4+1i]]
//= solved1([[0+2i, 0], [0, 1]], [4, 1]) = [2+0i, 0]

// Real beside complex in arrays.
fn rotated[N](x: f64[N], a: f64) -> f64 { sum(re(x[i]*cis(a*f64(i))) for i) }
fn rotated1(x: f64[3], a: f64) -> (f64[3], f64) { grad(rotated)(x, a) }
//= rotated1([1, 2, 3], 0) = [1, 1, 1]; 0
