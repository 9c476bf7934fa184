#!/usr/bin/env python3
"""Fits the polynomials of lib/Conversion/Math/VectorMath*.cpp and prints them.

Each is a weighted minimax fit with coefficients that are f32: the coefficient of the lowest
power is rounded, and the rest is fitted again to what is left, so that the rounding of the
coefficients that matter most is made up for by those that matter less.
"""

import math
import re

import numpy as np

POINTS = 4001
REFINEMENTS = 400


def chebyshev_points(low, high):
    nodes = np.cos(np.linspace(0, math.pi, POINTS))
    return (low + high) / 2 + (high - low) / 2 * nodes


def minimax(basis, target):
    """Coefficients of least maximal |basis @ c - target| (Lawson's reweighting)."""
    weights = np.ones(len(target))
    best, best_error = None, np.inf
    for _ in range(REFINEMENTS):
        root = np.sqrt(weights)
        c = np.linalg.lstsq(basis * root[:, None], target * root, rcond=None)[0]
        error = np.abs(basis @ c - target)
        if error.max() < best_error:
            best, best_error = c, error.max()
        weights *= error / error.max() + 1e-3
        weights /= weights.mean()
    return best


def fit(function, weight, powers, low, high):
    """f32 coefficients c of sum c[i] * x^powers[i] and the largest weighted error."""
    x = chebyshev_points(low, high)
    x = x[np.abs(x) > 1e-4 * (high - low)].astype(np.longdouble)
    w = weight(x)
    rest = function(x)
    scale = max(abs(low), abs(high))
    rounded = []
    for index in range(len(powers)):
        basis = np.stack([((x / scale) ** p * w) for p in powers[index:]], axis=1)
        c = minimax(basis.astype(float), (rest * w).astype(float))
        value = np.float32(c[0] / scale ** powers[index])
        rounded.append(value)
        rest = rest - np.longdouble(value) * x ** powers[index]
    return rounded, float(np.abs(rest * w).max())


def erf(x):
    return np.array([math.erf(float(v)) for v in x], dtype=np.longdouble)


def erfc(x):
    return np.array([math.erfc(float(v)) for v in x], dtype=np.longdouble)


HALF_LOG2 = math.log(2) / 2 * 1.01
MANTISSA = math.sqrt(0.5) - 1, math.sqrt(2) - 1
REDUCED = 0.82  # pi/4 and the error of the quotient at the largest argument
TANH_CUT = 0.6
ERF_CUT, ERF_END = 0.92, 4.0


FITS = {
    # exp(x) = 1 + x + x^2 * P(x)
    "exp": (lambda x: (np.expm1(x) - x) / x**2, lambda x: x**2 / np.exp(x),
            range(5), -HALF_LOG2, HALF_LOG2),
    # 2^x = 1 + x * P(x)
    "exp2": (lambda x: np.expm1(x * np.log(np.longdouble(2))) / x, lambda x: x / np.exp2(x),
             range(6), -0.505, 0.505),
    # log(1 + x) = x - x^2/2 + x^3 * P(x)
    "log": (lambda x: (np.log1p(x) - x + x**2 / 2) / x**3, lambda x: x**3 / np.log1p(x),
            range(9), *MANTISSA),
    # log2(1 + x) = x + x * P(x)
    "log2": (lambda x: np.log1p(x) / np.log(np.longdouble(2)) / x - 1,
             lambda x: x / np.log1p(x), range(10), *MANTISSA),
    # sin(x) = x + x^3 * P(x^2)
    "sin": (lambda z: (np.sin(np.sqrt(z)) / np.sqrt(z) - 1) / z,
            lambda z: z / (np.sin(np.sqrt(z)) / np.sqrt(z)), range(3), 1e-6, REDUCED**2),
    # cos(x) = 1 - x^2/2 + x^4 * P(x^2)
    "cos": (lambda z: (np.cos(np.sqrt(z)) - 1 + z / 2) / z**2,
            lambda z: z**2 / np.cos(np.sqrt(z)), range(3), 1e-6, REDUCED**2),
    # tanh(x) = x + x^3 * P(x^2) below TANH_CUT, else 1 - u * P(u) with u = exp(-2x)
    "tanh, small": (lambda z: (np.tanh(np.sqrt(z)) / np.sqrt(z) - 1) / z,
                    lambda z: z / (np.tanh(np.sqrt(z)) / np.sqrt(z)),
                    range(5), 1e-6, TANH_CUT**2),
    "tanh, large": (lambda u: 2 / (1 + u), lambda u: u * (1 + u) / (1 - u),
                    range(7), 0, math.exp(-2 * TANH_CUT)),
    # erf(x) = x + x * P(x^2) below ERF_CUT, else 1 - exp(P(x))
    "erf, small": (lambda z: erf(np.sqrt(z)) / np.sqrt(z) - 1,
                   lambda z: np.sqrt(z) / erf(np.sqrt(z)), range(7), 1e-6, ERF_CUT**2),
    "erf, large": (lambda x: np.log(erfc(x)), lambda x: erfc(x) / erf(x),
                   range(7), ERF_CUT, ERF_END),
}


def main():
    for name, (function, weight, powers, low, high) in FITS.items():
        coefficients, error = fit(function, weight, list(powers), low, high)
        print(f"{name}: relative error 2^{math.log2(error):.1f} on [{low:.4f}, {high:.4f}]")
        literals = (re.sub(r"0+p", "p", float(c).hex()).replace(".p", "p") for c in coefficients)
        print("    {" + ", ".join(literals) + "}")


if __name__ == "__main__":
    main()
