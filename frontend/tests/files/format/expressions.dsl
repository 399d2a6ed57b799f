fn f[N](x: f64[N], A: f64[N, N], first_parameter: f64, second_parameter: f64) -> f64 {
    let a = ( 1+2 ) * 3 / 4 ^ - 2 - -x[0] ' ;
    let b = 2 * A @ x * 3 + A' @ x / 2;
    let c = jvp( f , wrt = ( x , A ) )( x,A ; x , A ) + grad(f,wrt=0)(x) + f[ N=3 ](x) + sum(A,axis=0);
    let d = [ x[i]*A[i,j] for i , j in 0 .. N ];
    let e = [[1.0,2.0],[3.0,4.0]];
    let g = [[1.0,2.0],
             [3.0,4.0]];
    let h = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, -21.0];
    let k = first_parameter*second_parameter + sum(x[i]*first_parameter for i) - second_parameter*first_parameter/first_parameter;
    let l = first_parameter*second_parameter*first_parameter*second_parameter*first_parameter*second_parameter*first_parameter;
    let m = function_of_many(first_parameter + second_parameter, second_parameter*2, sum(x[i]^2 for i in 0..N - 1), first_parameter);
    let n = sum((x[i] - first_parameter)^2/second_parameter + first_parameter*A[i, j] for i in 0..N - 1, j in i + 1..N step 2);
    let o = select(first_parameter > second_parameter && second_parameter < 3 || first_parameter == 2, first_parameter, 0, );
    let p = x[:, // the first
        0] + g(_, a);
    let q = a // left
        + b // right
        ;
    let r = g(a, // first
        b // second
    );
    -9223372036854775808
}

//>> fn f[N](x: f64[N], A: f64[N, N], first_parameter: f64, second_parameter: f64) -> f64 {
//>>     let a = (1 + 2)*3/4^-2 - -x[0]';
//>>     let b = 2*A @ x * 3 + A' @ x / 2;
//>>     let c = jvp(f, wrt = (x, A))(x, A; x, A) + grad(f, wrt = 0)(x) + f[N = 3](x) + sum(A, axis = 0);
//>>     let d = [x[i]*A[i, j] for i, j in 0..N];
//>>     let e = [[1.0, 2.0], [3.0, 4.0]];
//>>     let g = [
//>>         [1.0, 2.0],
//>>         [3.0, 4.0],
//>>     ];
//>>     let h = [
//>>         1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0,
//>>         18.0, 19.0, 20.0, -21.0,
//>>     ];
//>>     let k = first_parameter*second_parameter
//>>         + sum(x[i]*first_parameter for i)
//>>         - second_parameter*first_parameter/first_parameter;
//>>     let l = first_parameter
//>>         * second_parameter
//>>         * first_parameter
//>>         * second_parameter
//>>         * first_parameter
//>>         * second_parameter
//>>         * first_parameter;
//>>     let m = function_of_many(
//>>         first_parameter + second_parameter,
//>>         second_parameter*2,
//>>         sum(x[i]^2 for i in 0..N - 1),
//>>         first_parameter,
//>>     );
//>>     let n = sum(
//>>         (x[i] - first_parameter)^2/second_parameter + first_parameter*A[i, j]
//>>         for i in 0..N - 1, j in i + 1..N step 2
//>>     );
//>>     let o = select(
//>>         first_parameter > second_parameter && second_parameter < 3 || first_parameter == 2,
//>>         first_parameter,
//>>         0,
//>>     );
//>>     let p = x[
//>>         :, // the first
//>>         0,
//>>     ] + g(_, a);
//>>     let q = a // left
//>>         + b; // right
//>>     let r = g(
//>>         a, // first
//>>         b, // second
//>>     );
//>>     -9223372036854775808
//>> }
