"""A check of derivatives that somebody wrote elsewhere: in NumPy, torch or JAX, or behind a solver.

Written in Python, since each evaluation is a call of a Python function with arrays of any package; what is left is arithmetic on a
few numbers. The method is that of ``adc check``, with what foreign code allows: no second precision (so noise is measured by the
scatter of nearby values), no knowledge of operations (so kinks are seen by one-sided slopes).

For one input, one direction ``u`` and one cotangent ``v`` at a time, the number compared is ``⟨v, J u⟩``:

* by differences at steps from a tenth of the input's own scale downwards, with Richardson's extrapolation; the estimate counts
  whose rounding (noise over step) and truncation (change from estimate to estimate) are smallest together;
* by the Taylor remainder ``|L(x + h u) - L(x) - h ⟨g, u⟩|``, whose rate needs no step to be chosen: it falls with h² where the
  gradient is right, with h where it is wrong, and not at all where it is noise;
* by the adjoint identity with ``jvp``, which needs no differences, if there is one.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._errors import CheckFailed
from ._foreign import EPSILON, Array, Call, Input, dtype_name, of_inputs, outputs_of, wide

#: Verdicts of ``adc check`` that foreign code cannot have, and why.
UNAVAILABLE = {
    "imprecise": "needs the function in more than double precision",
    "unstable": "needs the derivative in more than double precision",
}

_RATIO = 4.0
_RUNGS = 12


@dataclasses.dataclass
class Entry:
    """One comparison. ``ratio`` is error over tolerance; ``resolution`` the smallest relative error that would have been seen;
    ``rate`` the order at which the Taylor remainder falls, where it could be seen."""

    input: str
    index: tuple[int, ...] | None
    given: float
    difference: float
    error: float
    tolerance: float
    verdict: str
    rate: float | None = None
    note: str = ""
    #: The sum of the absolute terms of ``⟨g, u⟩``: what a relative error refers to.
    scale: float = 0.0

    @property
    def ratio(self) -> float:
        return self.error / self.tolerance if self.tolerance > 0 else (0.0 if self.error == 0 else math.inf)

    @property
    def resolution(self) -> float:
        scale = max(abs(self.given), abs(self.difference), self.scale)
        return self.tolerance / scale if scale > 0 else math.inf

    @property
    def name(self) -> str:
        return self.input if self.index is None else f"{self.input}[{', '.join(map(str, self.index))}]"


@dataclasses.dataclass
class FunctionReport:
    """The result of :func:`check_function`: a verdict for each input, with the comparisons behind it."""

    verdicts: dict[str, str]
    entries: list[Entry]
    notes: list[str]
    noise: float
    unavailable: Mapping[str, str] = dataclasses.field(default_factory=lambda: dict(UNAVAILABLE))

    @property
    def passed(self) -> bool:
        """Whether every input's derivative was compared and agrees, kinks between the one-sided slopes included."""
        return bool(self.verdicts) and all(v in ("ok", "kink") for v in self.verdicts.values())

    def worst(self, name: str) -> Entry:
        """The comparison that decided an input's verdict."""
        own = [e for e in self.entries if e.input == name]
        # Single elements that noise hides do not decide about an input of which others were seen.
        own = [e for e in own if e.verdict == self.verdicts[name]] or own
        order = ["ok", "kink", "unsure", "wrong"]
        return max(own, key=lambda e: (order.index(e.verdict), e.index is not None and e.verdict == "wrong", e.ratio))

    @property
    def text(self) -> str:
        width = max((len(n) for n in self.verdicts), default=0)
        lines = []
        for name, verdict in self.verdicts.items():
            if not any(e.input == name for e in self.entries):
                lines.append(f"{verdict:<6}  {name}")
                continue
            e = self.worst(name)
            word = "FAIL" if verdict == "wrong" else verdict
            rate = "" if e.rate is None else f"  Taylor rate {e.rate:.1f}"
            lines.append(
                f"{word:<6}  {name:<{width}}  worst err/tol {e.ratio:.2g}  sees errors from {e.resolution:.1e}{rate}"
            )
            if verdict != "ok":
                what = f"∂/∂{e.name}" if e.index is not None else f"along a direction in {e.name}"
                lines.append(f"        {what}: given {e.given:.10g}, differences {e.difference:.10g} ± {e.tolerance:.1e}")
            if e.note:
                lines.append(f"        {e.note}")
        lines += self.notes
        lines.append(f"relative noise of the function: {self.noise:.1e}")
        lines.append("not available for foreign code: " + "; ".join(f"{k} ({v})" for k, v in self.unavailable.items()))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        entries = [{**dataclasses.asdict(e), "ratio": e.ratio, "resolution": e.resolution} for e in self.entries]
        return {
            "schema": "adc.check-function/1",
            "passed": self.passed,
            "verdicts": self.verdicts,
            "entries": entries,
            "noise": self.noise,
            "notes": self.notes,
            "unavailable": dict(self.unavailable),
        }

    def raise_if_failed(self) -> None:
        """Raises ``adc.CheckFailed`` with the report unless the check passed."""
        if not self.passed:
            raise CheckFailed(self.text, self.to_dict())

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return self.text


def check_function(
    f: Callable[..., Any],
    vjp: Callable[..., Any],
    inputs: Sequence[Any] | Mapping[str, Any],
    jvp: Callable[..., Any] | None = None,
    *,
    names: Sequence[str] | None = None,
    convention: str = "adc",
    probes: int = 4,
    max_entries: int = 32,
    seed: int = 0,
) -> FunctionReport:
    """Compares a derivative with differences of the function, input by input.

    ``inputs`` are the arguments of ``f``: a sequence, or a dictionary by name. They may be numbers, or arrays of NumPy, torch or
    JAX in any precision; integers and booleans are held still. ``f`` returns a number, an array, or several.

    ``vjp`` may be any of these, as its signature tells: ``vjp(*inputs, *cotangents)``; ``vjp(*inputs)``, which returns the
    gradient of a scalar function, or a function of the cotangents; ``vjp(*cotangents)`` for the given inputs. It returns one
    derivative for each input, in order or by name. With inputs by name, cotangents come first. ``jvp(*inputs, *tangents)``
    returns the tangents of the results.

    Every input is displaced by steps that fit its own scale and precision. Inputs of up to ``max_entries`` elements are compared
    element by element, larger ones along ``probes`` random directions, and an element that is wrong is looked for.
    ``convention`` is that of complex cotangents: "adc" (and torch) or "jax".
    """
    if convention not in ("adc", "jax"):
        raise ValueError(f'the convention is "adc" or "jax", not {convention!r}')
    return _Check(f, vjp, inputs, jvp, names, convention, np.random.default_rng(seed)).run(probes, max_entries)


def _dot(a: Array, b: Array) -> float:
    """The real inner product."""
    return float(np.sum((np.conj(a) * b).real))


@dataclasses.dataclass
class Noise:
    """The scatter of values: of rounding alone, and as it was found at several scales."""

    rounding: float
    levels: list[tuple[float, float]]

    def at(self, step: float) -> float:
        """Of values a step apart: what varies on smaller scales."""
        return max([self.rounding] + [level for spread, level in self.levels if 16 * spread <= step])


class _Check:
    def __init__(
        self,
        f: Callable[..., Any],
        vjp: Callable[..., Any],
        inputs: Sequence[Any] | Mapping[str, Any],
        jvp: Callable[..., Any] | None,
        names: Sequence[str] | None,
        convention: str,
        rng: np.random.Generator,
    ) -> None:
        by_name = isinstance(inputs, Mapping)
        if isinstance(inputs, Mapping):
            pairs = list(inputs.items())
        else:
            several = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
            pairs = list(zip(names or [f"input {k}" for k in range(len(several))], several))
        self.call = Call([Input.of(str(name), given) for name, given in pairs], by_name)
        self.f, self.vjp, self.jvp, self.rng = f, vjp, jvp, rng
        self.jax = convention == "jax"
        self.active = [k for k, i in enumerate(self.call.inputs) if i.epsilon is not None]
        if not self.active:
            raise TypeError("no input is real or complex")
        self.given = [i.given for i in self.call.inputs]
        self.here = self.outputs(self.given)
        floats = [np.issubdtype(o.dtype, np.inexact) for o in self.here]
        if not all(floats) or not self.here:
            raise TypeError("a result of the function is no real or complex array")
        self.kinds = [dtype_name(o) for o in outputs_of(self.call(f, self.given))]
        # The least precise of what comes in and goes out.
        spacing = [self.call.inputs[k].epsilon or 0.0 for k in self.active] + [EPSILON.get(k, 2.0**-52) for k in self.kinds]
        self.epsilon = max(spacing)
        self.form = self.form_of_vjp()
        self.notes: list[str] = []

    def outputs(self, values: list[Any]) -> list[Array]:
        return [wide(o) for o in outputs_of(self.call(self.f, values))]

    def form_of_vjp(self) -> str:
        n, m = len(self.call.inputs), len(self.here)
        if self.call.fits(self.vjp, n, m):
            return "inputs and cotangents"
        if self.call.fits(self.vjp, n, 0):
            return "inputs"
        if self.call.fits(self.vjp, 0, m):
            return "cotangents"
        raise TypeError(f"`vjp` takes neither {n} inputs and {m} cotangents, nor the inputs or the cotangents alone")

    def like_outputs(self, v: list[Array]) -> list[Any]:
        """Cotangents or tangents as the function's results are."""
        originals = outputs_of(self.call(self.f, self.given))
        return [Input.of("", o).like(x if np.iscomplexobj(wide(o)) else x.real) for o, x in zip(originals, v)]

    def gradient(self, v: list[Array]) -> tuple[list[Array], dict[str, Array]]:
        """The cotangents as they were given, rounded to their types, and what `vjp` makes of them."""
        def conj(x: Array) -> Array:
            return np.asarray(np.conj(x)) if self.jax else x

        seeds = self.like_outputs([conj(x) for x in v])
        if self.form == "inputs and cotangents":
            returned = self.call(self.vjp, self.given, *seeds)
        elif self.form == "cotangents":
            returned = self.vjp(*seeds)
        else:
            returned = self.call(self.vjp, self.given)
            if callable(returned):
                returned = returned(*seeds)
            elif self.here[0].size != 1 or len(self.here) != 1 or np.iscomplexobj(self.here[0]):
                raise TypeError("`vjp` takes no cotangent, so the function must return one real number")
            else:
                # A gradient: its cotangent is 1.
                seeds = [np.ones(self.here[0].shape)]
        g = of_inputs(returned, self.call.inputs, self.active, "vjp")
        return [conj(wide(s)) for s in seeds], {name: conj(x) for name, x in g.items()}

    def scale(self, i: Input) -> Array:
        """The size of each element of an input: its own; for zeros, that of the others."""
        size = np.abs(i.value)
        others = size[(size > 0) & np.isfinite(size)]
        return np.where(size > 0, size, np.median(others) if others.size else 1.0)

    def line(self, i: Input, u: Array, v: list[Array]) -> Callable[[float], tuple[Array, float]]:
        """L = ⟨v, f⟩ at x + t u, with the displacement that rounding left of it."""

        def at(t: float) -> tuple[Array, float]:
            moved = i.like(i.value + t * u)
            values = [moved if j is i else j.given for j in self.call.inputs]
            try:
                with np.errstate(all="ignore"):
                    found = self.outputs(values)
                    total = math.fsum(_dot(a, b) for a, b in zip(v, found))
            except (ArithmeticError, ValueError, RuntimeError):
                total = math.nan
            return wide(moved) - i.value, total

        return at

    def noise_of(self, at: Callable[[float], tuple[Array, float]], size: float) -> Noise:
        """The scatter of L near the point at several scales, by differences of equidistant values (Moré and Wild), whose higher
        orders a smooth function leaves at nothing; at least the rounding of its terms."""
        levels: list[tuple[float, float]] = []
        spread = 8 * self.epsilon
        while spread < 2.0**-12 or not levels:
            values = np.array([at((k - 3) * spread)[1] for k in range(7)])
            if np.all(np.isfinite(values)):
                table, orders = values, []
                for order in range(1, 6):
                    table = np.diff(table)
                    gamma = math.factorial(order) ** 2 / math.factorial(2 * order)
                    orders.append(math.sqrt(gamma * float(np.mean(table**2))))
                levels.append((spread, 3 * min(orders[2:])))
            spread *= 128.0
            if not levels and spread > 1:
                break
        return Noise(self.epsilon * size, levels)

    def compare(
        self, i: Input, u: Array, v: list[Array], g: Array, index: tuple[int, ...] | None, noise: Noise
    ) -> Entry:
        """Differences along u against ⟨g, u⟩; u is in units of the input's scale."""
        at = self.line(i, u, v)
        given = _dot(g, u)
        # Its own rounding: of each term, and of what led to the gradient.
        rounding = 8 * self.epsilon * (float(np.sum(np.abs(g) * np.abs(u))) + abs(given))
        steps, central, plus, minus, errors = self.ladder(at, g, given, noise, 1.0)
        if len(steps) < 3:
            note = "the function has no value near the point"
            return Entry(i.name, index, given, math.nan, math.nan, math.nan, "unsure", note=note)
        estimate, tolerance = _richardson(steps, central, errors)
        tolerance += rounding
        error = abs(estimate - given)
        floor = noise.at(steps[-1])
        rate = _rate([(h, abs(p) * h) for p, h in zip(plus, steps) if abs(p) * h > 16 * noise.at(h)])
        entry = Entry(i.name, index, given, estimate, error, tolerance, "ok", rate)
        entry.scale = float(np.sum(np.abs(g) * np.abs(u)))
        if error > tolerance:
            entry.verdict, entry.note = self.doubt(entry, steps, plus, minus, noise)
            if entry.verdict == "wrong":
                # Other steps have to say the same.
                others, also, _, _, doubts = self.ladder(at, g, given, noise, 0.618)
                second, bound = _richardson(others, also, doubts) if len(others) >= 3 else (math.nan, math.inf)
                if not abs(second - given) > max(tolerance, bound + rounding) + 2 * abs(second - estimate):
                    entry.verdict, entry.note = "unsure", "differences at different steps contradict each other"
        # A derivative that changes the function by less than its noise, over the whole range of steps, does not matter.
        elif entry.resolution > 0.3 and max(entry.scale, abs(estimate)) > 8 * floor:
            entry.verdict, entry.note = "unsure", "the noise of the function hides the derivative"
        elif (slopes := self.slopes(steps, plus, minus, noise)) is not None:
            entry.verdict, entry.note = "kink", "the slopes are {:.6g} on the left and {:.6g} on the right".format(
                *(s + given for s in slopes)
            )
        return entry

    def ladder(
        self, at: Callable[[float], tuple[Array, float]], g: Array, given: float, noise: Noise, factor: float
    ) -> tuple[list[float], list[float], list[float], list[float], list[float]]:
        """Steps with central differences, what one-sided ones add to the derivative, and what noise leaves of each. Each difference
        is compared with the derivative along the displacement that was really made."""
        center = at(0.0)[1]
        steps, central, plus, minus, errors = [], [], [], [], []
        first, ratio = (0.125, _RATIO) if self.epsilon < 1e-5 else (0.5, 2.0)
        for k in range(_RUNGS + (8 if self.epsilon < 1e-9 else 0)):
            h = factor * first * ratio**-k
            # Fewer digits leave less to take away from each other.
            if h < 8 * self.epsilon:
                break
            (dp, up), (dm, down) = at(h), at(-h)
            if not (math.isfinite(up) and math.isfinite(down)):
                continue
            steps.append(h)
            central.append(given + (up - down - _dot(g, dp - dm)) / (2 * h))
            plus.append((up - center - _dot(g, dp)) / h)
            minus.append((center - down - _dot(g, -dm)) / h)
            errors.append(noise.at(h) / h)
        return steps, central, plus, minus, errors

    def slopes(
        self, steps: list[float], plus: list[float], minus: list[float], noise: Noise
    ) -> tuple[float, float] | None:
        """What the slopes to the left and to the right add to the derivative, if they stay apart at small steps."""
        seen = [(p, m) for h, p, m in zip(steps, plus, minus) if max(abs(p), abs(m)) * h > 4 * noise.at(h)]
        if len(seen) < 4:
            return None
        small = seen[len(seen) // 2 :]
        apart = [abs(p - m) for p, m in small]
        total = max(abs(p) + abs(m) for p, m in small)
        if min(apart) < 0.9 * max(apart) or min(apart) < 0.05 * total:
            return None
        return sum(m for _, m in small) / len(small), sum(p for p, _ in small) / len(small)

    def doubt(
        self, e: Entry, steps: list[float], plus: list[float], minus: list[float], noise: Noise
    ) -> tuple[str, str]:
        """What a disagreement is: a wrong derivative, a kink, a jump, or noise."""
        seen = [(h, p, m) for h, p, m in zip(steps, plus, minus) if max(abs(p), abs(m)) * h > 4 * noise.at(h)]
        if len(seen) < 3:
            return "unsure", "the noise of the function is as large as the disagreement"
        slopes = self.slopes(steps, plus, minus, noise)
        if slopes is not None:
            left, right = (s + e.given for s in slopes)
            words = f"the slopes are {left:.6g} on the left and {right:.6g} on the right"
            slack = 1e-3 * abs(right - left)
            if min(left, right) - slack <= e.given <= max(left, right) + slack:
                return "kink", words
            return "wrong", f"{words}: the derivative is not between them"
        small = seen[len(seen) // 2 :]
        apart = [abs(p - m) for _, p, m in small]
        if min(apart) > 0 and apart[-1] / apart[0] > 2.0 ** (len(small) - 1):
            return "unsure", "the function jumps here"
        return "wrong", _mistake(e.given, e.difference, e.tolerance)

    def direction(self, i: Input, index: tuple[int, ...] | None, part: complex = 1.0) -> Array:
        scale = self.scale(i)
        if index is None:
            signs: Array = scale * self.rng.choice([-1.0, 1.0], size=i.value.shape)
            return signs * self.rng.choice([1.0, 1j], size=i.value.shape) if np.iscomplexobj(i.value) else signs
        u: Array = np.zeros(i.value.shape, dtype=i.value.dtype)
        u[index] = scale[index] * part
        return u

    def cotangent(self) -> list[Array]:
        v = []
        for o in self.here:
            real: Array = np.asarray(self.rng.standard_normal(o.shape))
            v.append(real + 1j * self.rng.standard_normal(o.shape) if np.iscomplexobj(o) else real)
        return v

    def repeatable(self) -> bool:
        again = self.outputs(self.given)
        return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(self.here, again))

    def run(self, probes: int, max_entries: int) -> FunctionReport:
        entries: list[Entry] = []
        inputs = [self.call.inputs[k] for k in self.active]
        if not all(np.all(np.isfinite(o)) for o in self.here):
            self.notes.append("the function is not finite at this point, so nothing can be compared")
            return FunctionReport({i.name: "unsure" for i in inputs}, [], self.notes, math.nan)
        if not self.repeatable():
            self.notes.append("the function gives different results for the same inputs; its scatter counts as noise")
        relative = 0.0
        for probe in range(max(1, probes)):
            v, g = self.gradient(self.cotangent())
            # Roundings of the results' elements, of which none knows of the others.
            size = math.sqrt(math.fsum(float(np.sum(np.abs(a * b) ** 2)) for a, b in zip(v, self.here)))
            for i in inputs:
                if not np.all(np.isfinite(g[i.name])):
                    entries.append(Entry(i.name, None, math.nan, math.nan, math.inf, 0.0, "wrong", note="the derivative is not finite"))
                    continue
                if i.value.size == 0:
                    continue
                noise = self.noise_of(self.line(i, self.direction(i, None), v), size)
                relative = max(relative, noise.at(1.0) / size if size > 0 else 0.0)
                if i.value.size > max_entries or probe > 0:
                    u = self.direction(i, None)
                    entries.append(self.compare(i, u, v, g[i.name], None, noise))
                    if entries[-1].verdict == "wrong" and i.value.size > max_entries:
                        entries.extend(self.culprit(i, v, g[i.name], noise))
                    continue
                parts: tuple[complex, ...] = (1.0, 1j) if np.iscomplexobj(i.value) else (1.0,)
                for index in np.ndindex(i.value.shape):
                    for part in parts:
                        e = self.compare(i, self.direction(i, index, part), v, g[i.name], index, noise)
                        entries.append(e)
            if self.jvp is not None:
                self.identity(v, g, entries)
        return FunctionReport(self.verdicts(inputs, entries), [self.in_units(e) for e in entries], self.notes, relative)

    def in_units(self, e: Entry) -> Entry:
        """An element's derivative by the element itself, not by its scale."""
        if e.index is None:
            return e
        i = next(i for i in self.call.inputs if i.name == e.input)
        s = float(self.scale(i)[e.index])
        numbers = {k: getattr(e, k) / s for k in ("given", "difference", "error", "tolerance", "scale")}
        return dataclasses.replace(e, **numbers)

    def culprit(self, i: Input, v: list[Array], g: Array, noise: Noise) -> list[Entry]:
        """Halves the elements of a wrong input until one is left that is wrong by itself."""
        indices = list(np.ndindex(i.value.shape))
        while len(indices) > 1:
            half = indices[: len(indices) // 2]
            u = np.zeros(i.value.shape, dtype=i.value.dtype)
            for index in half:
                u += self.direction(i, index) * self.rng.choice([-1.0, 1.0])
            wrong = self.compare(i, u, v, g, None, noise).verdict == "wrong"
            indices = half if wrong else indices[len(indices) // 2 :]
        e = self.compare(i, self.direction(i, indices[0]), v, g, indices[0], noise)
        return [e] if e.verdict == "wrong" else []

    def identity(self, v: list[Array], g: dict[str, Array], entries: list[Entry]) -> None:
        """⟨v, J u⟩ = ⟨g, u⟩, one input at a time: no differences are needed."""
        assert self.jvp is not None
        for k in self.active:
            i = self.call.inputs[k]
            tangents = [j.like(np.zeros_like(j.value)) for j in self.call.inputs]
            u = wide(i.like(self.direction(i, None)))
            tangents[k] = i.like(u)
            seeds = tangents if not self.call.by_name else [dict(zip((j.name for j in self.call.inputs), tangents))]
            found = [wide(t) for t in outputs_of(self.call(self.jvp, self.given, *seeds))]
            given, forward = _dot(g[i.name], u), math.fsum(_dot(a, b) for a, b in zip(v, found))
            terms = float(np.sum(np.abs(g[i.name]) * np.abs(u))) + math.fsum(float(np.sum(np.abs(a * b))) for a, b in zip(v, found))
            e = Entry(i.name, None, given, forward, abs(given - forward), 64 * self.epsilon * terms, "ok")
            if e.error > e.tolerance or not math.isfinite(forward):
                e.verdict, e.note = "wrong", "forward and reverse mode disagree, which needs no differences to see"
            entries.append(e)

    def verdicts(self, inputs: list[Input], entries: list[Entry]) -> dict[str, str]:
        order = ["ok", "kink", "unsure", "wrong"]
        out = {}
        for i in inputs:
            own = [e.verdict for e in entries if e.input == i.name]
            out[i.name] = max(own, key=order.index) if own else "ok"
            # Noise may hide elements that hardly matter, as long as most comparisons saw something.
            if out[i.name] == "unsure" and 2 * own.count("unsure") <= len(own):
                out[i.name] = "kink" if "kink" in own else "ok"
        return out


def _richardson(steps: list[float], central: list[float], errors: list[float]) -> tuple[float, float]:
    """The estimate with the smallest error, and a bound of that: of truncation, by how much estimates differ, and of noise."""
    best, bound = math.nan, math.inf
    row: list[tuple[float, float]] = []
    for k in range(len(steps)):
        new = [(central[k], errors[k])]
        for j in range(1, min(k, 4) + 1):
            ratio = (steps[k - j] / steps[k]) ** 2
            (a, ea), (b, eb) = new[j - 1], row[j - 1]
            new.append((a + (a - b) / (ratio - 1), (ratio * ea + eb) / (ratio - 1)))
            change = max(abs(new[j][0] - a), abs(new[j][0] - b))
            # Consistent with the finer differences, whose own error is noise and half a step of truncation.
            total = 10 * change + 2 * new[j][1]
            finer = range(k + 1, min(k + 3, len(steps)))
            agrees = all(abs(new[j][0] - central[q]) <= total + 10 * errors[q] + abs(central[q] - central[q - 1]) for q in finer)
            if total < bound and agrees:
                best, bound = new[j][0], total
        row = new
    if math.isinf(bound):
        k = min(range(1, len(steps)), key=lambda k: abs(central[k] - central[k - 1]) + errors[k])
        return central[k], 10 * abs(central[k] - central[k - 1]) + 10 * errors[k]
    return best, bound


def _rate(seen: list[tuple[float, float]]) -> float | None:
    """The order at which the Taylor remainder falls, by steps and remainders above the noise: 2 for a right gradient, 1 for a wrong
    one."""
    seen = [(math.log(h), math.log(r)) for h, r in seen[-4:]]
    if len(seen) < 3:
        return None
    return float(np.polyfit([h for h, _ in seen], [r for _, r in seen], 1)[0])


def _mistake(given: float, wanted: float, tolerance: float) -> str:
    """The likely mistake behind a wrong number."""
    if abs(wanted) <= tolerance:
        return "it should be 0"
    for factor, words in ((-1.0, "the sign is wrong"), (2.0, "a factor 2 too large"), (0.5, "a factor 2 too small"), (0.0, "a term is missing")):
        if abs(given - factor * wanted) <= 4 * tolerance + 1e-9 * abs(wanted):
            return words
    return ""
