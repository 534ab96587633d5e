/* The forces of a set along its expected way through the large step, where they are not linear: a part that turns or
   stretches much in the step would be pulled back by forces that are linear around its start. The way is found by small
   steps with the border at its expected velocities, each with one iteration of Newton's method for backward Euler from
   free flight, with the region's matrix of the step's start:

       (M + h D + h^2 K)_SS (v_r - v_(r-1)) = h f(x, v),   x = q_(r-1) + h v,   v = v_(r-1) inside, given outside.

   Around x and v forces are f(x, v) - K (q - x) - D (w - v), so that the f_r of fast_region.h are f(x, v) + K (x - q_0)
   + D v: with them its small steps repeat this way where the border is as expected, and answer linearly where it is
   not. Linear forces are their own linearization. */
#include "region/regional_internal.h"

#include <math.h>
#include <string.h>

/* Everything at the start of the large step, and the expected velocities of the border. */
static void begin_way(const Regional *regional, FastPart *part) {
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    memset(part->moved, 0, n * sizeof(double));
    for (size_t i = 0; i < n; ++i) {
        size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
        part->velocities[i] =
            set->kinds[i / 3] == FAST_INSIDE ? regional->start_velocity[at] : regional->slow_velocity[at];
    }
}

/* Free flight through small step r: part->moved becomes x - q_0; regional->fast_positions and fast_velocities x and v.
 */
static void fly(Regional *regional, FastPart *part, uint32_t r) {
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    regional_find_held(regional, part, r);
    for (size_t i = 0; i < n; ++i) {
        size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
        if (set->kinds[i / 3] == FAST_HELD)
            part->velocities[i] = part->held[(r - 1) * n + i];
        else
            part->moved[i] += part->region->h * part->velocities[i];
        regional->fast_positions[at] = regional->start[at] + part->moved[i];
        regional->fast_velocities[at] = part->velocities[i];
    }
}

/* f_r, from the forces in regional->force where it has moved so far, so fast. */
static void find_linear_forces(const Regional *regional, const FastRegion *region, const double *moved,
                               const double *velocities, double *forces) {
    size_t n = 3 * (size_t)region->set->vertex_count;
    block_matrix_multiply(&region->stiffness, moved, forces);
    if (region->damped) {
        block_matrix_multiply(&region->damping, velocities, region->product);
        for (size_t i = 0; i < n; ++i)
            forces[i] += region->product[i];
    }
    for (size_t i = 0; i < n; ++i)
        forces[i] += regional->force[3 * (size_t)region->set->vertices[i / 3] + i % 3];
}

JnStatus regional_follow(Regional *regional, FastPart *part, JnMessage *message) {
    FastRegion *region = part->region;
    const FastSet *set = region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    JnStatus status = JN_OK;
    memcpy(regional->fast_positions, regional->start, regional->count * sizeof(double));
    memcpy(regional->fast_velocities, regional->start_velocity, regional->count * sizeof(double));
    begin_way(regional, part);
    memset(region->sums, 0, n * sizeof(double));
    memset(part->impulse, 0, n * sizeof(double));
    for (uint32_t r = 1; status == JN_OK && r <= set->ratio; ++r) {
        for (size_t i = 0; i < n; ++i)
            region->sums[i] += part->moved[i];
        regional_set_small_time(regional, part, r);
        fly(regional, part, r);
        status = view_force(part->view, ALL_BUT_CONTACT, regional->fast_positions, regional->fast_velocities,
                            regional->force, message);
        if (status != JN_OK)
            return status;
        find_linear_forces(regional, region, part->moved, part->velocities, part->forces + (r - 1) * n);
        for (size_t i = 0; i < n; ++i)
            region->right[i] = region->h * regional->force[3 * (size_t)set->vertices[i / 3] + i % 3];
        status = solver_solve(region->solver, region->right, region->solved, 1, message);
        for (size_t i = 0; status == JN_OK && i < n; ++i) {
            if (set->kinds[i / 3] == FAST_INSIDE) {
                part->velocities[i] += region->solved[i];
                part->moved[i] += region->h * region->solved[i];
            } else if (set->kinds[i / 3] == FAST_BORDER)
                part->impulse[i] += region->h * part->forces[(r - 1) * n + i];
        }
        if (part->way)
            memcpy(part->way + (r - 1) * n, part->velocities, n * sizeof(double));
    }
    part->squares = 0;
    fast_region_find_impulse(region, region->sums, part->moved, part->impulse, &part->squares);
    part->followed = true;
    return status;
}

/* The length of a difference of forces inside the set and on its border, N; a becomes b. */
static double replace_forces(size_t n, double *a, const double *b) {
    double square = 0;
    for (size_t i = 0; i < n; ++i) {
        square += (b[i] - a[i]) * (b[i] - a[i]);
        a[i] = b[i];
    }
    return sqrt(square);
}

JnStatus regional_follow_again(Regional *regional, FastPart *part, JnMessage *message) {
    FastRegion *region = part->region;
    const FastSet *set = region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    double *moved = region->sums, most = 0; /* which only a run needs */
    ForceBalance balance = {0};
    JnStatus status = JN_OK;
    memset(moved, 0, n * sizeof(double));
    for (uint32_t r = 1; status == JN_OK && r <= set->ratio; ++r) {
        const double *velocities = part->way + (r - 1) * n;
        for (size_t i = 0; i < n; ++i) {
            size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
            moved[i] += region->h * velocities[i];
            regional->fast_positions[at] = regional->start[at] + moved[i];
            regional->fast_velocities[at] = velocities[i];
        }
        regional_set_small_time(regional, part, r);
        status = r == set->ratio ? view_force_balance(part->view, regional->fast_positions, regional->fast_velocities,
                                                      regional->force, regional->scratch, &balance, message)
                                 : view_force(part->view, ALL_BUT_CONTACT, regional->fast_positions,
                                              regional->fast_velocities, regional->force, message);
        find_linear_forces(regional, region, moved, velocities, region->right);
        most = fmax(most, replace_forces(n, part->forces + (r - 1) * n, region->right));
    }
    part->way_off = most > 0 ? most / balance.magnitude : 0;
    return status;
}
