use "other.dsl";
const C: f64 = 2*PI;
/// Doc of g.
#[inline]
#[fp(strict)]
fn g[N, M](x: f64[N, M + 1], #[nodiff] k: i64, t: f64[div(N, 2)*3 - 1]) -> f64 { 1.0 }
#[fp(default)] fn dflt() -> f64 { 1.0 }
#[fp(fast)] fn fast() -> f64 { 1.0 }
fn two(x: f64) -> (f64, c128) { (x, 1i) }
fn named(x: f64, y: f64,) -> (loss: f64, pred: f64[3]) { (x, [x, y, x]) }
fn one(x: f64) -> (loss: f64) { x }
fn paren(x: f64) -> (f64) { x }
fn deep(x: f64) -> ((f64, f64), f64) { ((x, x), x) }
fn higher[N](f: fn(f64[N]) -> f64, h: fn() -> (f64, f64), x: f64[N]) -> f64 { f(x) }
extern fn native[N](x: f64[N], k: i64) -> (a: f64, b: f64[N]);
rule jvp two(x; dx) { (dx, 2i*dx) }
/// Checked elsewhere.
#[check(trust)]
rule vjp two(x; g) { let (a, b) = g; a + re(b) }
rule partial h(z, a) { d z: 2*z; dconj z: 0; d a: { let u = a; u*u } }
#[check(first_order)] rule partial h2(z) { d z: 1; }
fn dom(x: f64 in (0, 1], y: f64 in [0, INF), z: c128 in disk(2), w: c128 in annulus(0.5, 2*PI), n: i64 in [0, 3], u: f64 in (-INF, INF)) -> f64 { x };
check dom { }
bench g[N = 1000, 3] { x ~ normal(0, 1); modes primal, jvp, vjp; max_ratio 3.0; }

//> use "other.dsl"  1:1-1:17
//> const C  2:1-2:21
//>   type f64  2:10-2:13
//>   *  2:16-2:20
//>     int 2  2:16-2:17
//>     name PI  2:18-2:20
//> /// Doc of g.
//> #[inline]  4:1-4:10
//> #[fp(strict)]  5:1-5:14
//> fn g  6:1-6:87
//>   dim N  6:6-6:7
//>   dim M  6:9-6:10
//>   param x  6:12-6:28
//>     type f64[]  6:15-6:28
//>       name N  6:19-6:20
//>       +  6:22-6:27
//>         name M  6:22-6:23
//>         int 1  6:26-6:27
//>   param k  6:40-6:46
//>     #[nodiff]  6:30-6:39
//>     type i64  6:43-6:46
//>   param t  6:48-6:71
//>     type f64[]  6:51-6:71
//>       -  6:55-6:70
//>         *  6:55-6:66
//>           call  6:55-6:64
//>             name div  6:55-6:58
//>             name N  6:59-6:60
//>             int 2  6:62-6:63
//>           int 3  6:65-6:66
//>         int 1  6:69-6:70
//>   result  6:76-6:79
//>     type f64  6:76-6:79
//>   body  6:80-6:87
//>     value  6:82-6:85
//>       real 1.0  6:82-6:85
//> #[fp(default)]  7:1-7:15
//> fn dflt  7:16-7:40
//>   result  7:29-7:32
//>     type f64  7:29-7:32
//>   body  7:33-7:40
//>     value  7:35-7:38
//>       real 1.0  7:35-7:38
//> #[fp(fast)]  8:1-8:12
//> fn fast  8:13-8:37
//>   result  8:26-8:29
//>     type f64  8:26-8:29
//>   body  8:30-8:37
//>     value  8:32-8:35
//>       real 1.0  8:32-8:35
//> fn two  9:1-9:42
//>   param x  9:8-9:14
//>     type f64  9:11-9:14
//>   result  9:20-9:23
//>     type f64  9:20-9:23
//>   result  9:25-9:29
//>     type c128  9:25-9:29
//>   body  9:31-9:42
//>     value  9:33-9:40
//>       tuple  9:33-9:40
//>         name x  9:34-9:35
//>         imaginary 1.0  9:37-9:39
//> fn named  10:1-10:74
//>   param x  10:10-10:16
//>     type f64  10:13-10:16
//>   param y  10:18-10:24
//>     type f64  10:21-10:24
//>   result loss  10:31-10:40
//>     type f64  10:37-10:40
//>   result pred  10:42-10:54
//>     type f64[]  10:48-10:54
//>       int 3  10:52-10:53
//>   body  10:56-10:74
//>     value  10:58-10:72
//>       tuple  10:58-10:72
//>         name x  10:59-10:60
//>         array  10:62-10:71
//>           name x  10:63-10:64
//>           name y  10:66-10:67
//>           name x  10:69-10:70
//> fn one  11:1-11:36
//>   param x  11:8-11:14
//>     type f64  11:11-11:14
//>   result loss  11:20-11:29
//>     type f64  11:26-11:29
//>   body  11:31-11:36
//>     value  11:33-11:34
//>       name x  11:33-11:34
//> fn paren  12:1-12:32
//>   param x  12:10-12:16
//>     type f64  12:13-12:16
//>   result  12:22-12:25
//>     type f64  12:22-12:25
//>   body  12:27-12:32
//>     value  12:29-12:30
//>       name x  12:29-12:30
//> fn deep  13:1-13:53
//>   param x  13:9-13:15
//>     type f64  13:12-13:15
//>   result  13:21-13:31
//>     type tuple  13:21-13:31
//>       type f64  13:22-13:25
//>       type f64  13:27-13:30
//>   result  13:33-13:36
//>     type f64  13:33-13:36
//>   body  13:38-13:53
//>     value  13:40-13:51
//>       tuple  13:40-13:51
//>         tuple  13:41-13:47
//>           name x  13:42-13:43
//>           name x  13:45-13:46
//>         name x  13:49-13:50
//> fn higher  14:1-14:85
//>   dim N  14:11-14:12
//>   param f  14:14-14:34
//>     type fn  14:17-14:34
//>       type f64[]  14:20-14:26
//>         name N  14:24-14:25
//>       ->  14:31-14:34
//>         type f64  14:31-14:34
//>   param h  14:36-14:57
//>     type fn  14:39-14:57
//>       ->  14:47-14:57
//>         type tuple  14:47-14:57
//>           type f64  14:48-14:51
//>           type f64  14:53-14:56
//>   param x  14:59-14:68
//>     type f64[]  14:62-14:68
//>       name N  14:66-14:67
//>   result  14:73-14:76
//>     type f64  14:73-14:76
//>   body  14:77-14:85
//>     value  14:79-14:83
//>       call  14:79-14:83
//>         name f  14:79-14:80
//>         name x  14:81-14:82
//> extern fn native  15:1-15:63
//>   dim N  15:18-15:19
//>   param x  15:21-15:30
//>     type f64[]  15:24-15:30
//>       name N  15:28-15:29
//>   param k  15:32-15:38
//>     type i64  15:35-15:38
//>   result a  15:44-15:50
//>     type f64  15:47-15:50
//>   result b  15:52-15:61
//>     type f64[]  15:55-15:61
//>       name N  15:59-15:60
//> rule jvp two  16:1-16:36
//>   param x  16:14-16:15
//>   linear dx  16:17-16:19
//>   body  16:21-16:36
//>     value  16:23-16:34
//>       tuple  16:23-16:34
//>         name dx  16:24-16:26
//>         *  16:28-16:33
//>           imaginary 2.0  16:28-16:30
//>           name dx  16:31-16:33
//> /// Checked elsewhere.
//> #[check(trust)]  18:1-18:16
//> rule vjp two  19:1-19:49
//>   param x  19:14-19:15
//>   linear g  19:17-19:18
//>   body  19:20-19:49
//>     let  19:22-19:36
//>       tuple  19:26-19:32
//>         name a  19:27-19:28
//>         name b  19:30-19:31
//>       name g  19:35-19:36
//>     value  19:38-19:47
//>       +  19:38-19:47
//>         name a  19:38-19:39
//>         call  19:42-19:47
//>           name re  19:42-19:44
//>           name b  19:45-19:46
//> rule partial h  20:1-20:71
//>   param z  20:16-20:17
//>   param a  20:19-20:20
//>   d z  20:24-20:32
//>     *  20:29-20:32
//>       int 2  20:29-20:30
//>       name z  20:31-20:32
//>   dconj z  20:34-20:44
//>     int 0  20:43-20:44
//>   d a  20:46-20:69
//>     block  20:51-20:69
//>       let  20:53-20:62
//>         name u  20:57-20:58
//>         name a  20:61-20:62
//>       value  20:64-20:67
//>         *  20:64-20:67
//>           name u  20:64-20:65
//>           name u  20:66-20:67
//> #[check(first_order)]  21:1-21:22
//> rule partial h2  21:23-21:53
//>   param z  21:39-21:40
//>   d z  21:44-21:50
//>     int 1  21:49-21:50
//> fn dom  22:1-22:150
//>   param x  22:8-22:24
//>     type f64  22:11-22:14
//>     in (lo, hi]  22:18-22:24
//>       int 0  22:19-22:20
//>       int 1  22:22-22:23
//>   param y  22:26-22:44
//>     type f64  22:29-22:32
//>     in [lo, hi)  22:36-22:44
//>       int 0  22:37-22:38
//>       name INF  22:40-22:43
//>   param z  22:46-22:64
//>     type c128  22:49-22:53
//>     in disk  22:57-22:64
//>       int 2  22:62-22:63
//>   param w  22:66-22:95
//>     type c128  22:69-22:73
//>     in annulus  22:77-22:95
//>       real 0.5  22:85-22:88
//>       *  22:90-22:94
//>         int 2  22:90-22:91
//>         name PI  22:92-22:94
//>   param n  22:97-22:113
//>     type i64  22:100-22:103
//>     in [lo, hi]  22:107-22:113
//>       int 0  22:108-22:109
//>       int 3  22:111-22:112
//>   param u  22:115-22:136
//>     type f64  22:118-22:121
//>     in (lo, hi)  22:125-22:136
//>       prefix -  22:126-22:130
//>         name INF  22:127-22:130
//>       name INF  22:132-22:135
//>   result  22:141-22:144
//>     type f64  22:141-22:144
//>   body  22:145-22:150
//>     value  22:147-22:148
//>       name x  22:147-22:148
//> check dom  23:1-23:14
//> bench g  24:1-24:82
//>   dim N =  24:9-24:17
//>     int 1000  24:13-24:17
//>   dim  24:19-24:20
//>     int 3  24:19-24:20
//>   x ~ normal  24:24-24:40
//>     int 0  24:35-24:36
//>     int 1  24:38-24:39
//>   modes primal, jvp, vjp  24:42-24:64
//>   max_ratio  24:66-24:79
//>     real 3.0  24:76-24:79
