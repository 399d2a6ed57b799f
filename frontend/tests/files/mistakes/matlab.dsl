// What people write who come from MATLAB, Octave, R and Fortran.

// --- function
function y = f(x)
    y = x^2;
end

//> error[ADC0106]: `function` starts no item
//>   ^ 2:1-2:9 `function`: not part of the language
//>   = help: write `fn f(x: f64) -> f64 { … }`; the last expression of the body, without `;`, is its value

// --- a comment with %
% the square
fn f(x: f64) -> f64 { x^2 }

//> error[ADC0106]: `%` starts no comment
//>   ^ 2:1-2:2 `%`: not part of the language
//>   = help: comments start with `//`

// --- a comment in the body
fn f(x: f64) -> f64 {
    x^2  % the square
}

//> error[ADC0106]: `%` has no meaning here
//>   ^ 3:10-3:11 `%`: not part of the language
//>   = help: comments start with `//`

// --- indices with parentheses
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for i in 0..N { s = s + x(i); }
    s
}

//> error[ADC0209]: `x` is a variable, not a function
//>   ^ 4:29-4:33 `x(i)`: called here
//>   = help: entries are in square brackets, and start at 0: `x[i]`

// --- an assigned element with parentheses
fn f[N](x: f64[N]) -> f64[N] {
    var y = zeros(N);
    y(0) = x[0];
    y
}

//> error[ADC0207]: this cannot be assigned
//>   ^ 4:5-4:9 `y(0)`: a call
//>   = help: elements are written `x[i]`; a function is declared `fn f(x: f64) -> f64 { … }`

// --- elementwise power
fn f[N](x: f64[N]) -> f64 { sum(x .^ 2) }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 2:35-2:36 `.`: not part of the language
//>   = help: operators map over arrays as they are: write `^`

// --- elementwise division
fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(x ./ y) }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 2:46-2:47 `.`: not part of the language
//>   = help: operators map over arrays as they are: write `/`

// --- for i = 1:n
fn f(n: i64) -> f64 {
    var s = 0.0;
    for i = 1:n
        s = s + i;
    end
    s
}

//> error[ADC0106]: `=` in a `for`
//>   ^ 4:11-4:12 `=`: `in` belongs here
//>   = help: write `for i in 0..n { … }`: indices start at 0, and the range ends before `n`

// --- zeros of two sizes for a vector
fn f[N](x: f64[N]) -> f64[N] { x + zeros(N, 1) }

//> error[ADC0219]: `+` cannot take f64[N] and f64[N, 1]
//>   ^ 2:32-2:47 `x + zeros(N, 1)`: elementwise, so both sides need one shape
//>   - 2:32-2:33 `x`: f64[N]
//>   - 2:36-2:47 `zeros(N, 1)`: f64[N, 1]
//>   = help: a vector has one size: write `[N]` in place of `[N, 1]`

// --- numel
fn f[N](x: f64[N]) -> f64 { sum(x)/numel(x) }

//> error[ADC0201]: no function or op called `numel`
//>   ^ 2:36-2:41 `numel`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- the transpose with a dot
fn f[N](x: f64[N, N]) -> f64[N, N] { x.' }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 2:39-2:40 `.`: not part of the language
//>   = help: the transpose is `A'`

// --- not equal
fn f(x: f64) -> f64 { if x ~= 0 { 1/x } else { 0 } }

//> error[ADC0106]: `~` has no meaning here
//>   ^ 2:28-2:29 `~`: not part of the language
//>   = help: write `!=`

// --- not
fn f(x: f64) -> f64 { if ~(x > 0) { 0 } else { x } }

//> error[ADC0106]: `~` is not an operator
//>   ^ 2:26-2:27 `~`: not part of the language
//>   = help: write `!`

// --- bitwise and
fn f(x: f64) -> f64 { if (x > 0) & (x < 1) { x } else { 0 } }

//> error[ADC0106]: `&` is not an operator
//>   ^ 2:34-2:35 `&`: not part of the language
//>   = help: write `&&`; integers have no bit operations, the last bit of `n` is `mod(n, 2)`

// --- a matrix literal
fn f(x: f64) -> f64 { det([1, x; x, 1]) }

//> error[ADC0106]: `;` in an array literal
//>   ^ 2:32-2:33 `;`: separates rows or gives a length in other languages
//>   - 2:27-2:28 `[`: opened here
//>   = help: rows are nested, `[[1.0, 2.0], [3.0, 4.0]]`; one value repeated is `fill(v, n)`

// --- a literal with blanks
fn f(x: f64) -> f64 { sum([1 x]) }

//> error[ADC0105]: expected `,`, found `x`
//>   ^ 2:30-2:31 `x`: blanks separate nothing
//>   = help: elements are separated by commas: `[1.0, 2.0]`, rows are nested: `[[1.0, 2.0], [3.0, 4.0]]`

// --- an anonymous function
fn f(x: f64) -> f64 {
    let g = @(t) t^2;
    g(x)
}

//> error[ADC0106]: `@` starts no expression
//>   ^ 3:13-3:14 `@`: nothing stands left of it
//>   = help: a function is given by its name, `f`; there are no macros and no closures: declare `fn g(t: f64) -> f64 { … }`

// --- a function handle
fn g(x: f64) -> f64 { x^2 }
fn h(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn k(x: f64) -> f64 { h(@g, x) }

//> error[ADC0106]: `@` starts no expression
//>   ^ 4:25-4:26 `@`: nothing stands left of it
//>   = help: a function is given by its name, `f`; there are no macros and no closures: declare `fn g(t: f64) -> f64 { … }`

// --- elseif
fn f(x: f64) -> f64 { if x > 1 { 1.0 } elseif x < 0 { 0.0 } else { x } }

//> error[ADC0106]: `elseif` is not a keyword
//>   ^ 2:40-2:46 `elseif`: not part of the language
//>   = help: write `else if`
//>   ! write `else if`: 2:40-2:46 `elseif` -> `else if`

// --- repmat
fn f[N](x: f64[N]) -> f64 { sum(repmat(x, 2, 1)) }

//> error[ADC0201]: no function or op called `repmat`
//>   ^ 2:33-2:39 `repmat`: not part of the language
//>   = help: write a comprehension: `[x[mod(i, N)] for i in 0..2*N]`, a column of rows `[x for i in 0..M]`

// --- disp
fn f(x: f64) -> f64 {
    disp(x);
    x
}

//> error[ADC0106]: `disp` is not a statement
//>   ^ 3:5-3:9 `disp`: not part of the language
//>   = help: nothing is printed from a model: make the value a result of the function

// --- fprintf
fn f(x: f64) -> f64 {
    fprintf("%f", x);
    x
}

//> error[ADC0106]: `fprintf` is not a statement
//>   ^ 3:5-3:12 `fprintf`: not part of the language
//>   = help: nothing is printed from a model: make the value a result of the function

// --- ones of one number
fn f[N](x: f64[N]) -> f64[N, N] { ones(N)*x }

//> error[ADC0219]: this is f64[N], but `f` returns f64[N, N]
//>   ^ 2:35-2:44 `ones(N)*x`: f64[N]
//>   - 2:23-2:32 `f64[N, N]`: declared here
//>   = help: `ones(N)` is a vector; a matrix is `ones(N, N)`, the identity `eye(N)`

// --- zeros of one number for a matrix
fn f[N](x: f64[N]) -> f64 {
    var B = zeros(N);
    for i in 0..N { B[i, i] = x[i]; }
    sum(B)
}

//> error[ADC0222]: 2 indices for f64[N]
//>   ^ 4:21-4:28 `B[i, i]`: it has 1 axis
//>   = help: `zeros(N)` is a vector; a matrix is `zeros(N, N)`

// --- an element of ones of one number
fn f[N](x: f64[N]) -> f64 {
    let B = ones(N);
    B[0, 0]*x[0]
}

//> error[ADC0222]: 2 indices for f64[N]
//>   ^ 4:5-4:12 `B[0, 0]`: it has 1 axis
//>   = help: `ones(N)` is a vector; a matrix is `ones(N, N)`, the identity `eye(N)`

// --- a declared matrix of ones of one number
fn f[N](x: f64[N]) -> f64 {
    let B: f64[N, N] = ones(N);
    sum(B @ x)
}

//> error[ADC0219]: this is f64[N], but `B` is declared f64[N, N]
//>   ^ 3:24-3:31 `ones(N)`: f64[N]
//>   - 3:12-3:21 `f64[N, N]`: declared here
//>   = help: `ones(N)` is a vector; a matrix is `ones(N, N)`, the identity `eye(N)`

// --- a matrix and ones of one number
fn f[N](A: f64[N, N]) -> f64 { sum(A + 2*ones(N)) }

//> error[ADC0219]: `+` cannot take f64[N, N] and f64[N]
//>   ^ 2:36-2:49 `A + 2*ones(N)`: elementwise, so both sides need one shape
//>   - 2:36-2:37 `A`: f64[N, N]
//>   - 2:40-2:49 `2*ones(N)`: f64[N]
//>   = help: `ones(N)` is a vector; a matrix is `ones(N, N)`, the identity `eye(N)`

// --- ones of one number and a matrix
fn f[N, M](A: f64[N, M]) -> f64 { sum(ones(N) - A) }

//> error[ADC0219]: `-` cannot take f64[N] and f64[N, M]
//>   ^ 2:39-2:50 `ones(N) - A`: elementwise, so both sides need one shape
//>   - 2:39-2:46 `ones(N)`: f64[N]
//>   - 2:49-2:50 `A`: f64[N, M]
//>   = help: `ones(N)` is a vector; a matrix is `ones(N, M)`

// --- an argument of zeros of one number
fn g[N, M](A: f64[N, M]) -> f64 { sum(A) }
fn f(x: f64) -> f64 { x*g(zeros(3)) }

//> error[ADC0219]: this is f64[3], but parameter `A` of `g` is f64[N, M]
//>   ^ 3:27-3:35 `zeros(3)`: f64[3]
//>   - 2:15-2:24 `f64[N, M]`: declared here
//>   = help: `zeros(3)` is a vector; a matrix is `zeros(3, 3)`

// --- the inverse of ones of one number
fn f[N](x: f64[N]) -> f64[N, N] { inv(ones(N) + x) }

//> error[ADC0224]: `inv` takes a square matrix, but this is f64[N]
//>   ^ 2:39-2:50 `ones(N) + x`: f64[N]
//>   = help: `ones(N)` is a vector; a matrix is `ones(N, N)`, the identity `eye(N)`

// --- a filled matrix of one number
fn f[N](x: f64[N]) -> f64[N, N] { fill(x[0], N) }

//> error[ADC0219]: this is f64[N], but `f` returns f64[N, N]
//>   ^ 2:35-2:48 `fill(x[0], N)`: f64[N]
//>   - 2:23-2:32 `f64[N, N]`: declared here
//>   = help: `fill(x[0], N)` is a vector; a matrix is `fill(x[0], N, N)`

// --- the square of a matrix is that of its entries: `adc explain ^`
fn f[N](A: f64[N, N], x: f64[N]) -> f64[N] { A^2 @ x }

//> no error

// --- the imaginary unit i
fn f(x: f64) -> c128 { exp(i*x) }

//> error[ADC0201]: no variable or constant called `i`
//>   ^ 2:28-2:29 `i`: not defined here
//>   = help: the imaginary unit is `1i`

// --- end behind if
fn f(x: f64) -> f64 {
    var y = x;
    if x > 0
        y = 2*x;
    end
    y
}

//> error[ADC0105]: expected `{`, found `y`
//>   ^ 5:9-5:10 `y`: in a branch of an `if`
//>   = help: blocks always have braces: `if c { a } else { b }`

// --- a switch
fn f(n: i64) -> f64 {
    switch n
        case 1
            1.0
        otherwise
            0.0
    end
}

//> error[ADC0106]: `switch` is not a statement
//>   ^ 3:5-3:11 `switch`: not part of the language
//>   = help: write `if … { … } else if … { … } else { … }`

// --- ... goes on
fn f(x: f64) -> f64 {
    x + ...
    1
}

//> error[ADC0106]: `...` starts no expression
//>   ^ 3:9-3:12 `...`: not part of the language
//>   = help: an expression goes on in the next line by itself; all entries of an axis are `x[:, j]`

// --- R: an arrow
fn f(x: f64) -> f64 {
    y <- x^2;
    y
}

//> error[ADC0106]: `<-` is not an assignment
//>   ^ 3:7-3:9 `<-`: not part of the language
//>   = help: write `let y = …;` for a new name, `y = …;` for a `var`

// --- R: the matrix product
fn f[N](A: f64[N, N], x: f64[N]) -> f64[N] { A %*% x }

//> error[ADC0106]: `%*%` is not an operator
//>   ^ 2:48-2:51 `%*%`: not part of the language
//>   = help: the product of matrices and vectors is `A @ x`

// --- R: c()
fn f(x: f64) -> f64 { sum(c(x, 2*x)) }

//> error[ADC0201]: no function or op called `c`
//>   ^ 2:27-2:28 `c`: not part of the language
//>   = help: an array is written `[a, b]`, rows are nested: `[[a, b], [c, d]]`

// --- R: function
f <- function(x) x^2

//> error[ADC0105]: expected an item, found `f`
//>   ^ 2:1-2:2 `f`: a definition starts with a keyword
//>   = help: write `fn f(x: f64) -> f64 { … }`

// --- Fortran: real
fn f(x: real) -> real { x^2 }

//> error[ADC0205]: no type called `real`
//>   ^ 2:9-2:13 `real`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `f64`: 2:9-2:13 `real` -> `f64`

// --- Fortran: d exponents
fn f(x: f64) -> f64 { 1.5d0*x }

//> error[ADC0104]: `1.5d0` is not a number
//>   ^ 2:23-2:28 `1.5d0`: an exponent follows `e`
//>   = help: write `1.5e0`

// --- Fortran: do
fn f(x: f64) -> f64 {
    var s = 0.0;
    do i = 1, 10
        s = s + x
    end do
    s
}

//> error[ADC0106]: `do` is not a statement
//>   ^ 4:5-4:7 `do`: not part of the language
//>   = help: write `for i in 0..n { … }` or `while c { … }`

// --- Fortran: comparison
fn f(x: f64) -> f64 { if x .gt. 0 { x } else { 0 } }

//> error[ADC0106]: `.gt.` is not an operator
//>   ^ 2:28-2:29 `.`: not part of the language
//>   = help: write `>`

// --- Fortran: call
fn f(x: f64) -> f64 {
    call g(x);
    x
}

//> error[ADC0106]: `call` is not a statement
//>   ^ 3:5-3:9 `call`: not part of the language
//>   = help: a function is called for its value: `let y = f(x);`

// --- size of an axis
fn f[N, M](x: f64[N, M]) -> f64 { sum(x)/size(x, 2) }

//> error[ADC0201]: no function or op called `size`
//>   ^ 2:42-2:46 `size`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- cumulative integral
fn f[N](x: f64[N]) -> f64[N] { cumtrapz(x) }

//> error[ADC0201]: no function or op called `cumtrapz`
//>   ^ 2:32-2:40 `cumtrapz`: not part of the language
//>   = help: write the sum: `sum(0.5*(x[i] + x[i + 1])*h for i in 0..N - 1)`

// --- eps
fn f(x: f64) -> f64 { x + eps }

//> error[ADC0201]: no variable or constant called `eps`
//>   ^ 2:27-2:30 `eps`: did you mean `EPS`?
//>   ? write `EPS`: 2:27-2:30 `eps` -> `EPS`

// --- Inf and NaN
fn f(x: f64) -> f64 { if x > 0 { x } else { -Inf } }

//> error[ADC0201]: no variable or constant called `Inf`
//>   ^ 2:46-2:49 `Inf`: did you mean `INF`?
//>   ? write `INF`: 2:46-2:49 `Inf` -> `INF`

// --- exp(1i*x)
fn f(x: f64) -> f64 { real(exp(1i*x)) }

//> error[ADC0205]: no type called `real`
//>   ^ 2:23-2:27 `real`: write `f64`
//>   = help: the real part of `z` is `re(z)`; an integer `n` becomes real with `f64(n)`
//>   ! write `f64`: 2:23-2:27 `real` -> `f64`
