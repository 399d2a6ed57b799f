"""Messages for `adc gradbench` with the outputs expected of them: `python3 reference.py > session.jsonl` (needs mpmath).

Written from the public definitions, apart from adc: functions in 60 digits, derivatives as central differences of them. What the two
descents end at is what they converge to in doubles, by the gradient in closed form (saddle) or by differences in 60 digits (particle).
"""

import json
import random

from mpmath import mp, mpf, exp, log, loggamma, sqrt, sin, cos, tanh, pi

mp.dps = 60
STEP = mpf(10) ** -20
rnd = random.Random(7)


def draw(*shape, lo=-1.0, hi=1.0):
    if not shape:
        return round(rnd.uniform(lo, hi), 3)
    return [draw(*shape[1:], lo=lo, hi=hi) for _ in range(shape[0])]


def high(x):
    return [high(e) for e in x] if isinstance(x, list) else (x if isinstance(x, (bool, str)) else mpf(x))


def flat(x):
    return [f for e in x for f in flat(e)] if isinstance(x, list) else [x]


def like(x, numbers):
    return [like(e, numbers) for e in x] if isinstance(x, list) else next(numbers)


def low(x):
    return [low(e) for e in x] if isinstance(x, list) else float(x)


def along(f, x, i):
    """The derivative of f, a number or a list, along entry i of the nested list x."""
    def at(h):
        numbers = flat(x)
        numbers[i] += h
        return f(like(x, iter(numbers)))
    up, down = at(STEP), at(-STEP)
    if isinstance(up, list):
        return [(a - b) / (2 * STEP) for a, b in zip(up, down)]
    return (up - down) / (2 * STEP)


def gradient(f, x):
    return like(x, iter([along(f, x, i) for i in range(len(flat(x)))]))


def llsq(x, n):
    total = mpf(0)
    for i in range(n):
        t = -1 + mpf(2 * i) / (n - 1)
        s = (t > 0) - (t < 0)
        total += (s - sum(c * t**j for j, c in enumerate(x))) ** 2
    return total / 2


def lse(x):
    return log(sum(exp(e) for e in x))


def ode(x, s):
    n, h = len(x), mpf(2) / s
    f = lambda y: [x[0]] + [x[i] * y[i - 1] for i in range(1, n)]
    y = [mpf(0)] * n
    for _ in range(s):
        k1 = f(y)
        k2 = f([a + h * b / 2 for a, b in zip(y, k1)])
        k3 = f([a + h * b / 2 for a, b in zip(y, k2)])
        k4 = f([a + h * b for a, b in zip(y, k3)])
        y = [a + h * (p + 2 * q + 2 * r + t) / 6 for a, p, q, r, t in zip(y, k1, k2, k3, k4)]
    return y


def det(a):
    if len(a) == 1:
        return a[0][0]
    minor = lambda j: [row[:j] + row[j + 1:] for row in a[1:]]
    return sum((-1) ** j * a[0][j] * det(minor(j)) for j in range(len(a)))


def gmm(v):
    d, k, n = v["d"], v["k"], v["n"]
    total = mpf(0)
    for x in v["x"]:
        terms = []
        for c in range(k):
            # The lower triangle is filled column by column.
            Q = [[mpf(0)] * d for _ in range(d)]
            entries = iter(v["l"][c])
            for j in range(d):
                Q[j][j] = exp(v["q"][c][j])
                for i in range(j + 1, d):
                    Q[i][j] = next(entries)
            y = [sum(Q[i][j] * (x[j] - v["mu"][c][j]) for j in range(d)) for i in range(d)]
            terms.append(v["alpha"][c] + sum(v["q"][c]) - sum(e * e for e in y) / 2)
        total += lse(terms)
    total -= n * (mpf(d) / 2 * log(2 * pi) + lse(v["alpha"]))
    nn = d + v["m"] + 1
    for c in range(k):
        frobenius = sum(exp(q) ** 2 for q in v["q"][c]) + sum(e * e for e in v["l"][c])
        total += -v["gamma"] ** 2 / 2 * frobenius + v["m"] * sum(v["q"][c])
    lg = mpf(d * (d - 1)) / 4 * log(pi) + sum(loggamma(mpf(nn) / 2 + mpf(1 - j) / 2) for j in range(1, d + 1))
    return total + k * (nn * d * (log(v["gamma"]) - log(mpf(2)) / 2) - lg)


def cost(points, centroids):
    near = lambda p: min(sum((a - b) ** 2 for a, b in zip(p, c)) for c in centroids)
    return sum(near(p) for p in points)


def means(points, centroids):
    """The direction: from the mean of its points to each centroid."""
    groups = [[] for _ in centroids]
    for p in points:
        distance = [sum((a - b) ** 2 for a, b in zip(p, c)) for c in centroids]
        groups[distance.index(min(distance))].append(p)
    return [[c[i] - sum(p[i] for p in g) / len(g) for i in range(len(c))] for c, g in zip(centroids, groups)]


def lstm(main, extra, state, sequence):
    b = len(extra[0])
    sigma = lambda t: 1 / (1 + exp(-t))
    state = [list(row) for row in state]
    total = mpf(0)
    for t in range(len(sequence) - 1):
        x = [a * w for a, w in zip(sequence[t], extra[0])]
        for i in range(len(main) // 2):
            w, s, h, c = main[2 * i], main[2 * i + 1], state[2 * i], state[2 * i + 1]
            gate = lambda v, k, f: [f(v[j] * w[k * b + j] + s[k * b + j]) for j in range(b)]
            forget, take, out, change = gate(x, 0, sigma), gate(h, 1, sigma), gate(x, 2, sigma), gate(h, 3, tanh)
            c = [c[j] * forget[j] + take[j] * change[j] for j in range(b)]
            x = [out[j] * tanh(c[j]) for j in range(b)]
            state[2 * i], state[2 * i + 1] = x, c
        y = [x[j] * extra[1][j] + extra[2][j] for j in range(b)]
        norm = log(2 + sum(exp(e) for e in y))
        total += sum(sequence[t + 1][j] * (y[j] - norm) for j in range(b))
    return -total / ((len(sequence) - 1) * b)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def reproject(v, feat):
    """v: eleven of the camera, three of the point, the weight."""
    cam, point, w = v[:11], v[11:14], v[14]
    p = [a - c for a, c in zip(point, cam[3:6])]
    angle = sqrt(sum(r * r for r in cam[:3]))
    axis = [r / angle for r in cam[:3]]
    turned = cross(axis, p)
    dot = sum(a * b for a, b in zip(axis, p))
    q = [p[i] * cos(angle) + turned[i] * sin(angle) + axis[i] * dot * (1 - cos(angle)) for i in range(3)]
    x = [q[0] / q[2], q[1] / q[2]]
    r = x[0] ** 2 + x[1] ** 2
    scale = 1 + cam[9] * r + cam[10] * r * r
    return [w * (x[i] * scale * cam[6] + cam[7 + i] - feat[i]) for i in range(2)]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def identity(n):
    return [[mpf(int(i == j)) for j in range(n)] for i in range(n)]


def euler(angles):
    x, z, y = angles
    X = [[1, 0, 0], [0, cos(x), -sin(x)], [0, sin(x), cos(x)]]
    Y = [[cos(y), 0, sin(y)], [0, 1, 0], [-sin(y), 0, cos(y)]]
    Z = [[cos(z), -sin(z), 0], [sin(z), cos(z), 0], [0, 0, 1]]
    return product(product(Z, Y), X)


def hand(theta, us, data):
    model = data["model"]
    bones = len(model["bone_names"])
    pose = [[mpf(0)] * 3 for _ in range(bones + 3)]
    pose[0], pose[1], pose[2] = theta[:3], [mpf(1)] * 3, theta[3:6]
    t, column = 6, 5
    for _ in range(5):
        for joint in range(2, 5):
            pose[column][0] = theta[t]
            t += 1
            if joint == 2:
                pose[column][1] = theta[t]
                t += 1
            column += 1
        column += 1
    absolute, transforms = [], []
    for i in range(bones):
        turn = identity(4)
        R = euler(pose[i + 3])
        for r in range(3):
            turn[r][:3] = R[r]
        own = product(model["base_relatives"][i], turn)
        parent = model["parents"][i]
        absolute.append(own if parent == -1 else product(absolute[parent], own))
        transforms.append(product(absolute[i], model["inverse_base_absolutes"][i]))
    angle = sqrt(sum(a * a for a in theta[:3]))
    if angle < mpf("1e-4"):
        R = identity(3)
    else:
        x, y, z = [a / angle for a in theta[:3]]
        K = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
        KK = product(K, K)
        R = [[identity(3)[i][j] + sin(angle) * K[i][j] + (1 - cos(angle)) * KK[i][j] for j in range(3)]
             for i in range(3)]
    vertices = []
    for p, w in zip(model["base_positions"], model["weights"]):
        q = [sum(w[b] * sum(transforms[b][i][k] * p[k] for k in range(4)) for b in range(bones)) for i in range(3)]
        if model["is_mirrored"]:
            q[0] = -q[0]
        vertices.append([sum(R[i][j] * q[j] for j in range(3)) + theta[3 + i] for i in range(3)])
    errors = []
    for c, (where, point) in enumerate(zip(data["correspondences"], data["points"])):
        if us:
            a, b, e = model["triangles"][where]
            u, v = us[c]
            found = [u * vertices[a][i] + v * vertices[b][i] + (1 - u - v) * vertices[e][i] for i in range(3)]
        else:
            found = vertices[where]
        errors += [point[i] - found[i] for i in range(3)]
    return errors


def hand_jacobian(theta, us, data):
    columns = []
    if us:
        # Each point depends on its own two coordinates.
        for k in range(2):
            column = [mpf(0)] * (3 * len(us))
            for c in range(len(us)):
                d = along(lambda u: hand(theta, u, data), us, 2 * c + k)
                column[3 * c:3 * c + 3] = d[3 * c:3 * c + 3]
            columns.append(column)
    columns += [along(lambda t: hand(t, us, data), theta, i) for i in range(len(theta))]
    return [list(row) for row in zip(*columns)]


def landing(w):
    """Where the particle lands, squared; the force by hand."""
    charges = [(mpf(10), 10 - w), (mpf(10), mpf(0))]
    x, v, dt = [mpf(0), mpf(8)], [mpf("0.75"), mpf(0)], mpf("0.1")
    while True:
        force = [mpf(0), mpf(0)]
        for c in charges:
            r = [x[0] - c[0], x[1] - c[1]]
            cube = sqrt(r[0] ** 2 + r[1] ** 2) ** 3
            force = [f + e / cube for f, e in zip(force, r)]
        x = [a + dt * b for a, b in zip(x, v)]
        if x[1] <= 0:
            return (x[0] - x[1] / v[1] * v[0]) ** 2
        v = [a + dt * b for a, b in zip(v, force)]


def descend(f, slope, x):
    size = lambda v: sqrt(sum(e * e for e in v))
    value, g, steps, eta = f(x), slope(x), 0, mpf(1e-5)
    while size(g) > 1e-5:
        if steps == 10:
            eta, steps = eta * 2, 0
            continue
        there = [a - eta * b for a, b in zip(x, g)]
        if size([a - b for a, b in zip(x, there)]) <= 1e-5:
            break
        below = f(there)
        if below < value:
            x, value, g, steps = there, below, slope(there), steps + 1
        else:
            eta, steps = eta / 2, 0
    return x


def main():
    number, lines = 0, []

    def say(message, output=None):
        nonlocal number
        line = {"message": {"id": number, **message}}
        if output is not None:
            line["output"] = output
        lines.append(line)
        number += 1

    def module(name, evaluations):
        say({"kind": "start", "eval": name})
        say({"kind": "define", "module": name, "source": "whatever it says"})
        for function, given, output in evaluations:
            runs = {"min_runs": 1, "min_seconds": 0} if isinstance(given, dict) else {}
            given = given | runs if runs else given
            say({"kind": "evaluate", "module": name, "function": function, "input": given, "description": "test"},
                output)
            say({"kind": "analysis", "of": number - 1, "valid": True})

    module("hello", [("square", 3.0, 9.0), ("double", 3.0, 6.0)])

    x = draw(4)
    module("llsq", [("primal", {"x": x, "n": 7}, low(llsq(high(x), 7))),
                    ("gradient", {"x": x, "n": 7}, low(gradient(lambda x: llsq(x, 7), high(x))))])
    x = draw(5, lo=-3, hi=3)
    module("lse", [("primal", {"x": x}, low(lse(high(x)))),
                   ("gradient", {"x": x}, low(gradient(lse, high(x))))])
    x = draw(4, lo=0.2, hi=1.5)
    module("ode", [("primal", {"x": x, "s": 3}, low(ode(high(x), 3))),
                   ("gradient", {"x": x, "s": 3}, low(gradient(lambda x: ode(x, 3)[-1], high(x))))])
    a = draw(4, 4)
    given = {"A": flat(a), "ell": 4}
    module("det", [("primal", given, low(det(high(a)))),
                   ("gradient", given, flat(low(gradient(det, high(a)))))])

    evaluations = []
    for d, k, n, m in [(3, 2, 3, 2), (1, 2, 2, 0)]:
        given = {"d": d, "k": k, "n": n, "m": m, "gamma": 1.5, "x": draw(n, d), "alpha": draw(k), "mu": draw(k, d),
                 "q": draw(k, d), "l": draw(k, d * (d - 1) // 2)}
        v = {name: high(e) if isinstance(e, list) else e for name, e in given.items()} | {"gamma": mpf(1.5)}
        by = lambda name: low(gradient(lambda e: gmm(v | {name: e}), v[name]))
        evaluations += [("objective", given, low(gmm(v))),
                        ("jacobian", given, {name: by(name) for name in ["alpha", "mu", "q", "l"]})]
    module("gmm", evaluations)

    points, centroids = draw(7, 2, lo=0), [[0.1, 0.2], [0.8, 0.9], [0.9, 0.1]]
    points += [[0.1, 0.25], [0.7, 0.9], [0.8, 0.2]]
    given = {"points": points, "centroids": centroids}
    module("kmeans", [("cost", given, low(cost(high(points), high(centroids)))),
                      ("dir", given, low(means(high(points), high(centroids))))])

    l, b, c = 2, 3, 4
    parts = {"main_params": draw(2 * l, 4 * b), "extra_params": draw(3, b), "state": draw(2 * l, b),
             "sequence": draw(c, b, lo=0)}
    main_, extra, state, sequence = [high(e) for e in parts.values()]
    module("lstm", [("objective", parts, low(lstm(main_, extra, state, sequence))),
                    ("jacobian", parts,
                     flat(low(gradient(lambda m: lstm(m, extra, state, sequence), main_)))
                     + flat(low(gradient(lambda e: lstm(main_, e, state, sequence), extra))))])

    n, m, p = 2, 3, 12
    given = {"n": n, "m": m, "p": p, "cam": draw(6) + [1.5, 0.2, -0.1, 0.06, 0.07], "x": draw(2) + [6.0], "w": 0.7,
             "feat": draw(2)}
    v, feat = high(given["cam"] + given["x"] + [given["w"]]), high(given["feat"])
    columns = [along(lambda v: reproject(v, feat), v, i) for i in range(15)]
    row = list(range(11)) + [11 * n, 11 * n + 1, 11 * n + 2, 11 * n + 3 * m]
    begins = [15 * k for k in range(2 * p + 1)] + [30 * p + k for k in range(1, p + 1)]
    module("ba", [("objective", given,
                   {"reproj_error": {"elements": low(reproject(v, feat)), "repeated": p},
                    "w_err": {"element": low(1 - v[14] ** 2), "repeated": p}}),
                  ("jacobian", given,
                   {"rows": begins[:30] + [begins[-1]], "cols": row + row + [11 * n + 3 * m + p - 1],
                    "vals": low([c[0] for c in columns] + [c[1] for c in columns] + [-2 * v[14]])})])

    bones, vertices, count = 22, 4, 3
    model = {"bone_count": bones, "bone_names": [f"bone{i}" for i in range(bones)],
             "parents": [-1] + [0 if i % 4 == 1 else i - 1 for i in range(1, bones - 1)] + [0],
             "base_relatives": draw(bones, 4, 4), "inverse_base_absolutes": draw(bones, 4, 4),
             "base_positions": draw(vertices, 4), "weights": draw(vertices, bones, lo=0),
             "triangles": [[0, 1, 2], [3, 1, 0]], "is_mirrored": True}
    evaluations = []
    for us, mirrored, where in [([], True, [2, 0, 3]), (draw(count, 2, lo=0.1, hi=0.4), False, [1, 0, 1])]:
        data = {"model": model | {"is_mirrored": mirrored}, "correspondences": where, "points": draw(count, 3)}
        theta = draw(26)
        exact = data | {"points": high(data["points"]), "model": data["model"] | {
            name: high(model[name])
            for name in ["base_relatives", "inverse_base_absolutes", "base_positions", "weights"]}}
        given = {"theta": theta, "data": data, "us": us}
        evaluations += [("objective", given, low(hand(high(theta), high(us), exact))),
                        ("jacobian", given, low(hand_jacobian(high(theta), high(us), exact)))]
    module("ht", evaluations)

    w = descend(lambda v: landing(v[0]), lambda v: [along(landing_of, v, 0)], [mpf(0)])[0]
    module("particle", [(mode, {"w": 0.0}, low(w)) for mode in ["ff", "fr", "rf", "rr"]])

    start = [mpf(1), mpf(1)]
    square = lambda v: sum(e * e for e in v)
    # The largest value over y does not depend on x but for |x|²: its gradient is 2x.
    y = descend(square, lambda v: [2 * e for e in v], start)
    x = descend(lambda v: square(v) - square(y), lambda v: [2 * e for e in v], start)
    module("saddle", [(mode, {"start": [1.0, 1.0]}, low(x + y)) for mode in ["ff", "fr", "rf", "rr"]])
    for line in lines:
        print(json.dumps(line))


def landing_of(v):
    return landing(v[0])


main()
