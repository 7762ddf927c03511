#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the numbers that src/spatial and its tests need, from high-precision arithmetic.

  src/spatial/so3_coeffs.h   polynomial coefficients of the dexp and dlog functions
  tests/spatial/tables.h     reference values of exp, dexp, dlog and of the scalar functions

Usage: scripts/spatial_tables.py [--check]    from the top of the source tree; needs mpmath.
--check writes nothing and fails when a file differs from what would be written.

The references share no formula with the library: exp and dexp are plain power series of matrices,
dlog is the inverse of the 6 x 6 matrix dexp. Inputs are doubles, and references are computed from
exactly these doubles, then rounded once. The output is the same on every run.
"""

import random
import sys

from mpmath import cos, cot, factorial, inverse, log10, matrix, mp, mpf, pi, sin, sqrt, zeta

NPOLE = 2  # poles of dlog's coefficient taken out before the rest is expanded
NDLOG = 14  # terms that leave less than 1e-17 of c, c', c'' for 0 <= s < 4 pi^2
NDEXP = 15  # terms that leave less than 1e-17 of g, g', b' for 0 <= s <= pi^2

ANGLES = """0 1e-300 1e-162 1e-155 1e-150 1e-100 1e-50 1e-16 1e-12 1e-10 1e-8 1e-6 1e-5 1e-4 1e-3
1e-2 0.05 0.1 0.2 0.2499 0.2501 0.3 0.5 0.7 1 1.2 1.4 1.5707963267948966 1.8 2 2.2 2.5 2.8 3 3.1
3.14 3.1415 3.14159265 3.141592653589 3.141592653589793 3.1416 3.2 3.6 4.2 5 5.8 6.2""".split()


def number(x):
    """x rounded once to double, in the shortest decimal that reads back the same."""
    return repr(float(x))


def rows(values, indent):
    """Values as comma-separated lines of at most 100 columns."""
    lines, line = [], indent
    for text in [number(x) + "," for x in values]:
        if len(line) + len(text) > 100:
            lines.append(line.rstrip())
            line = indent
        line += text + " "
    return "\n".join(lines + [line.rstrip()])


def array(name, comment, values):
    head = f"\n// {comment}\nstatic const double {name}[{len(values)}] = {{\n"
    return head + rows(values, "    ") + "\n};\n"


def derivative(k):
    return [i * k[i] for i in range(1, len(k))]


def coefficients():
    mp.dps = 60
    rest = []
    for k in range(NDLOG):
        removed = sum(mpf(j) ** -(2 * k + 2) for j in range(1, NPOLE + 1))
        rest.append(2 * (zeta(2 * k + 2) - removed) / (4 * pi**2) ** (k + 1))
    text = "/* SPDX-License-Identifier: Apache-2.0\n"
    text += " * spatial/so3_coeffs.h - written by scripts/spatial_tables.py; do not edit. */\n"
    text += "#pragma once\n// clang-format off\n"
    for j in range(1, NPOLE + 1):
        pole = 4 * pi**2 * j * j
        text += f"\n// {4 * j * j} pi^2 as a sum of two doubles\n"
        text += f"#define CARDAN__POLE{j}_HI {number(pole)}\n"
        text += f"#define CARDAN__POLE{j}_LO {number(pole - mpf(float(pole)))}\n"
    odd = [mpf(-1) ** k / factorial(2 * k + 3) for k in range(NDEXP)]
    even = [mpf(-1) ** k / factorial(2 * k + 2) for k in range(NDEXP)]
    text += array("dlog_rest", "c(s) without its two nearest poles, coefficient of s^k", rest)
    text += array("dlog_rest_s", "its first derivative", derivative(rest))
    text += array("dlog_rest_ss", "its second derivative", derivative(derivative(rest)))
    text += array("dexp_b", "b(s) = (1 - cos t) / t^2", even)
    text += array("dexp_b_s", "db/ds", derivative(even))
    text += array("dexp_g", "g(s) = (t - sin t) / t^3", odd)
    text += array("dexp_g_s", "dg/ds", derivative(odd))
    return text


def scalars(t):
    """s, b, g, b', g', c, c', c'' at s = t^2 rounded to double; derivatives are with respect to s."""
    s = mpf(float(mpf(t) ** 2))
    if s == 0:
        one = mpf(1)
        return [0, one / 2, one / 6, -one / 24, -one / 120, one / 12, one / 720, one / 15120]
    mp.dps = 60 + max(0, int(-5 * log10(s)))
    r = sqrt(s)
    b, g = (1 - cos(r)) / s, (r - sin(r)) / (s * r)
    b_s = (sin(r) / r - 2 * b) / (2 * s)
    g_s = (b - 3 * g) / (2 * s)
    al = r / 2 * cot(r / 2)
    be = (r / 2) ** 2 / sin(r / 2) ** 2
    al_s, be_s = (al - be) / (2 * s), be * (1 - al) / s
    c = (1 - al) / s
    c_s = (be + al - 2) / (2 * s * s)
    c_ss = (be_s + al_s) / (2 * s * s) - (be + al - 2) / s**3
    return [s, b, g, b_s, g_s, c, c_s, c_ss]


def skew(a):
    return matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def dexp_series(A):
    """sum of A^j / (j + 1)!"""
    term = mp.eye(A.rows)
    total = term
    j = 0
    while j < 400 and mp.mnorm(term, "inf") > mpf(10) ** -mp.dps:
        j += 1
        term = term * A / (j + 1)
        total += term
    return total


def exp_series(A):
    """sum of A^j / j!"""
    return mp.eye(A.rows) + A * dexp_series(A)


def block(M, i0, j0, rows_=3, cols=3):
    return [M[i0 + i, j0 + j] for i in range(rows_) for j in range(cols)]


def group_case(t, rng):
    """w, v, R, p, dexp and dlog: the 3 x 3 block of SO(3) and the lower left block of SE(3)."""
    t = float(t)
    axis = [rng.gauss(0, 1) for _ in range(3)]
    length = sum(a * a for a in axis) ** 0.5
    w = [t * (a / length) for a in axis]
    v = [rng.uniform(-1, 1) for _ in range(3)]
    mp.dps = 60 if t == 0 else 60 + max(0, int(-2 * log10(mpf(t))))
    W, V = skew([mpf(a) for a in w]), skew([mpf(a) for a in v])
    ad = mp.zeros(6)
    hom = mp.zeros(4)
    for i in range(3):
        hom[i, 3] = mpf(v[i])
        for j in range(3):
            ad[i, j] = ad[i + 3, j + 3] = hom[i, j] = W[i, j]
            ad[i + 3, j] = V[i, j]
    T = exp_series(hom)
    D = dexp_series(ad)
    L = inverse(D)
    return (w + v + block(T, 0, 0) + block(T, 0, 3, 3, 1) + block(D, 0, 0) + block(D, 3, 0)
            + block(L, 0, 0) + block(L, 3, 0))


def table(name, comment, cases):
    head = f"\n// {comment}\nstatic const double {name}[{len(cases)}][{len(cases[0])}] = {{\n"
    body = ""
    for case in cases:
        body += "    {" + rows(case, "     ").strip().rstrip(",") + "},\n"
    return head + body + "};\n"


def tables():
    rng = random.Random(1)
    text = "/* SPDX-License-Identifier: Apache-2.0\n"
    text += " * Reference values, written by scripts/spatial_tables.py; do not edit. */\n"
    text += "#pragma once\n// clang-format off\n"
    large = [t for t in ANGLES if float(t) == 0 or float(t) ** 2 > 0]
    text += table("table_scalar", "s, b, g, db/ds, dg/ds, c, dc/ds, d2c/ds2",
                  [scalars(t) for t in large])
    text += table("table_group", "w 3, v 3, R 9, p 3; dexp: ww 9, vw 9; dlog: ww 9, vw 9",
                  [group_case(t, rng) for t in ANGLES])
    return text


def main():
    same = True
    for path, make in (("src/spatial/so3_coeffs.h", coefficients),
                       ("tests/spatial/tables.h", tables)):
        text = make()
        if "--check" in sys.argv[1:]:
            with open(path, encoding="ascii") as file:
                if file.read() != text:
                    print(f"{path} is not what scripts/spatial_tables.py writes")
                    same = False
        else:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
