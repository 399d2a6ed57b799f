// The example of the language's first page.
// logistic regression -------------------------------------------------------
fn soft(t: f64) -> f64 { if t > 0 { t + log1p(exp(-t)) } else { log1p(exp(t)) } }

fn nll[N, D](X: f64[N, D], y: f64[N], w: f64[D], lam: f64) -> f64 {
    let z = X @ w;
    sum(soft(z[i]) - y[i]*z[i] for i) / f64(N) + 0.5*lam*sum(w[j]^2 for j)
}

check nll[N = 40, D = 5] {
    X ~ normal(0, 1);  y ~ choice(0.0, 1.0);  w ~ normal(0, 1);  lam = 0.1;
    wrt w, lam;
}

// a hand-written derivative, and a mistake in it ------------------------------
fn logistic(t: f64) -> f64 { 1 / (1 + exp(-t)) }
rule vjp logistic(t; g) { 2*g*out*(1 - out) }          // wrong: factor 2

fn energy[N](x: f64[N]) -> f64 { sum(logistic(x[i])^2 for i) }
check energy[N = 6] { x ~ normal(0, 2); }

// complex ---------------------------------------------------------------------
fn phase_loss[M, N](A: c128[M, N], z: c128[N], b: f64[M]) -> f64 {
    let u = A @ z;
    sum((abs2(u[m]) - b[m])^2 for m) / (2*f64(M))
}
//---
// fn soft  3:1-3:82
//   param t  3:9-3:15
//     type f64  3:12-3:15
//   result  3:20-3:23
//     type f64  3:20-3:23
//   body  3:24-3:82
//     value  3:26-3:80
//       if  3:26-3:80
//         >  3:29-3:34
//           name t  3:29-3:30
//           int 0  3:33-3:34
//         then  3:35-3:57
//           value  3:37-3:55
//             +  3:37-3:55
//               name t  3:37-3:38
//               call  3:41-3:55
//                 name log1p  3:41-3:46
//                 call  3:47-3:54
//                   name exp  3:47-3:50
//                   prefix -  3:51-3:53
//                     name t  3:52-3:53
//         else  3:63-3:80
//           value  3:65-3:78
//             call  3:65-3:78
//               name log1p  3:65-3:70
//               call  3:71-3:77
//                 name exp  3:71-3:74
//                 name t  3:75-3:76
// fn nll  5:1-8:2
//   dim N  5:8-5:9
//   dim D  5:11-5:12
//   param X  5:14-5:26
//     type f64[]  5:17-5:26
//       name N  5:21-5:22
//       name D  5:24-5:25
//   param y  5:28-5:37
//     type f64[]  5:31-5:37
//       name N  5:35-5:36
//   param w  5:39-5:48
//     type f64[]  5:42-5:48
//       name D  5:46-5:47
//   param lam  5:50-5:58
//     type f64  5:55-5:58
//   result  5:63-5:66
//     type f64  5:63-5:66
//   body  5:67-8:2
//     let  6:5-6:18
//       name z  6:9-6:10
//       @  6:13-6:18
//         name X  6:13-6:14
//         name w  6:17-6:18
//     value  7:5-7:75
//       +  7:5-7:75
//         /  7:5-7:47
//           reduction sum  7:5-7:38
//             -  7:9-7:31
//               call  7:9-7:19
//                 name soft  7:9-7:13
//                 index  7:14-7:18
//                   name z  7:14-7:15
//                   name i  7:16-7:17
//               *  7:22-7:31
//                 index  7:22-7:26
//                   name y  7:22-7:23
//                   name i  7:24-7:25
//                 index  7:27-7:31
//                   name z  7:27-7:28
//                   name i  7:29-7:30
//             for i  7:36-7:37
//           call  7:41-7:47
//             name f64  7:41-7:44
//             name N  7:45-7:46
//         *  7:50-7:75
//           *  7:50-7:57
//             real 0.5  7:50-7:53
//             name lam  7:54-7:57
//           reduction sum  7:58-7:75
//             ^  7:62-7:68
//               index  7:62-7:66
//                 name w  7:62-7:63
//                 name j  7:64-7:65
//               int 2  7:67-7:68
//             for j  7:73-7:74
// check nll  10:1-13:2
//   dim N =  10:11-10:17
//     int 40  10:15-10:17
//   dim D =  10:19-10:24
//     int 5  10:23-10:24
//   X ~ normal  11:5-11:21
//     int 0  11:16-11:17
//     int 1  11:19-11:20
//   y ~ choice  11:24-11:44
//     real 0.0  11:35-11:38
//     real 1.0  11:40-11:43
//   w ~ normal  11:47-11:63
//     int 0  11:58-11:59
//     int 1  11:61-11:62
//   lam =  11:66-11:75
//     real 0.1  11:72-11:75
//   wrt w, lam  12:5-12:15
// fn logistic  16:1-16:49
//   param t  16:13-16:19
//     type f64  16:16-16:19
//   result  16:24-16:27
//     type f64  16:24-16:27
//   body  16:28-16:49
//     value  16:30-16:47
//       /  16:30-16:47
//         int 1  16:30-16:31
//         +  16:34-16:47
//           int 1  16:35-16:36
//           call  16:39-16:46
//             name exp  16:39-16:42
//             prefix -  16:43-16:45
//               name t  16:44-16:45
// rule vjp logistic  17:1-17:46
//   param t  17:19-17:20
//   linear g  17:22-17:23
//   body  17:25-17:46
//     value  17:27-17:44
//       *  17:27-17:44
//         *  17:27-17:34
//           *  17:27-17:30
//             int 2  17:27-17:28
//             name g  17:29-17:30
//           name out  17:31-17:34
//         -  17:35-17:44
//           int 1  17:36-17:37
//           name out  17:40-17:43
// fn energy  19:1-19:63
//   dim N  19:11-19:12
//   param x  19:14-19:23
//     type f64[]  19:17-19:23
//       name N  19:21-19:22
//   result  19:28-19:31
//     type f64  19:28-19:31
//   body  19:32-19:63
//     value  19:34-19:61
//       reduction sum  19:34-19:61
//         ^  19:38-19:54
//           call  19:38-19:52
//             name logistic  19:38-19:46
//             index  19:47-19:51
//               name x  19:47-19:48
//               name i  19:49-19:50
//           int 2  19:53-19:54
//         for i  19:59-19:60
// check energy  20:1-20:42
//   dim N =  20:14-20:19
//     int 6  20:18-20:19
//   x ~ normal  20:23-20:39
//     int 0  20:34-20:35
//     int 2  20:37-20:38
// fn phase_loss  23:1-26:2
//   dim M  23:15-23:16
//   dim N  23:18-23:19
//   param A  23:21-23:34
//     type c128[]  23:24-23:34
//       name M  23:29-23:30
//       name N  23:32-23:33
//   param z  23:36-23:46
//     type c128[]  23:39-23:46
//       name N  23:44-23:45
//   param b  23:48-23:57
//     type f64[]  23:51-23:57
//       name M  23:55-23:56
//   result  23:62-23:65
//     type f64  23:62-23:65
//   body  23:66-26:2
//     let  24:5-24:18
//       name u  24:9-24:10
//       @  24:13-24:18
//         name A  24:13-24:14
//         name z  24:17-24:18
//     value  25:5-25:50
//       /  25:5-25:50
//         reduction sum  25:5-25:37
//           ^  25:9-25:30
//             -  25:9-25:28
//               call  25:10-25:20
//                 name abs2  25:10-25:14
//                 index  25:15-25:19
//                   name u  25:15-25:16
//                   name m  25:17-25:18
//               index  25:23-25:27
//                 name b  25:23-25:24
//                 name m  25:25-25:26
//             int 2  25:29-25:30
//           for m  25:35-25:36
//         *  25:40-25:50
//           int 2  25:41-25:42
//           call  25:43-25:49
//             name f64  25:43-25:46
//             name M  25:47-25:48
