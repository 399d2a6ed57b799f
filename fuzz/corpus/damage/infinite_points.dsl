fn f(x: f64) -> f64 { x }
check f { x = INF; }
check f { x ~ near(INF, 1); }
check f { x ~ choice(INF, 1.0); }
