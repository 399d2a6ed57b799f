// The normal distribution, used by other models.

/// Density of the standard normal distribution.
fn normal_pdf(x: f64) -> f64 { exp(-x^2/2)/sqrt(2*PI) }

/// Distribution function of the standard normal distribution, accurate in both tails.
fn normal_cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2)) }

check normal_pdf { x in [0.2, 0.9]; }
check normal_cdf { x in [0.2, 1.5]; }
