// The derivative with respect to the volume has lost its sign.
extern fn tank(inflow: f64, rate: f64, volume: f64) -> f64;
rule vjp tank(inflow, rate, volume; g) {
    let d = 1 + rate*volume;
    (g/d, -g*out*volume/d, g*out*rate/d)
}

fn doubled(inflow: f64, rate: f64, volume: f64) -> f64 { 2*tank(inflow, rate, volume) }

check doubled { inflow in [5, 9]; rate in [0.5, 1]; volume in [0.5, 1]; }
