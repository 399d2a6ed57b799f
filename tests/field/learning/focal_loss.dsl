// The focal loss of dense object detection in single precision: one sigmoid for each anchor and class, label 0 is background,
// normalised by the number of anchors with an object.

fn focal(z: f32, hit: bool, alpha: f32, gamma: f32) -> f32 {
    let logit = if hit { z } else { -z };
    let weight = if hit { alpha } else { 1 - alpha };
    -weight*exp(gamma*log_sigmoid(-logit))*log_sigmoid(logit)
}

fn detection_loss[A, C](score: f32[A, C], label: i64[A], alpha: f32, gamma: f32) -> f32 {
    let objects = sum(i64(label[n] > 0) for n);
    sum(focal(score[n, c], label[n] == c + 1, alpha, gamma) for n, c)/f32(max(objects, 1))
}

check detection_loss[A = 8, C = 3] {
    score ~ normal(-1, 2); label ~ int(0, 3); alpha = 0.25; gamma = 2; wrt score;
}
