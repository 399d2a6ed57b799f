// Ionisation of hydrogen after Saha, and the pressure of the plasma, in SI units.

const ME: f64 = 9.1093837015e-31; // kg
const KB: f64 = 1.380649e-23; // J/K
const H: f64 = 6.62607015e-34; // J s
const CHI: f64 = 13.605693*1.602176634e-19;

/// The ionised part at T4 times 10^4 K and 10^lgn nuclei per cubic metre: x^2/(1 - x) = S/n, solved without overflow.
fn ionised(T4: f64 in (0, INF), lgn: f64) -> f64 {
    let kT = 1e4*KB*T4;
    let log_s = 1.5*log(2*PI*ME*kT/H^2) - CHI/kT;
    2*sigmoid(-0.5*softplus(log(4) + log(10)*lgn - log_s))
}

fn plasma[N](T4: f64[N] in (0, INF), lgn: f64[N]) -> (x: f64[N], pressure: f64[N]) {
    let x = [ionised(T4[i], lgn[i]) for i];
    (x, [(1 + x[i])*10^lgn[i]*1e4*KB*T4[i] for i])
}

check plasma[N = 5] { T4 in [0.3, 3]; lgn in [16, 24]; }
