// Shallow water on a ring: twenty steps of a finite-volume scheme with Rusanov's flux.

const G: f64 = 9.81;

/// Fluxes of mass and momentum between two cells of depths hl, hr and discharges ql, qr.
fn rusanov(
    hl: f64 in (0, INF),
    ql: f64,
    hr: f64 in (0, INF),
    qr: f64,
) -> (mass: f64, momentum: f64) {
    let ul = ql/hl;
    let ur = qr/hr;
    let s = max(abs(ul) + sqrt(G*hl), abs(ur) + sqrt(G*hr));
    let pressure = 0.25*G*(hl^2 + hr^2);
    (0.5*(ql + qr) - 0.5*s*(hr - hl), 0.5*(ql*ul + qr*ur) + pressure - 0.5*s*(qr - ql))
}

fn river[N](h0: f64[N] in [0.5, 2], q0: f64[N] in [-1, 1]) -> (h: f64[N], q: f64[N], volume: f64) {
    let r = 0.05; // dt/dx
    var h = h0;
    var q = q0;
    for _ in 0..20 {
        var fh = zeros(N);
        var fq = zeros(N);
        for i in 0..N {
            let j = mod(i + 1, N);
            let (a, b) = rusanov(h[i], q[i], h[j], q[j]);
            fh[i] = a;
            fq[i] = b;
        }
        h = [h[i] - r*(fh[i] - fh[mod(i - 1, N)]) for i in 0..N];
        q = [q[i] - r*(fq[i] - fq[mod(i - 1, N)]) for i in 0..N];
    }
    (h, q, sum(h))
}

check river[N = 7] {}
