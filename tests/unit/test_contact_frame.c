/* Contact as it is described to a bake. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"

TEST(bodies_and_colliders_keep_what_is_said_of_contact_in_metres) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(1, 1, 1, 10));
    scene.desc.metres_per_unit = 0.01;
    scene.desc.collider_count = 1;
    scene.body.collides = 0;
    scene.body.self_contact = 1;
    scene.body.friction = 0.25;
    scene.body.contact_thickness = 2;
    scene.body.ignore_groups = UINT64_C(1) << 63;
    scene.collider.ignore_groups = 6;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    const Body *body = &bake->model.bodies[0];
    CHECK(!body->collides && body->self_contact && body->friction == 0.25);
    CHECK(body->contact_thickness == 0.02 && body->ignore_groups == UINT64_C(1) << 63);
    CHECK(bake->model.colliders[0].ignore_groups == 6);
    jn_bake_end(bake, NULL);

    /* and what is left to the core */
    jn_body_init(&scene.body, sizeof scene.body);
    scene.body.tets = tet_box_view(&scene.box);
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    body = &bake->model.bodies[0];
    CHECK(body->collides && !body->self_contact && isnan(body->friction) && isnan(body->contact_thickness));
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
