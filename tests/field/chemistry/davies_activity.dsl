// Activity coefficients of ions by Davies' equation, and the solubility product they imply for a sparingly soluble salt.

/// Debye-Huckel slope of water at T kelvin, by its dielectric constant.
fn slope(T: f64 in [273, 373]) -> f64 {
    let t = T - 273.15;
    let permittivity = 87.74 - 0.40008*t + 9.398e-4*t^2 - 1.41e-6*t^3;
    1.8246e6*(permittivity*T)^-1.5
}

/// log10 of the activity coefficient of each ion: molalities c, charges z.
fn log_gamma[N](c: f64[N] in (0, INF), z: f64[N], T: f64 in [273, 373]) -> f64[N] {
    let strength = 0.5*sum(c[i]*z[i]^2 for i);
    let s = sqrt(strength);
    -slope(T)*(s/(1 + s) - 0.3*strength)*z^2
}

/// log10 of the product of the activities with stoichiometric numbers nu.
fn log_product[N](c: f64[N] in (0, INF), z: f64[N], nu: f64[N], T: f64 in [273, 373]) -> f64 {
    let lg = log_gamma(c, z, T);
    sum(nu[i]*(log10(c[i]) + lg[i]) for i)
}

check log_product[N = 4] {
    c in [1e-4, 0.1]; z = [1.0, -1.0, 2.0, -2.0]; nu = [0.0, 0.0, 1.0, 1.0]; T in [283, 333];
}
