// The Helmholtz energy of a mixed fluid by the equation of Peng and Robinson, as automatic differentiation is timed with.

fn helmholtz[N](x: f64[N] in (0, INF), b: f64[N], A: f64[N, N]) -> f64 {
    let bx = dot(b, x);
    let free = 1 - bx;
    let entropy = sum(x[i]*log(x[i]/free) for i);
    let attraction = dot(x, A @ x);
    let r = sqrt(2.0);
    entropy - attraction/(sqrt(8.0)*bx)*log((1 + (1 + r)*bx)/(1 + (1 - r)*bx))
}

check helmholtz[N = 5] { x ~ uniform(0.02, 0.15); b ~ uniform(0.3, 1); A ~ uniform(0, 1); wrt x; }
check helmholtz[N = 3] { x ~ uniform(0.02, 0.2); b ~ uniform(0.3, 1); A ~ uniform(0, 1); }
bench helmholtz[N = 100] {
    x = load("data/helmholtz_x.npy"); b = load("data/helmholtz_b.npy");
    A = load("data/helmholtz_A.npy");
    wrt x; modes primal, vjp; max_ratio 5;
}
