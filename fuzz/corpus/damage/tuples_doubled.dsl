fn f(x: f64) -> f64 {
    let t0 = (x, x);
    let t1 = (t0, t0);
    let t2 = (t1, t1);
    let t3 = (t2, t2);
    let t4 = (t3, t3);
    let t5 = (t4, t4);
    let t6 = (t5, t5);
    let t7 = (t6, t6);
    let t8 = (t7, t7);
    let t9 = (t8, t8);
    let t10 = (t9, t9);
    let t11 = (t10, t10);
    let t12 = (t11, t11);
    let t13 = (t12, t12);
    let t14 = (t13, t13);
    let t15 = (t14, t14);
    let t16 = (t15, t15);
    let t17 = (t16, t16);
    let t18 = (t17, t17);
    let t19 = (t18, t18);
    let t20 = (t19, t19);
    let t21 = (t20, t20);
    let t22 = (t21, t21);
    x
}
