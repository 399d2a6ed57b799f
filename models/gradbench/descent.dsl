// Gradient descent as GradBench's particle and saddle want it: the step doubles after ten that went down, and is halved after one that
// did not. Of a function and its gradient, which the caller takes in whichever mode.

#[allow(unstable_formula)]
fn descend[N](f: fn(f64[N]) -> f64, gradient: fn(f64[N]) -> f64[N], start: f64[N]) -> f64[N] {
    var x = start;
    var value = f(start);
    var slope = gradient(start);
    var steps = 0;
    var eta = 1e-5;
    var going = true;
    while going {
        if sqrt(sum(slope[i]^2 for i)) <= 1e-5 {
            going = false;
        } else if steps == 10 {
            eta *= 2;
            steps = 0;
        } else {
            let next = x - eta*slope;
            if sqrt(sum((x[i] - next[i])^2 for i)) <= 1e-5 {
                going = false;
            } else {
                let below = f(next);
                if below < value {
                    x = next;
                    value = below;
                    slope = gradient(next);
                    steps += 1;
                } else {
                    eta /= 2;
                    steps = 0;
                }
            }
        }
    }
    x
}

fn bowl[N](x: f64[N]) -> f64 { sum(f64(i + 1)*x[i]^2 for i) }
fn bowl_slope[N](x: f64[N]) -> f64[N] { grad(bowl)(x) }

check descend[N = 2] {
    f = bowl; gradient = bowl_slope; start ~ near([1.0, -0.5], 0.2); modes fast, forward; points 4;
}
check bowl[N = 3] { x ~ normal(0, 1); }
