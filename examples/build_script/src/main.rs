//! A line through four points by gradient descent, with a gradient that was compiled when the program was built.

mod loss {
    include!(concat!(env!("OUT_DIR"), "/loss.rs"));
}

fn main() -> Result<(), loss::Error> {
    let (x, y) = ([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 7.0]);
    let mut workspace = loss::Workspace::new();
    let (mut a, mut gradient) = ([0.0, 1.0], [0.0; 2]);
    for _ in 0..2000 {
        loss::loss_vjp(&mut workspace, &a, &x, &y, 1.0, &mut gradient)?;
        a = [a[0] - 0.03*gradient[0], a[1] - 0.03*gradient[1]];
    }
    println!("y = {:.3} + {:.3} x", a[0], a[1]);
    let wrong = loss::loss(&mut workspace, &[0.0, -1.0], &x, &y);
    println!("{}", wrong.expect_err("the line falls"));
    Ok(())
}
