// Value and gradient with lanes over an outer parallel loop (8 doubles in a 512-bit register, 4 in a 256-bit one): how fast
// can the workloads of hand.cpp be? Inner loops are uniform, branches are masks, sums into shared arrays are kept per lane
// or reduced across lanes. Elementary functions are the lane programs of the runtime: same constants, same care.
//
//   g++ -w -std=c++20 -O3 -march=native wide.cpp -o wide && DATA_DIR=data taskset -c 0 ./wide [gmm|lstm|ba|…]
//   g++ -w -std=c++20 -O3 -march=native -mno-avx512f wide.cpp -o wide4      (also with -DLANES=2)
//   g++ -w -std=c++20 -O3 -march=native -DHAND -DPEER='"strict"' wide.cpp -o hand_strict
//   g++ -w -std=c++20 -O3 -march=native -ffast-math -mprefer-vector-width=512 -DHAND -DPEER='"fast"' wide.cpp -o hand_fast
//
// One line of output per variant, in the format of hand.cpp; times are minima, not medians, so the last two time hand.cpp's
// functions with the same clock. All of a gradient is compared with hand.cpp's first ("error" in the note); ba's and the
// batch of scalar15 are per item.
#define main hand_main
#include "hand.cpp"
#undef main
#include <cstdint>
#include <immintrin.h>
#include <utility>

#define AI inline __attribute__((always_inline))
#ifndef LANES // 4 and 2: the kernels that ask for no more than what is below
#ifdef __AVX512F__
#define LANES 8
#else
#define LANES 4
#endif
#endif
constexpr int W = LANES;
typedef double V __attribute__((vector_size(8 * LANES)));
typedef long long I64 __attribute__((vector_size(8 * LANES)));
#if LANES == 8
typedef __mmask8 M;
#else
typedef I64 M;
#endif

// ---- one timer: the least of many batches
template <class F> double least(F f, double seconds = SECONDS) {
    using C = std::chrono::steady_clock;
    auto ns = [](auto d) { return (double)std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(); };
    f();
    auto t = C::now();
    f();
    int inner = std::max(1, (int)(3e4 / std::max(20.0, ns(C::now() - t))));
    double best = 1e300;
    for (auto start = C::now(); ns(C::now() - start) < seconds * 1e9;) {
        t = C::now();
        for (int i = 0; i < inner; i++) {
            f();
            asm volatile("" ::: "memory");
        }
        best = std::min(best, ns(C::now() - t) / inner);
    }
    return best;
}

#ifndef HAND
// ---- lanes
template <int... I, class F> AI void each(std::integer_sequence<int, I...>, F f) {
    (f(std::integral_constant<int, I>{}), ...);
}
/// A uniform loop of known length, unrolled early enough for arrays to become registers.
template <int N, class F> AI void unroll(F f) { each(std::make_integer_sequence<int, N>{}, f); }
#define L(i) [&](auto i) __attribute__((always_inline))

#if LANES == 8
typedef __m512i Where;
AI V all(double x) { return (V)_mm512_set1_pd(x); }
AI V load(const double *p) { return (V)_mm512_loadu_pd(p); }
AI V load(const double *p, M m) { return (V)_mm512_maskz_loadu_pd(m, p); }
AI void store(double *p, V x) { _mm512_storeu_pd(p, (__m512d)x); }
AI void store(double *p, V x, M m) { _mm512_mask_storeu_pd(p, m, (__m512d)x); }
AI V gather(const double *p, Where i) { return (V)_mm512_i64gather_pd(i, p, 8); }
AI Where every(long step) { return _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(step)); }
AI V fma(V a, V b, V c) { return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
AI V fnma(V a, V b, V c) { return (V)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
AI V fms(V a, V b, V c) { return (V)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)c); }
AI V rint(V a) { return (V)_mm512_roundscale_pd((__m512d)a, 8); }
AI V max(V a, V b) { return (V)_mm512_max_pd((__m512d)a, (__m512d)b); }
AI V min(V a, V b) { return (V)_mm512_min_pd((__m512d)a, (__m512d)b); }
AI V root(V a) { return (V)_mm512_sqrt_pd((__m512d)a); }
AI V abs(V a) { return (V)_mm512_abs_pd((__m512d)a); }
AI V scale(V a, V n) { return (V)_mm512_scalef_pd((__m512d)a, (__m512d)n); }
AI V choose(M m, V yes, V no) { return (V)_mm512_mask_mov_pd((__m512d)no, m, (__m512d)yes); }
AI V only(M m, V a) { return (V)_mm512_maskz_mov_pd(m, (__m512d)a); }
AI M lt(V a, V b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ); }
AI M eq(V a, V b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ); }
AI V sign_of(V a, V s) {
    return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)s, _mm512_set1_epi64(1ll << 63), 0xd8);
}
template <int I> AI V permute(V a) { return (V)_mm512_permute_pd((__m512d)a, I); }
AI bool any(M m) { return m; }
/// The lanes below `n`.
AI M first(int n) { return n < 8 ? (1 << n) - 1 : 255; }
/// The sum over lanes by the fixed tree (i, i+4), (i, i+2), (i, i+1).
AI double sum(V a) {
    __m256d q = _mm256_add_pd(_mm512_castpd512_pd256((__m512d)a), _mm512_extractf64x4_pd((__m512d)a, 1));
    __m128d r = _mm_add_pd(_mm256_castpd256_pd128(q), _mm256_extractf128_pd(q, 1));
    return r[0] + r[1];
}
AI double most(V a) { return _mm512_reduce_max_pd((__m512d)a); }

#else
AI V all(double x) { return x - V{}; }
AI V load(const double *p) { V v; memcpy(&v, p, sizeof v); return v; }
AI void store(double *p, V x) { memcpy(p, &x, sizeof x); }
typedef long Where;
AI Where every(long step) { return step; }
AI V gather(const double *p, Where s) { V v; for (int i = 0; i < W; i++) v[i] = p[i * s]; return v; }
#if LANES == 4
#define MM(f) _mm256_##f
#else
#define MM(f) _mm_##f
#endif
AI V fma(V a, V b, V c) { return MM(fmadd_pd)(a, b, c); }
AI V fnma(V a, V b, V c) { return MM(fnmadd_pd)(a, b, c); }
AI V fms(V a, V b, V c) { return MM(fmsub_pd)(a, b, c); }
AI V rint(V a) { return MM(round_pd)(a, 8); }
AI V max(V a, V b) { return MM(max_pd)(a, b); }
AI V min(V a, V b) { return MM(min_pd)(a, b); }
AI V root(V a) { return MM(sqrt_pd)(a); }
AI V load(const double *p, M m) { return MM(maskload_pd)(p, m); }
AI void store(double *p, V x, M m) { MM(maskstore_pd)(p, m, x); }
AI M first(int n) { M m; for (int i = 0; i < W; i++) m[i] = -(i < n); return m; }
AI V choose(M m, V yes, V no) { return m ? yes : no; }
AI V only(M m, V a) { return m ? a : V{}; }
AI M lt(V a, V b) { return a < b; }
AI M eq(V a, V b) { return a == b; }
AI bool any(M m) { bool r = false; for (int i = 0; i < W; i++) r |= m[i] != 0; return r; }
AI V abs(V a) { return (V)((I64)a & 0x7fffffffffffffffll); }
AI V sign_of(V a, V s) { return (V)(((I64)a & 0x7fffffffffffffffll) | ((I64)s & ~0x7fffffffffffffffll)); }
AI V pow2(V n) { return (V)(((I64)(n + all(0x1.8p52 + 1023))) << 52); }
AI V scale(V a, V n) { V h = rint(n * all(0.5)); return a * pow2(h) * pow2(n - h); }
AI double sum(V a) { double s[W]; memcpy(s, &a, sizeof s); return W == 4 ? (s[0] + s[2]) + (s[1] + s[3]) : s[0] + s[1]; }
#endif

#if LANES == 8
AI void transpose(V (&a)[8]) {
    __m512d t[8], u[8];
    unroll<4>(L(i) {
        t[2 * i] = _mm512_unpacklo_pd((__m512d)a[2 * i], (__m512d)a[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_pd((__m512d)a[2 * i], (__m512d)a[2 * i + 1]);
    });
    unroll<2>(L(h) {
        unroll<2>(L(p) {
            auto x = t[4 * h + p], y = t[4 * h + 2 + p];
            u[4 * h + p] = _mm512_shuffle_f64x2(x, y, 0x88);
            u[4 * h + 2 + p] = _mm512_shuffle_f64x2(x, y, 0xdd);
        });
    });
    unroll<4>(L(i) {
        a[i] = (V)_mm512_shuffle_f64x2(u[i], u[i + 4], 0x88);
        a[i + 4] = (V)_mm512_shuffle_f64x2(u[i], u[i + 4], 0xdd);
    });
}
/// The sums over lanes of eight vectors, as one vector.
AI V sums(V (&a)[8]) {
    __m512d t[4], u[2];
    unroll<4>(L(i) {
        t[i] = _mm512_add_pd(_mm512_unpacklo_pd((__m512d)a[2 * i], (__m512d)a[2 * i + 1]),
                             _mm512_unpackhi_pd((__m512d)a[2 * i], (__m512d)a[2 * i + 1]));
    });
    unroll<2>(L(i) {
        u[i] = _mm512_add_pd(_mm512_shuffle_f64x2(t[2 * i], t[2 * i + 1], 0x88), _mm512_shuffle_f64x2(t[2 * i], t[2 * i + 1], 0xdd));
    });
    return (V)_mm512_add_pd(_mm512_shuffle_f64x2(u[0], u[1], 0x88), _mm512_shuffle_f64x2(u[0], u[1], 0xdd));
}
#endif

// ---- elementary functions
template <int N> AI V poly(V x, const double (&c)[N]) { // Estrin's scheme
    V z = x * x, w = z * z, u = w * w;
    auto pair = L(i) { return i + 1 < N ? fma(x, all(c[i + 1 < N ? i + 1 : 0]), all(c[i])) : all(c[i]); };
    auto four = L(i) { return i + 2 < N ? fma(z, pair(std::integral_constant<int, (i + 2 < N ? i + 2 : 0)>{}), pair(i)) : pair(i); };
    auto eight = L(i) { return i + 4 < N ? fma(w, four(std::integral_constant<int, (i + 4 < N ? i + 4 : 0)>{}), four(i)) : four(i); };
    if constexpr (N <= 8) return eight(std::integral_constant<int, 0>{});
    else return fma(u, eight(std::integral_constant<int, (8 < N ? 8 : 0)>{}), eight(std::integral_constant<int, 0>{}));
}
static const double LOG2E = 1.4426950408889634, LN2 = 0.6931471805599453, LN2L = 2.3190468138462996e-17;
static const double EXP[10] = {0.5000000000000001, 0.16666666666666669, 0.04166666666662348, 0.008333333333330011, 0.0013888888917538296, 0.00019841269863303223, 2.4801520792572694e-05, 2.75572680728901e-06, 2.762032742826824e-07, 2.5100569275813683e-08};
static const double EXPM1[11] = {0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333326025, 0.001388888888888367, 0.00019841269875205077, 2.4801587325822283e-05, 2.75572549134867e-06, 2.7557273295539724e-07, 2.5105419192016337e-08, 2.091483135138041e-09};
static const double LOGR[8] = {0.6666666666666666, 0.400000000000078, 0.28571428567338936, 0.222222230378492, 0.18181738451422416, 0.15388834809954827, 0.1321035787997725, 0.13604035760921432};
static const double SIN[6] = {-0.16666666666666666, 0.008333333333330946, -0.0001984126983675497, 2.755731610068303e-06, -2.5051131455427946e-08, 1.591810123027412e-10};
static const double COS[6] = {0.041666666666666664, -0.0013888888888887395, 2.4801587298763433e-05, -2.7557317270560326e-07, 2.0876146024689747e-09, -1.1382614868556325e-11};

AI V exp(V x) {
    x = min(max(x, all(-746)), all(710));
    V n = rint(x * all(LOG2E)), r = fnma(n, all(LN2L), fnma(n, all(LN2), x)), q = poly(r, EXP);
    V h = all(1) + r, e = r - (h - all(1));
    return scale(h + fma(r * r, q, e), n);
}
AI V log(V x) {
#if LANES == 8
    V m = (V)_mm512_getmant_pd((__m512d)x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    V k = (V)_mm512_getexp_pd((__m512d)x) + only(lt(m, all(1)), all(1));
#else // normal numbers only
    V m = (V)(((I64)x & 0xfffffffffffffll) | 0x3ff0000000000000ll), k = (V)(((I64)x >> 52) | 0x4330000000000000ll) - all(0x1p52 + 1023);
    M big = lt(all(1.5), m);
    m = choose(big, m * all(0.5), m), k += only(big, all(1));
#endif
    V f = m - all(1), s = f / (m + all(1)), z = s * s, half = f * all(0.5) * f, t = fma(z, poly(z, LOGR), half);
    V y = fma(k, all(LN2), f - (half - fma(s, t, k * all(LN2L))));
    return choose(lt(x, all(0)), all(NAN), y);
}
/// e^x = 2^n (1 + r + u)
AI void parts(V x, V &n, V &r, V &u) {
    n = rint(x * all(LOG2E));
    V h = fnma(n, all(LN2), x);
    r = fnma(n, all(LN2L), h);
    u = fma(r * r, poly(r, EXPM1), fnma(n, all(LN2L), h - r));
}
AI V quotient(V a, V al, V b, V bl) {
    V i = all(1) / b, q = a * i;
    return fma(fnma(q, bl, fnma(q, b, a) + al), i, q);
}
/// tanh x, and 1 / cosh² x
AI V tanh(V x, V &d) {
    V one = all(1), n, r, u;
    parts(max(all(-760), abs(x) * all(-2)), n, r, u);
    V p = r + u, s = scale(one, max(all(-60), n)), base = one - s, v = fnma(s, r, base);
    V low = fnma(s, u, fnma(s, r, base - v)), less = one + s, den = fma(s, p, less), t = sign_of((v + low) / den, x);
    V h = one + r, c = (r - (h - one)) + u, whole = h + c, lost = c - (whole - h), dl = fma(s, p, less - den);
    V f = quotient(whole, lost, den, dl), q = f * s;
    d = scale(fnma(f, q, f) * all(4), n);
    return t;
}
/// The logistic function and its derivative.
AI V logistic(V x, V &d) {
    V one = all(1), t = exp(-abs(x)), a = one + t, s = quotient(t, all(0), a, t - (a - one));
    d = fnma(s, s, s);
    return choose(lt(x, all(0)), s, one - s);
}
/// The same two without the care for the last digits: one division each.
AI V tanh_lean(V x, V &d) {
    V e = exp(abs(x) * all(-2)), i = all(1) / (all(1) + e), t = (all(1) - e) * i;
    d = all(4) * e * i * i;
    return sign_of(t, x);
}
AI V logistic_lean(V x, V &d) {
    V s = all(1) / (all(1) + exp(-x));
    d = fnma(s, s, s);
    return s;
}
AI V sincos(V x, V &cosine) {
    V one = all(1), n = rint(x * all(0.6366197723675814)), quad = fnma(rint(n * all(0.25)), all(4), n);
    M odd = eq(abs(quad), one);
    V p2 = all(6.123233995736766e-17), r = fnma(n, all(1.5707963267948966), x), p = n * p2, pl = fms(n, p2, p);
    V hi = r - p, t = hi - r, u = hi - t, lo = fnma(n, all(-1.4973849048591698e-33), ((r - u) - (p + t)) - pl);
    V z = hi * hi, hz = all(0.5) * z, w = one - hz;
    V s = hi + fma(z * hi, poly(z, SIN), lo * w), c = w + fma(z * z, poly(z, COS), fnma(hi, lo, (one - w) - hz));
    M fs = lt(quad, all(0)) | lt(all(1.5), quad), fc = lt(all(0), quad) | lt(quad, all(-1.5));
    V a = choose(odd, c, s), b = choose(odd, s, c);
    a = choose(fs, -a, a), b = choose(fc, -b, b);
    a = choose(lt(abs(x), all(7.450580596923828e-9)), x, a);
    if (__builtin_expect(any(~lt(abs(x), all(1073741824.0))), 0))
        for (int i = 0; i < W; i++) a[i] = std::sin(x[i]), b[i] = std::cos(x[i]);
    cosine = b;
    return a;
}

// ---- gmm
enum Acc { Horizontal, Private };
/// Lanes over points, `T` vectors of points at a time (a tile), components outside. Accumulators of a component are summed
/// over the vectors of a tile first, then kept per lane in memory, or summed across lanes, eight at a time.
/// `KEEP`: q of all components is stored rather than computed again. `MAP`: as a derivative without algebra does it, x's
/// adjoint goes through Q for each point, rather than once after the sum. `AS_IR`: the terms are computed once for the value
/// and once for the derivative, their exponentials three times, as the optimised IR has it now.
template <int D, int K, int T, Acc ACC, bool KEEP, bool MAP, bool AS_IR = false> NI double gmm_n(const double *p, const double *X, double C, double *g) {
    constexpr int N = 1000, S = D * (D + 1) / 2, NV = N / W, A = D + D + (S - D), A8 = (A + 7) / 8 * 8;
    static_assert(N % W == 0);
    const double *al = p, *mu = p + K, *ic = p + K + D * K;
    alignas(64) static double Q[K][S];
    double base[K], w = 0;
    for (int i = 0; i < K * D; i += W) {
        double t[W] = {};
        for (int l = 0; l < W && i + l < K * D; l++) t[l] = ic[(i + l) / D * S + (i + l) % D];
        V e = exp(load(t));
        for (int l = 0; l < W && i + l < K * D; l++) Q[(i + l) / D][(i + l) % D] = e[l];
    }
    for (int k = 0; k < K; k++) {
        base[k] = al[k];
        for (int i = 0; i < D; i++) base[k] += ic[k * S + i], w += Q[k][i] * Q[k][i];
        for (int i = D; i < S; i++) Q[k][i] = ic[k * S + i], w += Q[k][i] * Q[k][i];
    }
    alignas(64) static V acc[ACC == Private ? K : 1][A8], qs[KEEP ? K : 1][T][D], weight[K];
    alignas(64) static double flat[K][A8];
    alignas(64) V xt[T][D], mt[K][T], twice[K][T], xc[T][D], qb[T][D];
    memset(flat, 0, sizeof flat), memset(acc, 0, sizeof acc), memset(weight, 0, sizeof weight);
    V total = all(0);
    const Where step = every(D);
    auto forward = [&](const double *q, const double *m, const V *x, V *c, V *y) __attribute__((always_inline)) {
        V xr[D], yr[D];
        unroll<D>(L(i) { xr[i] = x[i] - all(m[i]), yr[i] = xr[i] * all(q[i]); });
        unroll<D>(L(i) { unroll<D - 1 - i>(L(j) { constexpr int l = D + i * (2 * D - i - 1) / 2 + j; yr[i + 1 + j] = fma(xr[i], all(q[l]), yr[i + 1 + j]); }); });
        unroll<D>(L(i) { c[i] = xr[i], y[i] = yr[i]; });
    };
    auto tile = [&](int n0, auto size) __attribute__((always_inline)) {
        constexpr int t = size;
        for (int v = 0; v < t; v++) unroll<D>(L(i) { xt[v][i] = gather(X + (n0 + v) * W * D + i, step); });
        for (int k = 0; k < K; k++) for (int v = 0; v < t; v++) {
            V c[D], y[D];
            forward(Q[k], mu + k * D, xt[v], c, y);
            V s0 = y[0] * y[0], s1 = y[1] * y[1];
            unroll<D - 2>(L(i) { if constexpr (i % 2) s1 = fma(y[i + 2], y[i + 2], s1); else s0 = fma(y[i + 2], y[i + 2], s0); });
            mt[k][v] = fma(all(-0.5), s0 + s1, all(base[k]));
            if (KEEP) unroll<D>(L(i) { qs[k][v][i] = y[i]; });
            if (AS_IR) {
                asm volatile("" ::: "memory"); // what was computed is forgotten
                forward(Q[k], mu + k * D, xt[v], c, y);
                s0 = all(0);
                unroll<D>(L(i) { s0 = fma(y[i], y[i], s0); });
                twice[k][v] = fma(all(-0.5), s0, all(base[k]));
            }
        }
        for (int v = 0; v < t; v++) {
            V m = mt[0][v], s = all(0);
            for (int k = 1; k < K; k++) m = max(m, mt[k][v]);
            if (AS_IR) {
                V m2 = twice[0][v];
                for (int k = 1; k < K; k++) m2 = max(m2, twice[k][v]);
                for (int k = 0; k < K; k++) s += exp(mt[k][v] - m);
                total += log(s) + m, s = all(0), m = m2;
                for (int k = 0; k < K; k++) s += exp(twice[k][v] - m), mt[k][v] = twice[k][v];
                asm volatile("" ::: "memory");
                for (int k = 0; k < K; k++) mt[k][v] = exp(mt[k][v] - m);
            } else
                for (int k = 0; k < K; k++) s += mt[k][v] = exp(mt[k][v] - m);
            if (!AS_IR) total += log(s) + m;
            V r = all(1) / s;
            for (int k = 0; k < K; k++) weight[k] += mt[k][v] *= r;
        }
        for (int k = 0; k < K; k++) {
            for (int v = 0; v < t; v++) {
                V c[D], y[D];
                if (KEEP) unroll<D>(L(i) { c[i] = xt[v][i] - all(mu[k * D + i]), y[i] = qs[k][v][i]; });
                else forward(Q[k], mu + k * D, xt[v], c, y);
                unroll<D>(L(i) { xc[v][i] = c[i], qb[v][i] = y[i] * mt[k][v]; });
            }
            V *a = acc[ACC == Private ? k : 0];
            auto one = L(l) { return ACC == Private ? a[l] : all(0); };
            unroll<D>(L(i) {
                V s = one(i), d = one(std::integral_constant<int, D + i>{});
                unroll<t>(L(v) {
                    if constexpr (MAP) { // the product with Q for each point
                        V z = qb[v][i] * all(Q[k][i]);
                        unroll<D - 1 - i>(L(j) { constexpr int l = D + i * (2 * D - i - 1) / 2 + j; z = fma(qb[v][i + 1 + j], all(Q[k][l]), z); });
                        s += z;
                    } else s += qb[v][i];
                    d = fnma(qb[v][i], xc[v][i], d);
                });
                a[i] = s, a[D + i] = d;
                unroll<D - 1 - i>(L(j) {
                    constexpr int l = D + i * (2 * D - i - 1) / 2 + j;
                    V z = one(std::integral_constant<int, D + l>{});
                    unroll<t>(L(v) { z = fnma(qb[v][i + 1 + j], xc[v][i], z); });
                    a[D + l] = z;
                });
            });
#if LANES == 8
            if (ACC == Horizontal) for (int i = 0; i < A8; i += 8) {
                V b[8];
                unroll<8>(L(j) { b[j] = a[i + j]; });
                store(&flat[k][i], load(&flat[k][i]) + sums(b));
            }
#endif
        }
    };
    for (int n0 = 0; n0 + T <= NV; n0 += T) tile(n0, std::integral_constant<int, T>{});
    if constexpr (NV % T) tile(NV - NV % T, std::integral_constant<int, NV % T>{});
    if (ACC == Private) for (int k = 0; k < K; k++) for (int i = 0; i < A; i++) flat[k][i] = sum(acc[k][i]);
    double m = al[0], s = 0, e[K];
    for (int k = 1; k < K; k++) m = std::max(m, al[k]);
    for (int k = 0; k < K; k++) s += e[k] = std::exp(al[k] - m);
    for (int k = 0; k < K; k++) {
        double wk = sum(weight[k]), *f = flat[k], *gm = g + K + k * D, *gi = g + K + K * D + k * S;
        g[k] = wk - N * e[k] / s;
        for (int i = 0; i < D; i++) gm[i] = MAP ? f[i] : f[i] * Q[k][i], gi[i] = f[D + i] * Q[k][i] + wk + Q[k][i] * Q[k][i];
        for (int i = 0, l = D; i < D; i++) for (int j = i + 1; j < D; j++, l++) {
            if (!MAP) gm[i] += f[j] * Q[k][l];
            gi[l] = f[D + l] + Q[k][l];
        }
    }
    return sum(total) - N * (std::log(s) + m) + 0.5 * w + (-(double)K * C - (double)N * D * 0.5 * std::log(2 * M_PI));
}
#if LANES == 8
/// Lanes over components (padded), `P` points at a time, so that an accumulator is read and written once for `P` points.
template <int D, int K, int P> NI double gmm_k(const double *p, const double *X, double C, double *g) {
    constexpr int N = 1000, S = D * (D + 1) / 2, KV = (K + 7) / 8, W = KV * 8;
    static_assert(N % 8 == 0 && 8 % P == 0);
    const double *al = p, *mu = p + K, *ic = p + K + D * K;
    alignas(64) static double Mt[D][W], Q[S][W], base[W], lx[N], ls[N];
    alignas(64) static V gm[KV][D], gq[KV][S], ga[KV];
    memset(gm, 0, sizeof gm), memset(gq, 0, sizeof gq), memset(ga, 0, sizeof ga);
    memset(base, 0, sizeof base);
    for (int k = 0; k < K; k++) {
        base[k] = al[k];
        for (int i = 0; i < D; i++) Mt[i][k] = mu[k * D + i], base[k] += ic[k * S + i];
        for (int i = 0; i < S; i++) Q[i][k] = ic[k * S + i];
    }
    for (int i = 0; i < D; i++) for (int k = 0; k < KV; k++) store(&Q[i][8 * k], exp(load(&Q[i][8 * k])));
    V qs[KV][P][D], mt[P][KV];
    for (int n = 0; n < N; n += P) {
        const double *x = X + n * D;
        for (int k = 0; k < KV; k++) {
            V y[P][D];
            unroll<D>(L(i) { V q = load(&Q[i][8 * k]), m = load(&Mt[i][8 * k]); unroll<P>(L(v) { y[v][i] = q * (all(x[v * D + i]) - m); }); });
            unroll<D>(L(i) {
                V c[P], m = load(&Mt[i][8 * k]);
                unroll<P>(L(v) { c[v] = all(x[v * D + i]) - m; });
                unroll<D - 1 - i>(L(j) {
                    constexpr int l = D + i * (2 * D - i - 1) / 2 + j;
                    V q = load(&Q[l][8 * k]);
                    unroll<P>(L(v) { y[v][i + 1 + j] = fma(q, c[v], y[v][i + 1 + j]); });
                });
            });
            unroll<P>(L(v) {
                V s = y[v][0] * y[v][0];
                unroll<D - 1>(L(i) { s = fma(y[v][i + 1], y[v][i + 1], s); });
                mt[v][k] = fma(all(-0.5), s, load(&base[8 * k]));
                unroll<D>(L(i) { qs[k][v][i] = y[v][i]; });
            });
        }
        unroll<P>(L(v) {
            constexpr M last = K % 8 ? (1 << K % 8) - 1 : 255; // lanes of the last vector that are there
            V m = choose(last, mt[v][KV - 1], all(-INFINITY)), s = all(0);
            unroll<KV - 1>(L(k) { m = max(m, mt[v][k]); });
            double h = most(m);
            unroll<KV>(L(k) { M in = k == KV - 1 ? last : 255; s += mt[v][k] = only(in, exp(only(in, mt[v][k] - all(h)))); });
            double z = sum(s), r = 1 / z;
            lx[n + v] = h, ls[n + v] = z;
            unroll<KV>(L(k) { ga[k] += mt[v][k] *= all(r); });
        });
        for (int k = 0; k < KV; k++) {
            V *q = qs[k][0];
            unroll<P>(L(v) { unroll<D>(L(i) { q[v * D + i] *= mt[v][k]; }); });
            unroll<D>(L(i) {
                V c[P], m = load(&Mt[i][8 * k]), s = gm[k][i], d = gq[k][i];
                unroll<P>(L(v) { c[v] = all(x[v * D + i]) - m, s += q[v * D + i], d = fnma(q[v * D + i], c[v], d); });
                gm[k][i] = s, gq[k][i] = d;
                unroll<D - 1 - i>(L(j) {
                    constexpr int l = D + i * (2 * D - i - 1) / 2 + j;
                    V z = gq[k][l];
                    unroll<P>(L(v) { z = fnma(q[v * D + i + 1 + j], c[v], z); });
                    gq[k][l] = z;
                });
            });
        }
    }
    V total = all(0);
    for (int n = 0; n < N; n += 8) total += load(lx + n) + log(load(ls + n));
    double m = al[0], s = 0, e[K], w = 0;
    for (int k = 1; k < K; k++) m = std::max(m, al[k]);
    for (int k = 0; k < K; k++) s += e[k] = std::exp(al[k] - m);
    for (int k = 0; k < K; k++) {
        auto at = [&](V *a) { return ((double *)a)[k % 8]; };
        double wk = at(&ga[k / 8]), *gM = g + K + k * D, *gi = g + K + K * D + k * S;
        g[k] = wk - N * e[k] / s;
        for (int i = 0; i < D; i++) gM[i] = at(&gm[k / 8][i]) * Q[i][k], gi[i] = at(&gq[k / 8][i]) * Q[i][k] + wk + Q[i][k] * Q[i][k], w += Q[i][k] * Q[i][k];
        for (int i = 0, l = D; i < D; i++) for (int j = i + 1; j < D; j++, l++) gM[i] += at(&gm[k / 8][j]) * Q[l][k], gi[l] = at(&gq[k / 8][l]) + Q[l][k], w += Q[l][k] * Q[l][k];
    }
    return sum(total) - N * (std::log(s) + m) + 0.5 * w + (-(double)K * C - (double)N * D * 0.5 * std::log(2 * M_PI));
}

#endif

// ---- scalar15, a batch of items: lanes over items
AI V scalar15(V x, V y, V z, V (&g)[3]) {
    V one = all(1), t1 = x * y, ca, a = sincos(t1, ca), t2 = y + z, b, sb = sincos(t2, b), c = exp(fms(all(0.3), x, z)), xy = fma(y, y, x * x), D = one + xy;
    V d = log(D), e = root(fma(z, z, xy) + one), ie = one / (one + e);
    V G = a * b * ie, d15 = d + all(1.5), h = exp(all(2.3) * log(d15)), ed = exp(-d * d), cc, sc = sincos(c, cc), u = sc * ed, m = exp(z * y), w = e + m;
    V v = log(w), le = log(e), r = exp(x * le), gh = G * h, cg, sg = sincos(gh, cg), iq = one / root(fma(u, u, one)), s = cg * iq, Lc = fma(c, c, one), lc = log(Lc), cv, sv = sincos(v, cv);
    V f = fma(lc, sv, fma(r, s, fma(u, v, gh)));
    V ub = v, vb = fma(lc, cv, u), cb = sv * all(2) * c / Lc, ghb = fnma(r * sg, iq, one);
    ub = fnma(r * s * u, iq * iq, ub);
    V rs = r * s, eb = rs * x / e, xb = rs * le, wb = vb / w;
    eb += wb;
    V mb = wb * m, zb = mb * y, yb = mb * z;
    cb = fma(ub * ed, cc, cb);
    V db = ub * u * (all(-2) * d), Gb = ghb * h, hb = ghb * G;
    db = fma(hb * all(2.3), h / d15, db);
    V ab = Gb * b * ie, bb = Gb * a * ie;
    eb = fnma(Gb * G, ie, eb);
    V q = eb / e;
    xb = fma(q, x, xb), yb = fma(q, y, yb), zb = fma(q, z, zb);
    q = all(2) * db / D;
    xb = fma(q, x, xb), yb = fma(q, y, yb);
    q = cb * c;
    xb = fma(all(0.3), q, xb), zb -= q;
    q = bb * sb;
    yb -= q, zb -= q;
    q = ab * ca;
    g[0] = fma(q, y, xb), g[1] = fma(q, x, yb), g[2] = zb;
    return f;
}
NI void scalar15_batch(const double *x, double *f, double *o) {
    constexpr int N = 10000;
    for (int i = 0; i < N; i += W) {
        V g[3], v = scalar15(load(x + i), load(x + N + i), load(x + 2 * N + i), g);
        store(f + i, v);
        for (int k = 0; k < 3; k++) store(o + k * N + i, g[k]);
    }
}

// ---- ba: lanes over observations
AI void residual(const V (&c)[15], V f0, V f1, V (&o)[2], V (&J)[2][15]) {
    V one = all(1), p[3], w[3], r[3];
    for (int i = 0; i < 3; i++) p[i] = c[11 + i] - c[3 + i];
    V s2 = fma(c[0], c[0], fma(c[1], c[1], c[2] * c[2]));
    if (__builtin_expect(any(eq(s2, all(0))), 0)) abort(); // the other branch: masked, not needed by these data
    V th = root(s2), iv = one / th, ct, st = sincos(th, ct);
    for (int i = 0; i < 3; i++) w[i] = c[i] * iv;
    V cr[3] = {fms(w[1], p[2], w[2] * p[1]), fms(w[2], p[0], w[0] * p[2]), fms(w[0], p[1], w[1] * p[0])};
    V wp = fma(w[0], p[0], fma(w[1], p[1], w[2] * p[2])), omc = one - ct, tmp = wp * omc;
    for (int i = 0; i < 3; i++) r[i] = fma(p[i], ct, fma(cr[i], st, w[i] * tmp));
    V iz = one / r[2], px = r[0] * iz, py = r[1] * iz, rs = fma(px, px, py * py), k2 = c[10] * rs, D = fma(k2 + c[9], rs, one), wt = c[14], f = c[6];
    V e0 = fma(px * D, f, c[7]) - f0, e1 = fma(py * D, f, c[8]) - f1;
    o[0] = wt * e0, o[1] = wt * e1;
    V dD = fma(all(4), k2, all(2) * c[9]), wf = wt * f, ix = px * dD, iy = py * dD;
    V a[2][2] = {{wf * fma(px, ix, D), wf * (px * iy)}, {wf * (py * ix), wf * fma(py, iy, D)}}, pp[2] = {px, py}, ee[2] = {e0, e1};
    unroll<2>(L(q) {
        V *G = J[q], m[3] = {a[q][0] * iz, a[q][1] * iz, -(fma(a[q][0], px, a[q][1] * py)) * iz};
        V mw = fma(m[0], w[0], fma(m[1], w[1], m[2] * w[2])), mp = fma(m[0], p[0], fma(m[1], p[1], m[2] * p[2])), mc = fma(m[0], cr[0], fma(m[1], cr[1], m[2] * cr[2]));
        V tb = fms(ct, mc, st * fnma(wp, mw, mp)), pm[3] = {fms(p[1], m[2], p[2] * m[1]), fms(p[2], m[0], p[0] * m[2]), fms(p[0], m[1], p[1] * m[0])};
        V mx[3] = {fms(m[1], w[2], m[2] * w[1]), fms(m[2], w[0], m[0] * w[2]), fms(m[0], w[1], m[1] * w[0])}, wb[3], k = mw * omc;
        for (int i = 0; i < 3; i++) wb[i] = fma(m[i], tmp, fma(k, p[i], st * pm[i]));
        tb = fnma(fma(wb[0], w[0], fma(wb[1], w[1], wb[2] * w[2])), iv, tb);
        for (int i = 0; i < 3; i++) {
            G[i] = fma(wb[i], iv, tb * w[i]);
            V x = fma(m[i], ct, fma(st, mx[i], k * w[i]));
            G[11 + i] = x, G[3 + i] = -x;
        }
        G[6] = wt * pp[q] * D, G[7] = q == 0 ? wt : all(0), G[8] = q == 1 ? wt : all(0), G[9] = wf * pp[q] * rs, G[10] = G[9] * rs, G[14] = ee[q];
    });
}
NI void ba_columns(const double *P, const double *F, double *O, double *J, int N) {
    for (int i = 0; i < N; i += W) {
        V c[15], o[2], g[2][15], *flat = g[0];
        unroll<15>(L(k) { c[k] = load(P + k * N + i); });
        residual(c, load(F + i), load(F + N + i), o, g);
        store(O + i, o[0]), store(O + N + i, o[1]);
        unroll<30>(L(k) { store(J + k * N + i, flat[k]); });
    }
}
// ---- kmeans
enum Scatter { Masked, Rows };
/// Lanes over points. The adjoint of the attaining centroid: under a mask, kept per lane; or point by point, lanes over c.
template <Scatter HOW> NI double kmeans(const double *P, const double *Z, int N, int K, double *g) {
    constexpr int D = 8;
    alignas(64) static V dist[64], acc[64][D];
    alignas(64) double weight[8];
    memset(acc, 0, sizeof acc[0] * K);
    memset(g, 0, sizeof(double) * K * D);
    V total = all(0);
    for (int n = 0; n < N; n += W) {
        V x[8];
#if LANES == 8
        unroll<8>(L(v) { x[v] = load(P + (n + v) * D); });
        transpose(x);
#else
        unroll<8>(L(i) { x[i] = gather(P + n * D + i, every(D)); });
#endif
        V least = all(INFINITY);
        for (int k = 0; k < K; k++) {
            V s = all(0), r = all(0);
            unroll<D / 2>(L(i) { V d = x[2 * i] - all(Z[k * D + 2 * i]), e = x[2 * i + 1] - all(Z[k * D + 2 * i + 1]); s = fma(d, d, s), r = fma(e, e, r); });
            dist[k] = s + r, least = min(least, dist[k]);
        }
        total += least;
        V count = all(0);
        for (int k = 0; k < K; k++) count += only(eq(dist[k], least), all(1));
        V w = all(-2) / count;
        if (HOW == Masked) for (int k = 0; k < K; k++) {
            M m = eq(dist[k], least);
            if (any(m)) unroll<D>(L(i) { acc[k][i] = choose(m, fma(w, x[i] - all(Z[k * D + i]), acc[k][i]), acc[k][i]); });
        }
#if LANES == 8
        else {
            store(weight, w);
            for (int k = 0; k < K; k++) for (unsigned m = eq(dist[k], least); m; m &= m - 1) {
                int v = __builtin_ctz(m);
                store(g + k * D, fma(all(weight[v]), load(P + (n + v) * D) - load(Z + k * D), load(g + k * D)));
            }
        }
#endif
    }
    if (HOW == Masked) for (int k = 0; k < K * D; k++) g[k] = sum(acc[k / D][k % D]);
    return sum(total);
}
/// Scalar, as one writes it.
NI double kmeans_plain(const double *P, const double *Z, int N, int K, double *g) {
    constexpr int D = 8;
    double total = 0, dist[64];
    memset(g, 0, sizeof(double) * K * D);
    for (int n = 0; n < N; n++) {
        double least = INFINITY;
        for (int k = 0; k < K; k++) {
            double s = 0;
            for (int i = 0; i < D; i++) { double d = P[n * D + i] - Z[k * D + i]; s += d * d; }
            dist[k] = s, least = s < least ? s : least;
        }
        int at = 0;
        while (dist[at] != least) at++;
        total += least;
        for (int i = 0; i < D; i++) g[at * D + i] -= 2 * (P[n * D + i] - Z[at * D + i]);
    }
    return total;
}

// ---- lstm: lanes over the items of a layer (14, padded to 16); time outside
template <bool LEAN> NI double lstm(const double *p, double *g) {
    constexpr int l = 2, c = 1024, b = 14, H = (b + W - 1) / W;
    struct State { V c, f, i, o, ch, chd, tc, tcd; };
    static State *S = (State *)aligned_alloc(64, sizeof(State) * l * (c + 1) * H); // S[l H] on: turn 0; before it the initial memory and output
    static V (*Y)[H] = (V(*)[H])aligned_alloc(64, sizeof(V) * H * c), (*HT)[H] = (V(*)[H])aligned_alloc(64, sizeof(V) * H * c);
    auto sigmoid = [](V x, V &d) __attribute__((always_inline)) { return LEAN ? logistic_lean(x, d) : logistic(x, d); };
    auto tangent = [](V x, V &d) __attribute__((always_inline)) { return LEAN ? tanh_lean(x, d) : tanh(x, d); };
    M in[H];
    for (int v = 0; v < H; v++) in[v] = first(b - W * v);
    V Wt[l][4][H], B[l][4][H], h[l][H], ce[l][H], ex[3][H], one = all(1);
    for (int v = 0; v < H; v++) {
        for (int m = 0; m < l; m++) {
            for (int q = 0; q < 4; q++) Wt[m][q][v] = load(p + 8 * b * m + q * b + W * v, in[v]), B[m][q][v] = load(p + 8 * b * m + 4 * b + q * b + W * v, in[v]);
            h[m][v] = load(W7S + 2 * b * m + W * v, in[v]), ce[m][v] = load(W7S + 2 * b * m + b + W * v, in[v]);
            S[m * H + v].c = ce[m][v], S[m * H + v].o = one, S[m * H + v].tc = h[m][v];
        }
        for (int q = 0; q < 3; q++) ex[q][v] = load(p + 8 * l * b + q * b + W * v, in[v]);
    }
    alignas(64) static double sums_[1024], dots[1024], goal[1024];
    for (int t = 0; t < c - 1; t++) {
        V y[H];
        for (int v = 0; v < H; v++) y[v] = load(W7Q + t * b + W * v, in[v]) * ex[0][v];
        for (int m = 0; m < l; m++) for (int v = 0; v < H; v++) {
            State &s = S[((t + 1) * l + m) * H + v];
            V unused;
            s.f = sigmoid(fma(y[v], Wt[m][0][v], B[m][0][v]), unused), s.i = sigmoid(fma(h[m][v], Wt[m][1][v], B[m][1][v]), unused);
            s.o = sigmoid(fma(y[v], Wt[m][2][v], B[m][2][v]), unused), s.ch = tangent(fma(h[m][v], Wt[m][3][v], B[m][3][v]), s.chd);
            s.c = ce[m][v] = fma(ce[m][v], s.f, s.i * s.ch);
            s.tc = tangent(ce[m][v], s.tcd);
            y[v] = h[m][v] = s.o * s.tc;
        }
        V e[H], u[H], yg[H];
        for (int v = 0; v < H; v++) HT[t][v] = y[v], u[v] = fma(y[v], ex[1][v], ex[2][v]), e[v] = only(in[v], exp(u[v])), yg[v] = load(W7Q + (t + 1) * b + W * v, in[v]);
        V es = all(0), ys = es, ds = es;
        for (int v = 0; v < H; v++) es += e[v], ys += yg[v], ds = fma(yg[v], u[v], ds);
        double s = 2 + sum(es), sg = sum(ys);
        sums_[t] = s, goal[t] = sg, dots[t] = sum(ds);
        V r = all(sg / s);
        for (int v = 0; v < H; v++) Y[t][v] = fnma(e[v], r, yg[v]);
    }
    double tot = 0;
    {
        V a = all(0);
        sums_[c - 1] = 1, goal[c - 1] = dots[c - 1] = 0;
        for (int t = 0; t < c; t += W) a += fnma(load(goal + t), log(load(sums_ + t)), load(dots + t));
        tot = sum(a);
    }
    double sc = -1.0 / ((c - 1) * b);
    for (int v = 0; v < H; v++) {
        V gW[l][4], gB[l][4], ge[3], hb[l], cb[l];
        memset(gW, 0, sizeof gW), memset(gB, 0, sizeof gB), memset(ge, 0, sizeof ge), memset(hb, 0, sizeof hb), memset(cb, 0, sizeof cb);
        for (int t = c - 2; t >= 0; t--) {
            V d = all(sc) * Y[t][v], yb = d * ex[1][v];
            ge[1] = fma(d, HT[t][v], ge[1]), ge[2] += d;
            unroll<l>(L(k) {
                constexpr int m = l - 1 - k;
                const State &s = S[((t + 1) * l + m) * H + v];
                const State &before = S[(t * l + m) * H + v], &below = S[((t + 1) * l) * H + v];
                V sin = m ? below.o * below.tc : load(W7Q + t * b + W * v, in[v]) * ex[0][v], hp = before.o * before.tc;
                V hh = hb[m] + yb, ob = hh * s.tc * fnma(s.o, s.o, s.o), cc = fma(hh * s.o, s.tcd, cb[m]);
                V fb = cc * before.c * fnma(s.f, s.f, s.f), ib = cc * s.ch * fnma(s.i, s.i, s.i), zb = cc * s.i * s.chd;
                cb[m] = cc * s.f;
                gW[m][0] = fma(fb, sin, gW[m][0]), gB[m][0] += fb, gW[m][1] = fma(ib, hp, gW[m][1]), gB[m][1] += ib;
                gW[m][2] = fma(ob, sin, gW[m][2]), gB[m][2] += ob, gW[m][3] = fma(zb, hp, gW[m][3]), gB[m][3] += zb;
                hb[m] = fma(ib, Wt[m][1][v], zb * Wt[m][3][v]), yb = fma(fb, Wt[m][0][v], ob * Wt[m][2][v]);
            });
            ge[0] = fma(yb, load(W7Q + t * b + W * v, in[v]), ge[0]);
        }
        for (int m = 0; m < l; m++) for (int q = 0; q < 4; q++) store(g + 8 * b * m + q * b + W * v, gW[m][q], in[v]), store(g + 8 * b * m + 4 * b + q * b + W * v, gB[m][q], in[v]);
        for (int q = 0; q < 3; q++) store(g + 8 * l * b + q * b + W * v, ge[q], in[v]);
    }
    return tot * sc;
}

#if LANES == 8
enum How { Gather, Transpose };
/// Rows of 15 in and of 30 out, as they lie in memory.
template <How IN, How OUT> NI void ba_rows(const double *P, const double *F, double *O, double *J, int n) {
    const __m512i s15 = every(15), s2 = every(2), s30 = every(30);
    for (int i = 0; i < n; i += 8) {
        V c[15], o[2], g[2][15];
        const double *p = P + 15 * i;
        if constexpr (IN == Gather) unroll<15>(L(k) { c[k] = gather(p + k, s15); });
        else {
            V a[8], b[8];
            unroll<8>(L(k) { a[k] = load(p + 15 * k), b[k] = load(p + 15 * k + 7); });
            transpose(a), transpose(b);
            unroll<8>(L(k) { c[k] = a[k], c[7 + k] = b[k]; });
        }
        residual(c, gather(F + 2 * i, s2), gather(F + 2 * i + 1, s2), o, g);
        V *flat = g[0];
        if constexpr (OUT == Gather) unroll<30>(L(k) { _mm512_i64scatter_pd(J + 30 * i + k, s30, (__m512d)flat[k], 8); });
        else unroll<4>(L(b) {
            V a[8];
            constexpr int k0 = b == 3 ? 22 : 8 * b; // the last block overlaps the third
            unroll<8>(L(k) { a[k] = flat[k0 + k]; });
            transpose(a);
            unroll<8>(L(k) { store(J + 30 * (i + k) + k0, a[k]); });
        });
        _mm512_i64scatter_pd(O + 2 * i, s2, (__m512d)o[0], 8), _mm512_i64scatter_pd(O + 2 * i + 1, s2, (__m512d)o[1], 8);
    }
}

#elif LANES == 4
AI void transpose(V (&a)[4]) {
    __m256d t[4];
    unroll<2>(L(i) {
        t[2 * i] = _mm256_unpacklo_pd((__m256d)a[2 * i], (__m256d)a[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_pd((__m256d)a[2 * i], (__m256d)a[2 * i + 1]);
    });
    unroll<2>(L(i) {
        a[i] = (V)_mm256_permute2f128_pd(t[i], t[i + 2], 0x20);
        a[i + 2] = (V)_mm256_permute2f128_pd(t[i], t[i + 2], 0x31);
    });
}
/// Rows of 15 in and of 30 out, as they lie in memory, taken apart and put together by transposes.
NI void ba_rows(const double *P, const double *F, double *O, double *J, int n) {
    for (int i = 0; i < n; i += 4) {
        V c[15], o[2], g[2][15], f[4], *flat = g[0];
        unroll<4>(L(b) {
            V a[4];
            constexpr int k0 = b == 3 ? 11 : 4 * b; // the last block overlaps the third
            unroll<4>(L(k) { a[k] = load(P + 15 * (i + k) + k0); });
            transpose(a);
            unroll<4>(L(k) { c[k0 + k] = a[k]; });
        });
        residual(c, gather(F + 2 * i, every(2)), gather(F + 2 * i + 1, every(2)), o, g);
        unroll<8>(L(b) {
            V a[4];
            constexpr int k0 = b == 7 ? 26 : 4 * b;
            unroll<4>(L(k) { a[k] = flat[k0 + k]; });
            transpose(a);
            unroll<4>(L(k) { store(J + 30 * (i + k) + k0, a[k]); });
        });
        __m256d lo = _mm256_unpacklo_pd((__m256d)o[0], (__m256d)o[1]), hi = _mm256_unpackhi_pd((__m256d)o[0], (__m256d)o[1]);
        store(O + 2 * i, (V)_mm256_permute2f128_pd(lo, hi, 0x20)), store(O + 2 * i + 4, (V)_mm256_permute2f128_pd(lo, hi, 0x31));
    }
}
#endif

#if LANES >= 4
/// The lanes of `t` one place further, the first one the last of `before`.
AI V shift(V before, V t) {
#if LANES == 8
    return (V)_mm512_alignr_epi64((__m512i)t, (__m512i)before, 7);
#else
    return __builtin_shufflevector(before, t, 3, 4, 5, 6);
#endif
}
// ---- rosenbrock: two collects at a distance of one become one pass
NI double rosenbrock(const double *x, double *g) {
    constexpr int N = 1000, rest = (N - 1) % W;
    V s = all(0), r = all(0), before = all(0); // 200 a of the element before is in the last lane
    auto step = [&](int i, V y, V next, auto put, auto kept) __attribute__((always_inline)) {
        V a = kept(fnma(y, y, next)), b = kept(all(1) - y), t = all(200) * a;
        s = fma(all(100) * a, a, s), r = fma(b, b, r);
        put(g + i, fma(all(-2), fma(y, t, b), shift(before, t)));
        before = t;
    };
    int i = 0;
    for (; i + W < N; i += W) step(i, load(x + i), load(x + i + 1), [](double *p, V v) { store(p, v); }, [](V v) { return v; });
    M m = first(rest), out = first(rest + 1);
    step(i, load(x + i, out), load(x + i + 1, m), [&](double *p, V v) { store(p, v, out); }, [&](V v) { return only(m, v); });
    return sum(s + r);
}

/// The sums over lanes of four vectors.
AI void store_sums(double *to, V (&a)[4]) {
#if LANES == 8
    V all_[8] = {a[0], a[1], a[2], a[3]};
    store(to, sums(all_), 15);
#else
    __m256d t = _mm256_hadd_pd((__m256d)a[0], (__m256d)a[1]), u = _mm256_hadd_pd((__m256d)a[2], (__m256d)a[3]);
    store(to, (V)_mm256_add_pd(_mm256_permute2f128_pd(t, u, 0x20), _mm256_permute2f128_pd(t, u, 0x31)));
#endif
}

// ---- helmholtz: `Ax` and `xA` in one pass over A (`FUSED`), in two, or A taken as symmetric
enum Passes { Fused, Two, Symmetric };
template <Passes HOW> NI double helmholtz(const double *x, double *g) {
    constexpr int N = 100, R = 4, C = (N + W - 1) / W; // rows at a time, vectors of a row
    alignas(64) static double Ax[C * W], xA[C * W];
    const M last = first(N - W * (C - 1));
    auto row = [&](const double *p, auto j) __attribute__((always_inline)) { return W * j + W > N ? load(p + W * j, last) : load(p + W * j); };
    auto in = [&](auto j, V v, V other) __attribute__((always_inline)) { return W * j + W > N ? choose(last, v, other) : v; };
    V b0 = all(0), sx0 = all(0);
    V xv[C], xa[C];
    unroll<C>(L(j) { xv[j] = row(x, j), b0 = fma(xv[j], row(W3b, j), b0), sx0 += xv[j]; });
    double bx = sum(b0), om = 1 - bx, sx = sum(sx0);
    unroll<C>(L(j) { store(xA + W * j, all(0)); });
    for (int i = 0; i < N; i += R) {
        V a[R], u[R];
        unroll<R>(L(r) { a[r] = all(0), u[r] = all(x[i + r]); });
        unroll<C>(L(j) {
            V z = load(xA + W * j);
            unroll<R>(L(r) { V q = row(W3A + (i + r) * N, j); a[r] = fma(q, xv[j], a[r]); if (HOW == Fused) z = fma(q, u[r], z); });
            if (HOW == Fused) store(xA + W * j, z);
        });
        store_sums(Ax + i, a);
    }
    if (HOW == Two) for (int i = 0; i < N; i += R) {
        V u[R];
        unroll<R>(L(r) { u[r] = all(x[i + r]); });
        unroll<C>(L(j) {
            V z = load(xA + W * j);
            unroll<R>(L(r) { z = fma(row(W3A + (i + r) * N, j), u[r], z); });
            store(xA + W * j, z);
        });
    }
    V s = all(0), q = all(0), lo = log(all(om));
    unroll<C>(L(j) { V l = in(j, log(in(j, xv[j], all(1))) - lo, all(0)); s = fma(xv[j], l, s), q = fma(xv[j], in(j, load(Ax + W * j), all(0)), q), xa[j] = l + all(1); });
    const double r2 = std::sqrt(2.0), r8 = std::sqrt(8.0);
    double u = 1 + (1 + r2) * bx, v = 1 + (1 - r2) * bx, Lg = log(all(u / v))[0], k = 1 / (r8 * bx), qs = sum(q);
    double d = sx / om + qs * k / bx * Lg - qs * k * ((1 + r2) / u - (1 - r2) / v), c = -k * Lg;
    unroll<C>(L(j) {
        V t = load(Ax + W * j);
        t += HOW == Symmetric ? t : load(xA + W * j);
        V y = fma(all(c), t, fma(all(d), row(W3b, j), xa[j]));
        if (W * j + W > N) store(g + W * j, y, last); else store(g + W * j, y);
    });
    return sum(s) - qs * k * Lg;
}

// ---- cquad: rows outside, lanes over interleaved complex numbers; the adjoint of a row right after the row
#if LANES == 8
AI V twice(const double *p) {
    const __m512i lanes = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
    return (V)_mm512_permutexvar_pd(lanes, _mm512_castpd256_pd512(_mm256_loadu_pd(p)));
}
AI V swapped(V v) { return permute<0x55>(v); }
AI V subadd(V a, V b) { return (V)_mm512_mask_sub_pd((__m512d)(a + b), 0x55, (__m512d)a, (__m512d)b); }
AI V even(V a, V b) { return (V)_mm512_permutex2var_pd((__m512d)a, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), (__m512d)b); }
AI V odd(V a, V b) { return (V)_mm512_permutex2var_pd((__m512d)a, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), (__m512d)b); }
AI __m256d half(V v) { return _mm256_add_pd(_mm512_castpd512_pd256((__m512d)v), _mm512_extractf64x4_pd((__m512d)v, 1)); }
#else
AI V twice(const double *p) { return (V)_mm256_permute4x64_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), 0x50); }
AI V swapped(V v) { return (V)_mm256_permute_pd((__m256d)v, 5); }
AI V subadd(V a, V b) { return (V)_mm256_addsub_pd((__m256d)a, (__m256d)b); }
AI V even(V a, V b) { return (V)_mm256_permute4x64_pd(_mm256_unpacklo_pd((__m256d)a, (__m256d)b), 0xd8); }
AI V odd(V a, V b) { return (V)_mm256_permute4x64_pd(_mm256_unpackhi_pd((__m256d)a, (__m256d)b), 0xd8); }
AI __m256d half(V v) { return (__m256d)v; }
#endif
NI double cquad(const double *p, const double *A, double *g) {
    constexpr int N = 64, H = 2 * N / W, R = 4;
    const double *x = p, *y = p + N;
    alignas(64) V xr[H], yi[H], G1[H], G2[H]; // each number twice: (x, x), (y, y)
    for (int j = 0; j < H; j++) xr[j] = twice(x + W / 2 * j), yi[j] = twice(y + W / 2 * j), G1[j] = G2[j] = all(0);
    double s = 0, xy = 0, S = 0;
    alignas(64) double own[2 * N];
    for (int k = 0; k < N; k += R) {
        V a[8], wr[R], wi[R];
        unroll<8>(L(r) { a[r] = all(0); });
        for (int j = 0; j < H; j++) {
            V u = xr[j], v = yi[j];
            unroll<R>(L(r) { V q = load(A + 2 * N * (k + r) + W * j); a[r] = fma(q, u, a[r]), a[R + r] = fma(q, v, a[R + r]); });
        }
        // even lanes: ar x, ar y; odd lanes: ai x, ai y
        unroll<R>(L(r) {
            __m256d f = half(subadd(a[r], swapped(a[R + r])));
            __m128d c = _mm_add_pd(_mm256_castpd256_pd128(f), _mm256_extractf128_pd(f, 1));
            double vr = c[0], vi = c[1], xk = x[k + r], yk = y[k + r], nx = xk * xk, ny = yk * yk, d = 1 / (1 + nx + ny), t = (vr * vr + vi * vi) * d;
            s += t, xy += xk * yk, S += nx - ny;
            own[k + r] = -2 * t * d * xk, own[N + k + r] = -2 * t * d * yk;
            wr[r] = all(2 * d * vr), wi[r] = all(2 * d * vi);
        });
        for (int j = 0; j < H; j++) {
            V u = G1[j], v = G2[j];
            unroll<R>(L(r) { V q = load(A + 2 * N * (k + r) + W * j); u = fma(q, wr[r], u), v = fma(q, wi[r], v); });
            G1[j] = u, G2[j] = v;
        }
    }
    V co, si = sincos(all(S), co), E = exp(all(-2 * xy));
    double c = E[0] * co[0], z = E[0] * si[0];
    for (int j = 0; j < H; j += 2) { // re: even of G1 + odd of G2; im: even of G2 - odd of G1
        const double *xj = x + W / 2 * j, *yj = y + W / 2 * j, *o = own + W / 2 * j;
        V xk = load(xj), yk = load(yj), re = even(G1[j], G1[j + 1]) + odd(G2[j], G2[j + 1]), im = even(G2[j], G2[j + 1]) - odd(G1[j], G1[j + 1]);
        store(g + W / 2 * j, load(o) + re + fma(yk, all(-2 * c), xk * all(-2 * z)));
        store(g + N + W / 2 * j, load(o + N) + im + fma(xk, all(-2 * c), yk * all(2 * z)));
    }
    return s + c;
}
#endif

// ---- llsq: lanes over samples; Horner's scheme and the powers are uniform inner loops over `B` vectors at a time
template <int B> NI double llsq(const double *x, int n, double *g) {
    constexpr int Mx = 128;
    alignas(64) static V acc[Mx];
    memset(acc, 0, sizeof acc);
    V total = all(0), iota;
    for (int l = 0; l < W; l++) iota[l] = l;
    double h = 2.0 / (n - 1);
    for (int i = 0; i < n; i += W * B) {
        V t[B], y[B], r[B];
        M in[B];
        unroll<B>(L(v) { V k = all(i + W * v) + iota; in[v] = lt(k, all(n)), t[v] = k * all(2) / all(n - 1) - all(1), y[v] = all(0); });
        for (int j = Mx - 1; j >= 0; j--) { V c = all(x[j]); unroll<B>(L(v) { y[v] = fma(y[v], t[v], c); }); }
        unroll<B>(L(v) {
            V s = only(lt(all(0), t[v]), all(1)) - only(lt(t[v], all(0)), all(1));
            r[v] = only(in[v], s - y[v]), total = fma(r[v], r[v], total), r[v] = -r[v];
        });
        for (int j = 0; j < Mx; j++) { V s = acc[j]; unroll<B>(L(v) { s += r[v], r[v] *= t[v]; }); acc[j] = s; }
    }
    for (int j = 0; j < Mx; j++) g[j] = sum(acc[j]);
    return 0.5 * sum(total);
}
/// Few samples: chains are cut in `C` by taking every `C`-th coefficient (powers of t^C).
template <int B, int C> NI double llsq_cut(const double *x, int n, double *g) {
    constexpr int Mx = 128;
    alignas(64) static V acc[Mx];
    memset(acc, 0, sizeof acc);
    V total = all(0), iota;
    for (int l = 0; l < W; l++) iota[l] = l;
    for (int i = 0; i < n; i += W * B) {
        V t[B], tc[B], y[B][C], r[B][C];
        M in[B];
        unroll<B>(L(v) { V k = all(i + W * v) + iota; in[v] = lt(k, all(n)), tc[v] = t[v] = k * all(2) / all(n - 1) - all(1); for (int q = 1; q < C; q *= 2) tc[v] *= tc[v]; unroll<C>(L(q) { y[v][q] = all(0); }); });
        for (int j = Mx - C; j >= 0; j -= C) unroll<C>(L(q) { V c = all(x[j + q]); unroll<B>(L(v) { y[v][q] = fma(y[v][q], tc[v], c); }); });
        unroll<B>(L(v) {
            V s = only(lt(all(0), t[v]), all(1)) - only(lt(t[v], all(0)), all(1)), z = y[v][C - 1];
            unroll<C - 1>(L(q) { z = fma(z, t[v], y[v][C - 2 - q]); });
            V e = only(in[v], s - z);
            total = fma(e, e, total), r[v][0] = -e;
            unroll<C - 1>(L(q) { r[v][q + 1] = r[v][q] * t[v]; });
        });
        for (int j = 0; j < Mx; j += C) unroll<C>(L(q) { V s = acc[j + q]; unroll<B>(L(v) { s += r[v][q], r[v][q] *= tc[v]; }); acc[j + q] = s; });
    }
    for (int j = 0; j < Mx; j++) g[j] = sum(acc[j]);
    return 0.5 * sum(total);
}
NI double llsq_plain(const double *x, int n, double *g) {
    double f = 0;
    for (int j = 0; j < 128; j++) g[j] = 0;
    for (int i = 0; i < n; i++) {
        double t = -1 + 2.0 * i / (n - 1), y = 0, r;
        for (int j = 127; j >= 0; j--) y = y * t + x[j];
        r = (t > 0) - (t < 0) - y, f += r * r, r = -r;
        for (int j = 0; j < 128; j++) g[j] += r, r *= t;
    }
    return 0.5 * f;
}

// ---- report
static int bad;
/// Compares with hand.cpp, times, prints. `scale`: how many items a call is. `flops`: of one item.
template <class F> void line(const char *w, const char *variant, const std::vector<double> &want, double value, int n, F f, double items = 1, double flops = 0) {
    std::vector<double> g(n + 8);
    double v = f(g.data()), err = std::fabs(v - value) / (1 + std::fabs(value)), size = 0;
    for (int i = 0; i < n; i++) size = std::max(size, std::fabs(want[i]));
    for (int i = 0; i < n; i++) err = std::max(err, std::fabs(g[i] - want[i]) / (1e-3 * size + std::fabs(want[i])));
    if (!(err < 1e-9)) fprintf(stderr, "MISMATCH %s %s %g\n", w, variant, err), bad++;
    volatile double sink;
    double t = least([&] { sink = f(g.data()); }) / items;
    char note[200];
    snprintf(note, sizeof note, "%s; error %.1e%s", variant, err, "");
    if (flops) snprintf(note + strlen(note), 60, "; %.1f GF/s", flops / t);
    report(W == 8 ? "wide" : W == 4 ? "wide 4 lanes" : "wide 2 lanes", w, 0, t, 0, v, g.data(), n, note);
}
#endif

int main(int argc, char **argv) {
    load();
    for (int k = 0; k < 64; k++) for (int j = 0; j < 64; j++) ArT[j * 64 + k] = W9Ar[k * 64 + j], AiT[j * 64 + k] = W9Ai[k * 64 + j];
#ifdef HAND
    auto time = [](const char *w, const char *file, auto f) {
        auto p = rd(file);
        std::vector<double> g(p.size());
        volatile double s;
        double v = f(p.data(), g.data()), t = least([&] { s = f(p.data(), g.data()); });
        report(PEER, w, 0, t, 0, v, g.data(), p.size());
    };
    time("w1", "w1", g1), time("w2", "w2", g2), time("w3", "w3", g3), time("w4", "w4", g4);
    time("w5_10_25", "w5_10_25", [](const double *p, double *g) { return g5<10, 25>(p, G10X, WC10, g); });
    time("w5_2_5", "w5_2_5", [](const double *p, double *g) { return g5<2, 5>(p, G2X, WC2, g); });
    time("w7", "w7", g7), time("w8", "w8", g8), time("w9", "w9", g9);
#else
    auto only = [&](const char *w) { return argc < 2 || strstr(argv[1], w); };
    if (only("gmm")) {
        auto p = rd("w5_10_25");
        std::vector<double> g(p.size());
        double v = g5<10, 25>(p.data(), G10X, WC10, g.data());
        auto t = [&](const char *n, auto f) { line("w5_10_25", n, g, v, p.size(), [&](double *o) { return f(p.data(), G10X, WC10, o); }, 1, 25000. * 290); };
        t("lanes n, 4 vectors, private, keep", gmm_n<10, 25, 4, Private, 1, 0>);
#if LANES == 8
        t("lanes n, 5 vectors, horizontal, keep", gmm_n<10, 25, 5, Horizontal, 1, 0>);
#endif
    }
    if (only("gmm")) {
        auto p = rd("w5_2_5");
        std::vector<double> g(p.size());
        double v = g5<2, 5>(p.data(), G2X, WC2, g.data());
        auto t = [&](const char *n, auto f) { line("w5_2_5", n, g, v, p.size(), [&](double *o) { return f(p.data(), G2X, WC2, o); }); };
        t("lanes n, 2 vectors, private, keep", gmm_n<2, 5, 2, Private, 1, 0>);
#if LANES == 8
        t("lanes n, 1 vector, horizontal, keep", gmm_n<2, 5, 1, Horizontal, 1, 0>);
        t("lanes n, 4 vectors, private, keep", gmm_n<2, 5, 4, Private, 1, 0>);
        t("lanes n, 8 vectors, horizontal, keep", gmm_n<2, 5, 8, Horizontal, 1, 0>);
#endif
    }
    auto file = [&](const char *w, const char *f, double (*hand)(const double *, double *), auto... variants) {
        auto p = rd(f);
        std::vector<double> g(p.size());
        double v = hand(p.data(), g.data());
        auto one = [&](auto n) { line(w, n.first, g, v, p.size(), [&](double *o) { return n.second(p.data(), o); }); };
        (one(variants), ...);
    };
    auto is = [](const char *n, auto f) { return std::make_pair(n, f); };
    if (only("lstm")) file("w7", "w7", g7, is("lanes b", lstm<false>), is("lanes b, lean functions", lstm<true>));
#if LANES >= 4
    if (only("rosenbrock")) file("w2", "w2", g2, is("one pass", rosenbrock));
    if (only("helmholtz")) file("w3", "w3", g3, is("Ax and xA in one pass", helmholtz<Fused>), is("two passes", helmholtz<Two>), is("A symmetric", helmholtz<Symmetric>));
    if (only("cquad")) {
        alignas(64) static double room[8192 + 2], *A = room, *B = room + 2;
        auto put = [](double *to) { for (int i = 0; i < 4096; i++) to[2 * i] = W9Ar[i], to[2 * i + 1] = W9Ai[i]; };
        put(A), file("w9", "w9", g9, is("a row's adjoint after the row, interleaved", [](const double *p, double *g) { return cquad(p, A, g); }));
        put(B), file("w9", "w9", g9, is("the same, rows at 16 bytes past a line", [](const double *p, double *g) { return cquad(p, B, g); }));
    }
#endif
    if (only("scalar15")) {
        auto p = rd("w1");
        std::vector<double> X(30000), F(10000), want(30000);
        for (int i = 0; i < 10000; i++) for (int k = 0; k < 3; k++) X[k * 10000 + i] = p[k] * (k == 0 && i ? 1 + 1e-7 * i : 1);
        g1b(X.data(), F.data(), want.data());
        line("w1", "lanes over items", want, F[0], 30000, [&](double *o) { scalar15_batch(X.data(), F.data(), o); return F[0]; }, 1e4);
        volatile double sink = least([&] { g1b(X.data(), F.data(), want.data()); }) / 1e4;
        report(PEER " batch", "w1", 0, sink, 0, F[0], want.data(), 30000, "hand.cpp, per item");
    }
    if (only("ba")) {
        auto p = rd("w6");
        std::vector<double> O(20000), J(300000), X(150000), Ft(20000), cols(300000);
        for (int i = 0; i < 10000; i++) g6(&p[15 * i], &W6F[2 * i], &O[2 * i], &J[30 * i]);
        double v = O[0] + O[1];
        auto t = [&](const char *n, auto f) { line("w6", n, J, v, 300000, [&](double *o) { f(p.data(), W6F.data(), O.data(), o, 10000); return O[0] + O[1]; }, 1e4, 330); };
        t("hand.cpp", [](const double *p, const double *F, double *O, double *J, int n) { for (int i = 0; i < n; i++) g6(p + 15 * i, F + 2 * i, O + 2 * i, J + 30 * i); });
#if LANES == 8
        t("gathers, scatters", ba_rows<Gather, Gather>), t("gathers, transposed stores", ba_rows<Gather, Transpose>), t("transposed loads and stores", ba_rows<Transpose, Transpose>);
#elif LANES == 4
        t("transposed loads and stores", ba_rows);
#endif
        for (int i = 0; i < 10000; i++) {
            for (int k = 0; k < 15; k++) X[k * 10000 + i] = p[15 * i + k];
            for (int k = 0; k < 2; k++) Ft[k * 10000 + i] = W6F[2 * i + k];
            for (int k = 0; k < 30; k++) cols[k * 10000 + i] = J[30 * i + k];
        }
        line("w6", "columns", cols, v, 300000, [&](double *o) { ba_columns(X.data(), Ft.data(), O.data(), o, 10000); return O[0] + O[10000]; }, 1e4, 330);
#if LANES == 8
        // 640 observations again and again: all in the second-level cache
        auto c = [&](const char *n, auto f) { line("w6", n, std::vector<double>(J.begin(), J.begin() + 19200), v, 19200, [&](double *o) { f(p.data(), W6F.data(), O.data(), o, 640); return O[0] + O[1]; }, 640, 330); };
        c("640 in cache: gathers, scatters", ba_rows<Gather, Gather>), c("640 in cache: gathers, transposed stores", ba_rows<Gather, Transpose>), c("640 in cache: transposed loads and stores", ba_rows<Transpose, Transpose>);
#endif
    }
    if (only("kmeans")) {
        auto P = rd("kmeans");
        std::vector<double> Z(P.end() - 80, P.end()), g(80);
        double v = kmeans_plain(P.data(), Z.data(), 1000, 10, g.data());
        auto t = [&](const char *n, auto f) { line("kmeans", n, g, v, 80, [&](double *o) { return f(P.data(), Z.data(), 1000, 10, o); }); };
        t("plain C++", kmeans_plain), t("lanes n, masked, per lane", kmeans<Masked>);
#if LANES == 8
        t("lanes n, adjoint with lanes c", kmeans<Rows>);
#endif
    }
    if (only("llsq")) for (int n : {256}) {
        auto x = rd("llsq");
        std::vector<double> g(128);
        double v = llsq_plain(x.data(), n, g.data());
        std::string w = "llsq " + std::to_string(n);
        auto t = [&](const char *k, auto f) { line(w.c_str(), k, g, v, 128, [&](double *o) { return f(x.data(), n, o); }, 1, 128. * n * 4); };
        t("plain C++", llsq_plain), t("lanes n, 1 vector", llsq<1>), t("lanes n, 2 vectors", llsq<2>), t("lanes n, 4 vectors", llsq<4>), t("lanes n, 8 vectors", llsq<8>);
        t("lanes n, 2 vectors, chains cut in 4", llsq_cut<2, 4>), t("lanes n, 4 vectors, cut in 2", llsq_cut<4, 2>);
    }
    return bad != 0;
#endif
}
