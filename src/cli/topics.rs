//! What `adc explain` knows beside codes and ops: name, title, page.

/// The one table of topics.
pub(crate) const TOPICS: [(&str, &str, &str); 3] = [
    ("check", "what `adc check` compares, and what its columns mean", CHECK),
    ("complex", "which complex number a derivative is", COMPLEX),
    ("point", "how to write a point", POINT),
];

const CHECK: &str = "\
Compiled derivatives are compared with compiled central differences, at sampled points.

  ∂a.re/∂z.im   change of the real part of result `a` with the imaginary part of parameter `z`
  ∂x_bar/∂y     second derivatives: `x_bar`, `out_bar` are what the reverse-mode program returns and takes
  along u       along random directions: one number per result instead of every entry
  jvp, vjp      the derivative by forward and by reverse mode
  fd            (f(x + eps) - f(x - eps))/(2 eps)
  |ad-fd|       the error, of jvp or vjp, whichever is larger
  err/tol       the error over its tolerance, atol + rtol |fd|; at most 1 passes

  ok (too small to test)   smaller than 100 atol: the tolerance would pass almost anything
  unchecked                a displaced point has no value
  FAIL (not finite)        the derivative is NaN or infinite, the value is not

Modes: slow compares every entry, fast the VJP along random directions, forward the JVP, gradgrad the same for the
derivative program. The parts of a complex number are compared together, by the modulus.
";

const COMPLEX: &str = "\
The derivative of a real L with respect to z = x + iy is

  ∂L/∂x + i ∂L/∂y  =  2 ∂L/∂z*

the direction of steepest ascent. For L = |z|^2 at z = 3+4i:

  adc, PyTorch, TensorFlow, ChainRules    6+8i
  JAX, and adc with --convention jax      6-8i

`adc grad --wirtinger` prints ∂L/∂z and ∂L/∂z*; `--jacobian` prints W = ∂f/∂z and CW = ∂f/∂z* of a complex f.
JVP: W dz + CW conj(dz). VJP: conj(W) g + CW conj(g). A real parameter takes the real part.
";

const POINT: &str = r#"A point has a value for each parameter. `--tangent` and `--hvp` take the same; what they leave out is zero.

  --at 'x=1.5,z=0.3+0.4i,n=3,b=true'                text; also inf, -inf, NaN
  --at '{"x": 1.5, "z": {"re": 0.3, "im": 0.4}}'    JSON; also "0.3+0.4i", "inf", "-inf", "NaN" as strings
  --at @point.json                                  JSON or text in a file
  --at -                                            JSON or text on standard input
"#;
