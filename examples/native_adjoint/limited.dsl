// limited.dsl
extern fn flow[N](u: f64[N], nu: f64) -> f64[N];
extern fn flow_tangent[N](u: f64[N], nu: f64, #[linear] du: f64[N], #[linear] dnu: f64) -> f64[N];
extern fn flow_adjoint_limited[N](
    u: f64[N],
    nu: f64,
    #[linear] g: f64[N],
) -> (u_bar: f64[N], nu_bar: f64);

rule jvp flow(u, nu; du, dnu) { flow_tangent(u, nu, du, dnu) }
rule vjp flow(u, nu; g) { flow_adjoint_limited(u, nu, g) }

/// How far the flow is from what was measured after four steps.
fn misfit[N](start: f64[N], nu: f64, seen: f64[N]) -> f64 {
    var u = start;
    for _ in 0..4 { u = flow(u, nu); }
    sum((u[i] - seen[i])^2 for i)
}

check misfit[N = 5] { nu in [0.1, 0.5]; }
check flow[N = 5] { nu in [0.1, 0.5]; }
