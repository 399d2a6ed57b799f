// Loops that do not end, at the points given, end in ADC0511 in every form of the program if their result is needed: also where no
// iteration changes it, so that it would be what the loop begins with, if only that ended.

fn times_one(x: f64) -> f64 {
    var y = x;
    while y > 0 { y = y*1.0; }
    y
}
//= times_one(1) = error ADC0511
//= times_one(-1) = -1

fn unchanged(x: f64) -> f64 {
    var y = x;
    while x > 0 { y = y; }
    y + 1
}
//= unchanged(1) = error ADC0511
//= unchanged(-1) = 0

fn beside(x: f64) -> f64 {
    var y = x;
    var n = 0;
    while y > 0 {
        y = y/1.0;
        n = n + 1;
    }
    y
}
//= beside(2) = error ADC0511

fn two(x: f64, z: c128) -> c128 {
    var y = x;
    var w = z;
    while y > 0 {
        y = -(-y);
        w = conj(conj(w));
    }
    w*y
}
//= two(1, 1+2i) = error ADC0511
//= two(0, 1+2i) = 0

fn chosen(x: f64, n: i64) -> f64 {
    var y = x;
    var k = n;
    while k != 0 {
        y = if k == k { y } else { y + 1 };
        k = k*1 + 0;
    }
    y^1 + f64(k)
}
//= chosen(3, 1) = error ADC0511
//= chosen(3, 0) = 3

fn never(x: f64) -> f64 {
    var y = x;
    while true { y = max(y, y); }
    y
}
//= never(0) = error ADC0511

fn parts(z: c128) -> f64 {
    var w = z;
    while re(w) > 0 { w = re(w) + im(w)*1i; }
    re(w)
}
//= parts(1+1i) = error ADC0511

fn held(x: f64[2]) -> f64 {
    var y = x;
    while y[0] > 0 { y = [y[0], y[1]]; }
    sum(y)
}
//= held([1, 2]) = error ADC0511
//= held([0, 2]) = 2

fn same(x: f64[3]) -> f64[3] {
    var y = x;
    while sum(y) > 0 { y = y; }
    y
}
//= same([1, 2, 3]) = error ADC0511

fn inner(x: f64) -> f64 {
    var y = x;
    for i in 0..3 { while y > 0 { y = y*1.0; } }
    y
}
//= inner(1) = error ADC0511

fn called(x: f64) -> f64 { 2*times_one(x) }
//= called(1) = error ADC0511

fn branch(x: f64) -> f64 { if x > 0 { times_one(x) } else { x } }
//= branch(1) = error ADC0511
//= branch(-1) = -1

fn slope(x: f64) -> f64 { grad(times_one)(x) + times_one(x) }
//= slope(1) = error ADC0511
//= slope(-1) = 0

fn both(x: f64) -> (f64, f64) { value_and_grad(branch)(x) }
//= both(1) = error ADC0511
//= both(-1) = -1; 1
