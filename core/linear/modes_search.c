/* The search by ARPACK: Lanczos on (K - shift M)^-1 M, whose largest eigenvalues 1 / (lambda - shift) belong to the
   lowest lambda, in the complement of the modes already known. */
#include "linear/modes_parts.h"

#include "base/os/os.h"
#include "base/status.h"
#include "linear/cholmod_guard.h"

#include <arpack.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double modes_noise(uint64_t index) {
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
}

/* Of a tolerance that rounding asks for: a mode is still as exact as anybody needs it. */
static const double COARSEST = 1e-8;
enum { LEAST_LANCZOS = 20, MOST_RESTARTS = 300, ATTEMPTS = 3 };

/* To which a Lanczos vector can be found: solves lose as many digits as the lowest eigenvalues are below the largest
   one, and a search for more never ends. Rigid motions, which are known, do not count: what solves lose in them is
   projected out. That of an eigenvalue is its square. */
static double tolerance(const Pencil *pencil) {
    double rounding = DBL_EPSILON * pencil->largest / fmax(fmax(fabs(pencil->shift), pencil->lowest), DBL_MIN);
    return fmax(pencil->problem->precision, fmin(rounding, COARSEST));
}

/* One run's arrays, as ARPACK names them. */
typedef struct Run {
    a_int n, nev, ncv, lworkl, info;
    a_int iparam[11], ipntr[14];
    a_int *select;
    double *resid, *v, *workd, *workl, *d;
} Run;

static void run_free(Run *run) {
    void *arrays[] = {run->select, run->resid, run->v, run->workd, run->workl, run->d};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
}

static JnStatus run_allocate(const Pencil *pencil, uint32_t nev, uint32_t ncv, Run *run, JnMessage *message) {
    size_t n = pencil->size, m = ncv;
    *run = (Run){.n = (a_int)n, .nev = (a_int)nev, .ncv = (a_int)ncv, .lworkl = (a_int)(m * (m + 8))};
    run->iparam[0] = 1;             /* exact shifts */
    run->iparam[2] = MOST_RESTARTS; /* becomes the number taken */
    run->iparam[3] = 1;
    run->iparam[6] = 3; /* shift and invert */
    if (n * 3 > INT_MAX || m > 40000)
        return status_no_memory(message, "that many modes");
    run->select = calloc(m, sizeof *run->select);
    run->resid = malloc((n + 1) * sizeof(double));
    run->v = malloc((n * m + 1) * sizeof(double));
    run->workd = calloc(3 * n + 1, sizeof(double));
    run->workl = calloc((size_t)run->lworkl, sizeof(double));
    run->d = calloc(m, sizeof(double));
    if (!run->select || !run->resid || !run->v || !run->workd || !run->workl || !run->d)
        return status_no_memory(message, "the search for modes");
    return JN_OK;
}

/* y = (K - shift M)^-1 mass_x in the complement of the basis. */
static JnStatus apply_operator(Pencil *pencil, const Basis *basis, const double *mass_x, double *y,
                               JnMessage *message) {
    JnStatus status = pencil_solve(pencil, mass_x, y, message);
    if (status == JN_OK)
        basis_project_out(basis, y);
    return status;
}

/* Serves ARPACK's reverse communication until it has its Lanczos vectors. */
static JnStatus iterate(Pencil *pencil, const Basis *basis, Run *run, JnMessage *message) {
    JnStatus status = JN_OK;
    a_int ido = 0;
    for (size_t i = 0; i < pencil->size; ++i)
        run->resid[i] =
            pencil_is_fixed(pencil, i / 3) ? 0 : modes_noise(i + (basis->count + (size_t)run->ncv) * pencil->size);
    basis_project_out(basis, run->resid);
    run->info = 1; /* resid holds the start vector */
    while (status == JN_OK) {
        CholmodHold hold = cholmod_guard_hold();
        dsaupd_c(&ido, "G", run->n, "LM", run->nev, tolerance(pencil), run->resid, run->ncv, run->v, run->n,
                 run->iparam, run->ipntr, run->workd, run->workl, run->lworkl, &run->info);
        cholmod_guard_release(hold);
        double *x = run->workd + run->ipntr[0] - 1, *y = run->workd + run->ipntr[1] - 1;
        if (ido == -1) {
            pencil_multiply_mass(pencil, x, pencil->scratch);
            status = apply_operator(pencil, basis, pencil->scratch, y, message);
        } else if (ido == 1) {
            status = apply_operator(pencil, basis, run->workd + run->ipntr[2] - 1, y, message);
        } else if (ido == 2) {
            pencil_multiply_mass(pencil, x, y);
        } else {
            break;
        }
    }
    return status;
}

/* Adds the pairs that have converged. ARPACK's own statuses are left in run->info. */
static JnStatus collect(const Pencil *pencil, Run *run, Basis *basis, uint32_t *added_count, JnMessage *message) {
    a_int converged = run->iparam[4];
    *added_count = 0;
    if (run->info < 0 || converged <= 0)
        return JN_OK;
    CholmodHold hold = cholmod_guard_hold();
    dseupd_c(1, "A", run->select, run->d, run->v, run->n, pencil->shift, "G", run->n, "LM", run->nev, tolerance(pencil),
             run->resid, run->ncv, run->v, run->n, run->iparam, run->ipntr, run->workd, run->workl, run->lworkl,
             &run->info);
    cholmod_guard_release(hold);
    if (run->info != 0)
        return JN_OK;
    converged = run->iparam[4];
    JnStatus status = JN_OK;
    for (a_int k = 0; status == JN_OK && k < converged; ++k) {
        bool added = false;
        status = basis_add(basis, pencil, run->v + (size_t)k * pencil->size, run->d[k], &added, message);
        *added_count += added;
    }
    return status;
}

JnStatus modes_search(Pencil *pencil, uint32_t count, Basis *basis, JnMessage *message) {
    uint32_t left = pencil->unknowns - basis->count, added = 0;
    uint32_t nev = count < left / 2 ? count : left / 2 > 0 ? left / 2 : 1;
    uint32_t ncv = 2 * nev > LEAST_LANCZOS ? 2 * nev : LEAST_LANCZOS;
    a_int info = 0;
    /* ARPACK keeps its state in static variables, shared by the whole process */
    os_library_lock();
    JnStatus status = JN_OK;
    for (int attempt = 0; status == JN_OK && added == 0 && attempt < ATTEMPTS; ++attempt, ncv *= 2) {
        Run run;
        ncv = ncv < left ? ncv : left;
        status = run_allocate(pencil, nev, ncv, &run, message);
        if (status == JN_OK)
            status = iterate(pencil, basis, &run, message);
        if (status == JN_OK)
            status = collect(pencil, &run, basis, &added, message);
        info = run.info;
        run_free(&run);
    }
    os_library_unlock();
    if (status == JN_OK && added == 0)
        return status_fail(
            message, JN_ERR_DIVERGED,
            "the search for modes found none beyond the first %u (ARPACK status %d): request fewer, or look "
            "for parts whose stiffness or density differ by many orders of magnitude",
            basis->count, (int)info);
    return status;
}
