check NAME[N = 8, D = 3] {
    x ~ normal(0, 1); x ~ uniform(-1, 1); k ~ int(0, 3); c ~ choice(true, false); z ~ disk(2); z ~ annulus(1, 2);
    s ~ near(x0, 0.1); m ~ lognormal(0, 1);
    w in [-2, 2]; v in (0, 1]; u in disk(1);
    lam = 0.1; arr = [1.0, 2.0]; file = load("x.npy"); esc = load("a\\b\"c\t\n");
    wrt w, lam;
    nodiff X;
    outputs loss, out.0, out.1;
    modes slow, fast, forward, gradgrad;
    points 8; seed 1; edge;
    eps 1e-6; atol 1e-5; rtol 1e-3;
    expect fail;
}
// the words as parameters
check g { points ~ normal(0, 1); wrt in [0, 1]; seed = 3; edge = 1; expect = 2; load = load(1); wrt points }
check h {}

//> check NAME  1:1-13:2
//>   dim N =  1:12-1:17
//>     int 8  1:16-1:17
//>   dim D =  1:19-1:24
//>     int 3  1:23-1:24
//>   x ~ normal  2:5-2:21
//>     int 0  2:16-2:17
//>     int 1  2:19-2:20
//>   x ~ uniform  2:23-2:41
//>     prefix -  2:35-2:37
//>       int 1  2:36-2:37
//>     int 1  2:39-2:40
//>   k ~ int  2:43-2:56
//>     int 0  2:51-2:52
//>     int 3  2:54-2:55
//>   c ~ choice  2:58-2:81
//>     true  2:69-2:73
//>     false  2:75-2:80
//>   z ~ disk  2:83-2:94
//>     int 2  2:92-2:93
//>   z ~ annulus  2:96-2:113
//>     int 1  2:108-2:109
//>     int 2  2:111-2:112
//>   s ~ near  3:5-3:22
//>     name x0  3:14-3:16
//>     real 0.1  3:18-3:21
//>   m ~ lognormal  3:24-3:43
//>     int 0  3:38-3:39
//>     int 1  3:41-3:42
//>   w  4:5-4:17
//>     in [lo, hi]  4:10-4:17
//>       prefix -  4:11-4:13
//>         int 2  4:12-4:13
//>       int 2  4:15-4:16
//>   v  4:19-4:30
//>     in (lo, hi]  4:24-4:30
//>       int 0  4:25-4:26
//>       int 1  4:28-4:29
//>   u  4:32-4:44
//>     in disk  4:37-4:44
//>       int 1  4:42-4:43
//>   lam =  5:5-5:14
//>     real 0.1  5:11-5:14
//>   arr =  5:16-5:32
//>     array  5:22-5:32
//>       real 1.0  5:23-5:26
//>       real 2.0  5:28-5:31
//>   file = load "x.npy"  5:34-5:54
//>   esc = load "a\\b\"c\t\n"  5:56-5:81
//>   wrt w, lam  6:5-6:15
//>   nodiff X  7:5-7:13
//>   outputs loss, out.0, out.1  8:5-8:31
//>   modes slow, fast, forward, gradgrad  9:5-9:40
//>   points  10:5-10:13
//>     int 8  10:12-10:13
//>   seed  10:15-10:21
//>     int 1  10:20-10:21
//>   edge  10:23-10:27
//>   eps  11:5-11:13
//>     real 1e-6  11:9-11:13
//>   atol  11:15-11:24
//>     real 1e-5  11:20-11:24
//>   rtol  11:26-11:35
//>     real 0.001  11:31-11:35
//>   expect fail  12:5-12:16
//> check g  15:1-15:109
//>   points ~ normal  15:11-15:32
//>     int 0  15:27-15:28
//>     int 1  15:30-15:31
//>   wrt  15:34-15:47
//>     in [lo, hi]  15:41-15:47
//>       int 0  15:42-15:43
//>       int 1  15:45-15:46
//>   seed =  15:49-15:57
//>     int 3  15:56-15:57
//>   edge =  15:59-15:67
//>     int 1  15:66-15:67
//>   expect =  15:69-15:79
//>     int 2  15:78-15:79
//>   load =  15:81-15:95
//>     call  15:88-15:95
//>       name load  15:88-15:92
//>       int 1  15:93-15:94
//>   wrt points  15:97-15:107
//> check h  16:1-16:11
