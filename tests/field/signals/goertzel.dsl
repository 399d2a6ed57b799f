// Detection of a dial tone by Goertzel's algorithm in single precision: power of two tones over that of the frame.

/// |sum x[n] exp(-i w n)|^2 by the second-order recursion.
fn tone[N](x: f32[N], w: f32) -> f32 {
    let c = 2*cos(w);
    var s1 = 0.0;
    var s2 = 0.0;
    for n in 0..N {
        let s = x[n] + c*s1 - s2;
        s2 = s1;
        s1 = s;
    }
    s1^2 + s2^2 - c*s1*s2
}

fn key_score[N](x: f32[N], row: f32, column: f32) -> f32 {
    (tone(x, row) + tone(x, column))/(f32(N)*sum(x^2))
}

check key_score[N = 12] { x ~ normal(0, 1); row in [0.5, 0.8]; column in [0.9, 1.3]; }
