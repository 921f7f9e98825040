/**
 * The value that Student's t with `df` degrees of freedom, whole or not, stays below with
 * probability `p`, for p from 0.5 to 1. Newton's method on the upper tail, which is convex there,
 * climbs from 0 to the value and stops where rounding would let it pass.
 */
export function quantile(p: number, df: number): number {
  const scale = gammaRatio(df / 2) / Math.sqrt(Math.PI * df)
  let t = 0
  for (;;) {
    const density = scale * Math.exp((-(df + 1) / 2) * Math.log1p((t * t) / df))
    const step = (upperTail(t, df, density) - (1 - p)) / density
    t += step
    if (!(step > 1e-12 * t)) return t
  }
}

/**
 * The probability of a value above t. The incomplete beta function at df / (df + t²), or at the
 * rest to 1, by the series of DLMF 8.17.8 (https://dlmf.nist.gov/8.17): of the two the one whose
 * terms shrink at least by half in the end.
 */
function upperTail(t: number, df: number, density: number): number {
  const square = t * t
  const all = df + square
  return square < df
    ? 0.5 - t * density * betaSeries(0.5, df / 2, square / all)
    : ((t * density) / df) * betaSeries(df / 2, 0.5, df / all)
}

/** The hypergeometric function F(a + b, 1; a + 1; x) of that series. */
function betaSeries(a: number, b: number, x: number): number {
  let [total, term] = [1, 1]
  for (let n = 0; term > Number.EPSILON * total; n += 1) {
    term *= ((a + b + n) / (a + 1 + n)) * x
    total += term
  }
  return total
}

/**
 * Γ(x + ½) / Γ(x), by the asymptotic series of DLMF 5.11.14 (https://dlmf.nist.gov/5.11) at the
 * next number above 40, where its first three terms are exact to 16 digits. Subtracting the
 * logarithms of the two instead would lose seven of them at x = 500,000.
 */
function gammaRatio(x: number): number {
  if (x < 40) return (gammaRatio(x + 1) * x) / (x + 0.5)
  const w = x - 0.25
  const v = 1 / w ** 2
  return Math.sqrt(w) * (1 + v * (1 / 64 - v * (19 / 8192 - v * (631 / 524_288))))
}
