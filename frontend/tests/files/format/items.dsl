// The head of the file.
use   "other.dsl" ;
const G:f64=9.81;const DATA: f64[3] = [1.0,2.0,
   3.0];


/// Documentation.
#[inline] #[fp(strict)]
fn soft(t:f64)->f64{if t>0{t+log1p(exp(-t))}else{log1p(exp(t))}}



fn nll[N,D](X:f64[N,D],y:f64[N],#[nodiff]w:f64[D],lam:f64 in (0,INF))->(loss:f64,pred:f64[N]){ let z=X@w;   // the scores

    // own line


    let (a,(b,_)) = f(z) ; (sum(soft(z[i])-y[i]*z[i]for i)/f64(N)+0.5*lam*sum(w[j]^2 for j), z) }
fn layer_of_a_network[T, M, D](x: f64[T, M], Wq: f64[M, D], Wk: f64[M, D], Wv: f64[M, D], Wo: f64[D, M]) -> f64[T, M] { x }
extern fn tank (level:f64 , #[linear] g : f64)->f64;
fn apply(f:fn(f64,f64[3])->f64,x:f64)->f64 { f(x,DATA) }
rule vjp logistic(t;g){2*g*out*(1-out)}
#[check(trust)] rule partial h(z,a){d z:1/z;dconj z:0 ;
d a: z}
check nll[N=40,D=5]{X~normal(0,1);  y~choice(0.0,1.0); // labels
  w~normal(0,1);lam=0.1;
    wrt w,lam; nodiff X ; outputs loss,out.1; modes slow,fast; points 8; x = load("x.npy"); edge; expect fail}
check empty[N = 3] { }
bench nll [N=1000] { modes primal,vjp;  max_ratio 3.0; }
// The end.

//>> // The head of the file.
//>> use "other.dsl";
//>> const G: f64 = 9.81;
//>> const DATA: f64[3] = [1.0, 2.0, 3.0];
//>>
//>> /// Documentation.
//>> #[inline]
//>> #[fp(strict)]
//>> fn soft(t: f64) -> f64 { if t > 0 { t + log1p(exp(-t)) } else { log1p(exp(t)) } }
//>>
//>> fn nll[N, D](
//>>     X: f64[N, D],
//>>     y: f64[N],
//>>     #[nodiff] w: f64[D],
//>>     lam: f64 in (0, INF),
//>> ) -> (loss: f64, pred: f64[N]) {
//>>     let z = X @ w; // the scores
//>>
//>>     // own line
//>>
//>>     let (a, (b, _)) = f(z);
//>>     (sum(soft(z[i]) - y[i]*z[i] for i)/f64(N) + 0.5*lam*sum(w[j]^2 for j), z)
//>> }
//>> fn layer_of_a_network[T, M, D](
//>>     x: f64[T, M],
//>>     Wq: f64[M, D],
//>>     Wk: f64[M, D],
//>>     Wv: f64[M, D],
//>>     Wo: f64[D, M],
//>> ) -> f64[T, M] { x }
//>> extern fn tank(level: f64, #[linear] g: f64) -> f64;
//>> fn apply(f: fn(f64, f64[3]) -> f64, x: f64) -> f64 { f(x, DATA) }
//>> rule vjp logistic(t; g) { 2*g*out*(1 - out) }
//>> #[check(trust)]
//>> rule partial h(z, a) {
//>>     d z: 1/z; dconj z: 0;
//>>     d a: z;
//>> }
//>> check nll[N = 40, D = 5] {
//>>     X ~ normal(0, 1); y ~ choice(0.0, 1.0); // labels
//>>     w ~ normal(0, 1); lam = 0.1;
//>>     wrt w, lam; nodiff X; outputs loss, out.1; modes slow, fast; points 8; x = load("x.npy"); edge;
//>>     expect fail;
//>> }
//>> check empty[N = 3] {}
//>> bench nll[N = 1000] { modes primal, vjp; max_ratio 3.0; }
//>> // The end.
