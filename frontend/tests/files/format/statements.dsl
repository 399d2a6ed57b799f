fn f[N](x: f64[N]) -> f64 {
    var s=0.0; var t : f64[N] = zeros( N );
    for i in 0..N-1 step 2{s+=x[i];t[i]-=1.0;}
    #[checkpoint(revolve,10+N)] while s<10&&!(s>=3){s*=2;}
    if s>0 {
        s=1; } else if s<0{s=2;}
    assert   s>0,"text";
    assert mod(N,2)==0 ;
    { let q=1; }
    let y=if s>1{s}else{-s};
    let z=if s > 1 {
        s } else { 1 };
    let w = { let q=s ; q*q };
    t[0:N-1] = x[1:];
    /* before */ s = /* inside */ 1; /* behind */
    s
}

//>> fn f[N](x: f64[N]) -> f64 {
//>>     var s = 0.0;
//>>     var t: f64[N] = zeros(N);
//>>     for i in 0..N - 1 step 2 {
//>>         s += x[i];
//>>         t[i] -= 1.0;
//>>     }
//>>     #[checkpoint(revolve, 10 + N)]
//>>     while s < 10 && !(s >= 3) { s *= 2; }
//>>     if s > 0 {
//>>         s = 1;
//>>     } else if s < 0 {
//>>         s = 2;
//>>     }
//>>     assert s > 0, "text";
//>>     assert mod(N, 2) == 0;
//>>     { let q = 1; }
//>>     let y = if s > 1 { s } else { -s };
//>>     let z = if s > 1 {
//>>         s
//>>     } else {
//>>         1
//>>     };
//>>     let w = {
//>>         let q = s;
//>>         q*q
//>>     };
//>>     t[0:N - 1] = x[1:];
//>>     /* before */ s = /* inside */ 1; /* behind */
//>>     s
//>> }
