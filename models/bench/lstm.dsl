// GradBench lstm: L layers of cells that are wired by element, the loss of predicting the next item of a sequence.
// Rows of `main` are weights and biases in turn, each in four blocks: forget, in, out, change. Rows of `state` are output
// and memory in turn.

fn lstm[L, B, C](
    main: f64[2*L, 4*B],
    extra: f64[3, B],
    state: f64[2*L, B],
    sequence: f64[C, B],
) -> f64 {
    var s = state;
    var total = 0.0;
    for t in 0..C - 1 {
        var x = [sequence[t, i]*extra[0, i] for i in 0..B];
        for k in 0..L {
            let w = main[2*k];
            let b = main[2*k + 1];
            let h = s[2*k];
            let memory = [{
                let forget = sigmoid(x[i]*w[i] + b[i]);
                let take = sigmoid(h[i]*w[B + i] + b[B + i]);
                let change = tanh(h[i]*w[3*B + i] + b[3*B + i]);
                s[2*k + 1, i]*forget + take*change
            } for i in 0..B];
            x = [sigmoid(x[i]*w[2*B + i] + b[2*B + i])*tanh(memory[i]) for i in 0..B];
            s[2*k] = x;
            s[2*k + 1] = memory;
        }
        let y = [x[i]*extra[1, i] + extra[2, i] for i in 0..B];
        let n = log(2 + sum(exp(y[i]) for i));
        total += sum(sequence[t + 1, i]*(y[i] - n) for i in 0..B);
    }
    -total/f64((C - 1)*B)
}

check lstm[L = 2, B = 2, C = 4] {
    main ~ uniform(0, 1); extra ~ uniform(0, 1); state ~ uniform(0, 1); sequence ~ uniform(0, 1);
    wrt main, extra;
    seed 2;
}
bench lstm[L = 2, B = 14, C = 1024] {
    main = load("data/lstm_main.npy"); extra = load("data/lstm_extra.npy");
    state = load("data/lstm_state.npy"); sequence = load("data/lstm_seq.npy");
    wrt main, extra; modes primal, vjp; max_ratio 5;
}
