// Resting potential of a membrane after Goldman, Hodgkin and Katz, and the current of each ion there; they add up to 0.

const RT_F: f64 = 0.026726; // V at 37 degrees Celsius
const FARADAY: f64 = 96485.33212; // C/mol

/// x/(e^x - 1).
fn bernoulli(x: f64) -> f64 {
    if abs(x) < 1e-2 {
        1 - x/2 + x^2/12 - x^4/720 + x^6/30240
    } else if x > 0 {
        -x*exp(-x)/expm1(-x)
    } else {
        x/expm1(x)
    }
}

/// Current of an ion of charge +1 or -1 at v volts.
fn ion_current(v: f64, p: f64, charge: f64, inside: f64, outside: f64) -> f64 {
    let u = charge*v/RT_F;
    charge*FARADAY*p*(inside*bernoulli(-u) - outside*bernoulli(u))
}

/// Potassium, sodium and chloride: permeabilities, and concentrations in mol/m^3.
fn resting(
    p: f64[3] in (0, INF),
    inside: f64[3] in (0, INF),
    outside: f64[3] in (0, INF),
) -> (v: f64, currents: f64[3], net: f64) {
    let leaving = p[0]*inside[0] + p[1]*inside[1] + p[2]*outside[2];
    let entering = p[0]*outside[0] + p[1]*outside[1] + p[2]*inside[2];
    let v = RT_F*log(entering/leaving);
    let z = [1.0, 1.0, -1.0];
    let i = [ion_current(v, p[k], z[k], inside[k], outside[k]) for k];
    (v, i, sum(i))
}

check resting {
    p ~ near([1e-8, 4e-10, 4e-9], 1e-10);
    inside ~ near([140.0, 12.0, 10.0], 2);
    outside ~ near([4.0, 145.0, 110.0], 2);
}
