"""Writes phi_references.h: combinations of phi functions of small systems, computed with 60 digits, that
test_phi_combination.c compares with. `python3 tests/unit/phi_references.py` needs mpmath."""
import os
import random

from mpmath import expm, matrix, mp, mpf, nstr

mp.dps = 60
N, TERMS = 6, 4


def chain(stiffnesses, wall):
    """Springs between neighbours in a row, the first one to a wall."""
    K = [[0.0] * N for _ in range(N)]
    for i, k in enumerate(stiffnesses):
        K[i][i] += k if i > 0 or wall else 0.0
        if i > 0:
            K[i - 1][i - 1] += k
            K[i][i - 1] -= k
            K[i - 1][i] -= k
    return K


def scaled(A, factor):
    return [[factor * x for x in row] for row in A]


def combined(K, D, M, v, g, t):
    """(x, y) at t of x' = y + v, y' = -M^-1 (K x + D y) + sum of t^k / k! g_k, from the exponential of one matrix."""
    m = 2 * N + TERMS
    A = matrix(m, m)
    for i in range(N):
        A[i, N + i] = 1
        A[i, 2 * N] = mpf(v[i])
        for j in range(N):
            A[N + i, j] = -mpf(K[i][j]) / mpf(M[i])
            A[N + i, N + j] = -mpf(D[i][j]) / mpf(M[i]) if D else 0
        for k in range(TERMS):
            A[N + i, 2 * N + k] = mpf(g[k][i])
    for k in range(1, TERMS):
        A[2 * N + k, 2 * N + k - 1] = 1
    E = expm(A * mpf(t), method="pade")
    return [E[i, 2 * N] for i in range(N)], [E[N + i, 2 * N] for i in range(N)]


def numbers(values):
    return "{" + ", ".join(nstr(mpf(x), 17, min_fixed=1, max_fixed=0) for x in values) + "}"


def main():
    rng = random.Random(7)
    soft = [1.0, 2.0, 1.5, 1.0, 3.0, 1.0]
    cases = []

    def add(name, K, D, times):
        M = [rng.choice([0.5, 1.0, 2.0]) for _ in range(N)]
        v = [rng.randint(-8, 8) / 8 for _ in range(N)]
        g = [[rng.randint(-8, 8) / 8 for _ in range(N)] for _ in range(TERMS)]
        cases.append((name, K, D, M, v, g, times))

    for power in (0, 2, 4, 6, 8, 10):
        # the highest frequency is about 1000 / (the longest time)
        stiff = [10.0 ** power if i % 2 else k for i, k in enumerate(soft)]
        longest = 1000 / (2 * 10 ** (power / 2.0)) if power > 4 else 2.0
        add("stiffness ratio 1e%d" % power, chain(stiff, True), None, [longest / 8, longest])
    add("free, with a rigid motion", chain(soft, False), None, [0.3, 3.0])
    add("nearly singular", chain([1e-12] + soft[1:], True), None, [0.3, 3.0])
    add("no stiffness at all", scaled(chain(soft, True), 0.0), None, [0.25, 2.0])
    add("indefinite", chain([-0.5] + soft[1:4] + [-1.0, 1.0], True), None, [0.3, 2.0])
    add("damped by stiffness", chain(soft, True), scaled(chain(soft, True), 0.1), [0.3, 3.0])
    add("damped elsewhere", chain(soft, True), chain([0.0, 3.0, 0.0, 0.0, 0.5, 0.0], True), [0.3, 3.0])
    stiff = [10.0 ** 6 if i % 2 else k for i, k in enumerate(soft)]
    add("stiff, overdamped", chain(stiff, True), scaled(chain(stiff, True), 0.01), [0.05, 0.4])
    add("damped, indefinite", chain([-0.5] + soft[1:], True), scaled(chain(soft, True), 0.2), [0.3, 2.0])

    lines = ["/* Written by phi_references.py: combinations of phi functions of small systems, computed with 60 digits. */",
             "#ifndef JN_TESTS_PHI_REFERENCES_H", "#define JN_TESTS_PHI_REFERENCES_H", "",
             "/* clang-format off */", "enum { REFERENCE_SIZE = %d, REFERENCE_TERMS = %d };" % (N, TERMS), "",
             "static const struct {", "    const char *name;", "    int damped;",
             "    double masses[6], stiffness[36], damping[36], velocity[6], forcing[4][6], times[2], x[2][6], y[2][6];",
             "} references[] = {"]
    for name, K, D, M, v, g, times in cases:
        results = [combined(K, D, M, v, g, t) for t in times]
        flat = [x for row in K for x in row]
        damping = [x for row in D for x in row] if D else [0]
        lines.append('    {"%s", %d,' % (name, 1 if D else 0))
        for values in (M, flat, damping, v):
            lines.append("     %s," % numbers(values))
        lines.append("     {%s}," % ",\n      ".join(numbers(row) for row in g))
        lines.append("     %s," % numbers(times))
        for which in (0, 1):
            lines.append("     {%s}%s" % (",\n      ".join(numbers(r[which]) for r in results), "," if which == 0 else "},"))
    lines += ["};", "", "#endif", ""]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "phi_references.h")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    main()
