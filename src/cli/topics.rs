//! What `adc explain` knows besides codes and ops: name, title, page.

use adc_checker::Verdict;
use std::fmt::Write;

/// The one table of topics.
pub(crate) const TOPICS: [(&str, &str, &str); 3] = [
    ("check", "what `adc check` compares, and what its columns mean", CHECK),
    ("complex", "which complex number a derivative is", COMPLEX),
    ("point", "how to write a point", POINT),
];

/// The page on `check` continues with the table of verdicts.
pub(crate) fn verdicts() -> String {
    let mut out = String::from("\nVerdicts, and how the report shows them:\n\n");
    for v in Verdict::ALL {
        let info = v.info();
        let _ = writeln!(out, "  {:<16} {:<6} {}", info.word, info.shown, info.meaning);
    }
    out += "\n`FAIL` is exit code 1, and with --strict `unsure` is, too. `expect WORD` in a `check` block takes each of these words,\n\
            `fail` (any failure) and `error` (the function ends in a run-time error).\n";
    out
}

const CHECK: &str = "\
Compiled derivatives are compared with compiled differences of the function, at sampled points.

  ∂a.re/∂z.im   the real part of result `a` with respect to the imaginary part of parameter `z`
  ∂x_bar/∂y     second derivatives: `x_bar`, `out_bar` are what the reverse-mode program returns and takes
  along u       along a random direction, each coordinate ±1: every row of the Jacobian at once
  jvp, vjp      the derivative by forward and by reverse mode
  fd ± est      the difference and its estimated error, from values of the function in double-double; at a kink
                the slopes to the left and to the right
  |ad-fd|       the error, of jvp or vjp, whichever is larger; at a kink, how far they lie outside of the slopes
  tol           10 E + 2 R + r: truncation E and noise R of the difference (est is E + R), and rounding r of the
                derivative: 8 units in the last place, or what rounding of the inputs makes of it
  err/tol       the error over its tolerance; at most 1 passes
  resolution    tol over the derivative: the smallest relative error that would have been seen
  identities    checks without differences: ⟨v, J u⟩ = ⟨VJP(v), u⟩, linearity, 0 for 0, symmetry of the Hessian,
                forward over reverse = reverse over forward; in units of the last place

The last lines of a failure say what is to blame: `blame`, the first instruction whose own derivative is wrong, with its
inputs; `evidence`, what the entry becomes when only that derivative is replaced by the difference; `mistake`, what seems to
be wrong with it; `stage`, whether the raw derivative, simplification or compilation is at fault. --no-blame leaves them out.

Modes: slow compares every entry, fast J u along random directions, forward the JVP beside the VJP, gradgrad does the
same for the derivative program.

Points: --points N of a low-discrepancy sequence (Sobol, scrambled by --seed), and --special N in addition (half as many):
equal inputs, 0, ±1, bounds, numbers next to cuts and bounds, large and tiny ones, within the declared domains. A special
point counts if an entry is wrong there or a derivative ends in a run-time error; it is left out if the function has no
value or a kink there, or if differences cannot tell. `edge` in a block makes ±0, bounds and ties ordinary points.

If all agree, --search N searches N more points, within the block's ranges, for errors larger than steps and rounding
explain. It finds formulas that lose digits somewhere, and mistakes that grow.

`= reproduce:` is a command that repeats a failure to the last digit: directions and cotangents depend on seed and point
only. `= minimal:` is the same failure at few, round numbers (--shrink N). --seed random takes new points each run and
prints the seed.

With fixed steps (--classic, --eps, --atol, --rtol, or one of these words in a block; the line of the function says so),
fd is (f(x + eps) - f(x - eps))/(2 eps), tol is atol + rtol |fd|, the parts of a complex number are compared together, by
the modulus, and `ok (too small to test)` marks what is smaller than 100 atol. Only slow is done unless --mode or the block
asks for more. fast compares the VJP along u_x of positive coordinates there, one for each input x.
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
  --at 'x=pi/2,y=1/2,n=1e3*2'                       small expressions; in JSON as strings
  --at 'f=sin,x=1.5'                                a function of the file or built in, by name; in JSON "f": "sin"
  --at @point.json                                  JSON or text in a file
  --at -                                            JSON or text on standard input
"#;
