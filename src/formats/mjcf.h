/* SPDX-License-Identifier: Apache-2.0
 * formats/mjcf.h - the inside of the MJCF reader, shared by its files.
 *
 *   mjcf.c           the text as a whole: sections, compiler, option
 *   mjcf_include.c   other files in the places that name them
 *   mjcf_attach.c    bodies of other models in the places that name them
 *   mjcf_class.c     attributes of an element, through the defaults of its class
 *   mjcf_pose.c      places and turns in their five spellings
 *   mjcf_tree.c      bodies and what is in them, gathered before anything is built
 *   mjcf_geom.c      sizes, masses and looks of geoms
 *   mjcf_mesh.c      meshes that a mass comes from, or that touch
 *   mjcf_hfield.c    height fields
 *   mjcf_contact.c   which geoms touch, and how
 *   mjcf_inertia.c   inertia of bodies: given, or from geoms; bounds, total mass
 *   mjcf_build.c     bodies and joints into the spec
 *   mjcf_equality.c  constraints
 *   mjcf_tendon.c    lengths as expressions, and what acts along them
 *   mjcf_actuator.c  inputs, and the forces that they make
 *   mjcf_sensor.c    outputs
 *   mjcf_key.c       keyframes
 *
 * A text is gathered first (bodies, joints, geoms, sites in its order), since the total mass and
 * the poses as drawn are of the whole; then it is built. Coordinates are zero as drawn:
 * q = qpos - ref; a free joint's are qpos itself. The first failure marks the spec. */
#pragma once
#include <stdint.h>

#include "base/text.h"
#include "formats/collision.h"
#include "formats/mesh.h"
#include "formats/xml_spec.h"
#include "model/names.h"
#include "spatial/inertia.h"

/* A class of defaults: its <default>. Class 0 is that of elements without one. */
typedef struct {
  const char *name;
  cardan__xml *xml; // NULL: the text has no <default>
  int parent;       // -1: class 0
} cardan__mjcf_class;

/* An element with its class, and what its defaults are called there: "geom", "tendon", .. */
typedef struct {
  cardan__xml *xml;
  const char *kind;
  int class;
} cardan__mjcf_item;

typedef struct {
  cardan__mjcf_item item;
  const char *name;   // NULL: none
  int parent;         // body; -1: the world, which is body 0
  cardan_xform pose;  // in its parent, as drawn
  cardan_xform world; // as drawn
  int joint, njoint;  // its joints stand together, and so do
  int geom, ngeom, site, nsite;
  cardan__xml *given;  // <inertial>, NULL: none
  cardan_xform at;     // of inertial in the body
  double mass;         // [kg]
  cardan_xform center; // frame of the centre of mass in the body, which moment is about
  cardan__sym3 moment; // [kg m^2]
  double lift;         // part of its weight that is carried: gravcomp
  int frame;           // of the spec
  const char *label;   // that frame's name; NULL: it has none
} cardan__mjcf_body;

typedef enum {
  CARDAN__MJCF_FREE,
  CARDAN__MJCF_BALL,
  CARDAN__MJCF_SLIDE,
  CARDAN__MJCF_HINGE
} cardan__mjcf_joint_kind;

typedef struct {
  cardan__mjcf_item item;
  const char *name; // made up where the text has none
  bool named;
  int body;
  cardan__mjcf_joint_kind kind;
  cardan_vec3 pos, axis; // in the body
  double ref;            // qpos as drawn [rad | m]
  double spring;         // q where its spring rests
} cardan__mjcf_joint;

typedef enum {
  CARDAN__MJCF_PLANE,
  CARDAN__MJCF_HFIELD,
  CARDAN__MJCF_SPHERE,
  CARDAN__MJCF_CAPSULE,
  CARDAN__MJCF_ELLIPSOID,
  CARDAN__MJCF_CYLINDER,
  CARDAN__MJCF_BOX,
  CARDAN__MJCF_MESH,
  CARDAN__MJCF_SDF
} cardan__mjcf_geom_kind;

/* How a geom touches others. */
typedef struct {
  bool solid; // it may touch any
  uint32_t type, affinity;
  int dim;            // 1, 3, 4, 6
  double priority;    // the higher one decides
  double friction[3]; // sliding, spinning [m], rolling [m]
} cardan__mjcf_touch;

/* <pair> of geoms, or <exclude> of bodies. */
typedef struct {
  bool pair;
  int of[2]; // the lower one first
  int dim;
  double friction[3];
} cardan__mjcf_couple;

/* Which contacts there are (option collision): by masks and pairs, by masks, by pairs. */
typedef enum { CARDAN__MJCF_BOTH, CARDAN__MJCF_PAIRED, CARDAN__MJCF_MASKED } cardan__mjcf_collision;

typedef struct {
  cardan__mjcf_item item;
  const char *name; // NULL: none
  int body, group;
  cardan__mjcf_geom_kind kind;
  double size[3];    // halves, as the format has them
  cardan_xform pose; // in the body
  cardan__mjcf_touch touch;
  int frame; // of its solid in the spec; 0: it has none
} cardan__mjcf_geom;

typedef struct {
  cardan__mjcf_item item;
  const char *name;
  int body;
  cardan_xform pose;
  const char *label; // of its frame in the spec
} cardan__mjcf_site;

/* A mesh of <asset>, and its inertia at unit density, of the solid and of the shell. */
typedef struct {
  cardan__mjcf_item item;
  const char *name;
  bool read[2];
  cardan_inertia inertia[2];
  bool wrapped;                // its hull was requested
  cardan__mesh_pieces *pieces; // NULL: there are none
} cardan__mjcf_mesh;

/* An actuator as sensors see it: expressions of its length, its rate and its force before the gear;
 * NULL: there is none. */
typedef struct {
  const char *input, *length, *rate, *force;
} cardan__mjcf_act;

/* A length: of a fixed tendon a sum of joints, of a spatial one a way over sites. */
typedef struct {
  cardan__mjcf_item item;
  const char *name;
  bool spatial, wrapped; // wrapped: around geoms, which has no expression here
  int term, nterm;
} cardan__mjcf_tendon;

typedef struct {
  int joint;   // fixed: coef * qpos
  int site[2]; // spatial: coef * their distance
  double coef;
} cardan__mjcf_term;

typedef struct {
  int body, joint, geom, site, mesh, material, tendon, term, class, act, couple;
  int copy; // by <replicate>: what was made, and what was looked at in it
} cardan__mjcf_counts;

typedef struct {
  cardan_spec *spec;
  cardan__xml *root;

  // <compiler>
  bool global; // places and turns are in the world, as older files have them
  bool radian, no_autolimits, balance, fuse, strip_path, exact_mesh;
  int inertia_from; // 0: where a body has no <inertial>, 1: always, 2: never
  double bound_mass, bound_inertia, total_mass;
  int group_range[2];
  char euler[4];
  const char *mesh_dir;

  // <option>
  cardan_vec3 gravity;
  double dt; // [s]
  bool off_limit, off_equality, off_friction, off_spring, off_damper, off_actuation;
  bool off_contact, off_filter;
  cardan__mjcf_collision collision;

  cardan__mjcf_counts n, room; // items, and how many there is room for
  cardan__mjcf_class *class;
  cardan__mjcf_body *body;
  cardan__mjcf_joint *joint;
  cardan__mjcf_geom *geom;
  cardan__mjcf_site *site;
  cardan__mjcf_tendon *tendon;
  cardan__mjcf_term *term;
  cardan__mjcf_act *act;
  cardan__mjcf_mesh *mesh;
  cardan__mjcf_couple *couple;
  cardan__xml **material; // of <asset>
  int nsensor, nattach;
  cardan__names classes, bodies, joints, geoms, sites, tendons, actuators;
  cardan__names meshes, materials;
  cardan__names inputs, outputs, elements; // names in the spec that are taken
  cardan__names included;                  // files
  cardan__names labels;                    // names of frames that are taken
  cardan__xml *undrawn;                    // the first mesh that is not drawn; NULL: none
  cardan__mesh_remarks remarks;
  const cardan__xml *soft;   // the first element with numbers of soft contacts; NULL: none
  const cardan__xml *unlike; // the first geom that should touch, and cannot here; NULL: none
} cardan__mjcf;

/* ---- mjcf_include.c, mjcf_attach.c ---- */

/* Puts other files, and bodies of them, in the places of a tree that name them. */
bool cardan__mjcf_include(cardan__mjcf *m, cardan__xml *root);
bool cardan__mjcf_attach(cardan__mjcf *m);

/* The name of a file as the model's folder sees it: one that is beside the file which names it
 * comes before one of the model's own folder. NULL after a failure. */
const char *cardan__mjcf_path(cardan__mjcf *m, const cardan__xml *element, const char *name);

/* Takes an element out of another; moves all of one into another, behind what is there. */
void cardan__mjcf_unlink(cardan__xml *outer, const cardan__xml *inner);
void cardan__mjcf_move_children(cardan__xml *to, cardan__xml *from);

/* ---- mjcf_class.c ---- */

/* The classes of all <default>s; false after a failure. */
bool cardan__mjcf_read_classes(cardan__mjcf *m);

/* Defaults that no element uses are ignored without a warning. */
void cardan__mjcf_skip_defaults(cardan__mjcf *m);

/* An element in its class: its own one, else that of the elements around it; kind NULL: its own
 * word. false: there is no such class */
bool cardan__mjcf_open(cardan__mjcf *m, cardan__xml *xml, const char *kind, int around,
                       cardan__mjcf_item *item);

/* An attribute of an element, or of the nearest of its defaults that has it; NULL: none has. */
const char *cardan__mjcf_get(const cardan__mjcf *m, const cardan__mjcf_item *item,
                             const char *attribute);

/* n numbers, or 1 to n of them (returned, 0: there are none, -1: failure). Where there is none,
 * value stays. */
bool cardan__mjcf_values(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                         double *value, int n);
int cardan__mjcf_some(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                      double *value, int n);

/* One of some words, as an index; absent: where there is none. -1 after a failure. */
int cardan__mjcf_word(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                      const char *const *words, int n, int absent);

/* A limit's switch (true, false, auto): on where it is true, or auto with a range that rises and no
 * compiler that says otherwise. */
bool cardan__mjcf_limited(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                          const char *range);

/* Keeps a name in a table; false when it is taken. NULL is no name, and fine. */
bool cardan__mjcf_enter(cardan__mjcf *m, const cardan__xml *xml, const char *what,
                        cardan__names *names, const char *name, int index);

/* Index of a name, -1 after a failure: "there is no joint .., did you mean ..". */
int cardan__mjcf_find(cardan__mjcf *m, const cardan__xml *xml, const char *what,
                      const cardan__names *names, const char *name);

/* The first bytes of a text and another text, in the spec's arena; NULL after a failure. */
const char *cardan__mjcf_join(cardan__mjcf *m, const char *a, size_t length, const char *b);

/* A free name near to this one, which is then taken: itself, else with the ending, else with a
 * number. NULL after a failure. */
const char *cardan__mjcf_unique(cardan__mjcf *m, cardan__names *names, const char *name,
                                const char *ending);

/* The same of frames' names. */
const char *cardan__mjcf_label(cardan__mjcf *m, const char *name, const char *ending);

/* Room for one more; false after a failure. */
bool cardan__mjcf_grow(cardan__mjcf *m, void **items, int *room, int count, size_t size);

/* ---- mjcf_pose.c ---- */

/* pos and turn of an element; false after a failure. */
bool cardan__mjcf_pose(cardan__mjcf *m, const cardan__mjcf_item *item, cardan_xform *pose);

/* Takes the digits of what places an element into account (cardan_spec_rounding). */
void cardan__mjcf_digits(cardan__mjcf *m, const cardan__mjcf_item *item);

/* Turn of three angles, in the unit and order of <compiler>. */
cardan_mat3 cardan__mjcf_euler(const cardan__mjcf *m, const double angle[3]);

/* A frame placed in another; that one itself where there is nothing to place. */
int cardan__mjcf_place(cardan__mjcf *m, int frame, const cardan_xform *pose);

/* Radians of an angle of the text. */
double cardan__mjcf_angle(const cardan__mjcf *m, double angle);

/* ---- mjcf_tree.c, mjcf_geom.c, mjcf_inertia.c, mjcf_build.c ---- */

bool cardan__mjcf_gather(cardan__mjcf *m);
bool cardan__mjcf_read_geom(cardan__mjcf *m, cardan__mjcf_geom *geom);
bool cardan__mjcf_read_materials(cardan__mjcf *m);
bool cardan__mjcf_inertias(cardan__mjcf *m);
void cardan__mjcf_draw(cardan__mjcf *m, int body);
void cardan__mjcf_build(cardan__mjcf *m);

/* Mass, and inertia about the geom's own frame; false after a failure. */
bool cardan__mjcf_geom_inertia(cardan__mjcf *m, const cardan__mjcf_geom *geom, cardan_inertia *G);

/* ---- mjcf_mesh.c ---- */

bool cardan__mjcf_read_meshes(cardan__mjcf *m);

/* "a/b/wheel.stl" is "wheel"; NULL after a failure. */
const char *cardan__mjcf_stem(cardan__mjcf *m, const char *file);

/* The file of a mesh or hfield as the model's folder sees it; NULL after a failure. */
const char *cardan__mjcf_mesh_path(cardan__mjcf *m, cardan__xml *mesh, const char *file);

/* ---- mjcf_hfield.c ---- */

/* Sizes and heights of a geom's hfield; false: it touches nothing, and a note says why, or a
 * failure. */
bool cardan__mjcf_hfield(cardan__mjcf *m, const cardan__mjcf_item *geom, cardan_solid_def *def);

/* ---- mjcf_mesh.c ---- */

/* Inertia at unit density of a geom's mesh, about the geom's frame; false after a failure. */
bool cardan__mjcf_mesh_inertia(cardan__mjcf *m, const cardan__mjcf_item *geom, bool shell,
                               cardan_inertia *G);

/* What touches of a geom's mesh, in the geom's frame; NULL: nothing, a note says why. */
const cardan__mesh_pieces *cardan__mjcf_mesh_pieces(cardan__mjcf *m, const cardan__mjcf_item *geom);

/* Is the file of a geom's mesh not there? It may be needed, and is then opened again. */
bool cardan__mjcf_mesh_missing(cardan__mjcf *m, const cardan__mjcf_item *geom);

/* ---- mjcf_contact.c ---- */

/* What a geom says of touching others; <pair> and <exclude>. false after a failure */
bool cardan__mjcf_read_touch(cardan__mjcf *m, cardan__mjcf_geom *geom);
bool cardan__mjcf_read_contacts(cardan__mjcf *m);

/* A condim and its friction as a surface. */
cardan_surface cardan__mjcf_surface(int dim, const double friction[3]);

/* The geom as a solid of a frame; false: it has no solid, or a failure. */
bool cardan__mjcf_solid(cardan__mjcf *m, cardan__mjcf_geom *geom, const cardan_shape *shape,
                        int frame);

/* Contacts of all solids, once all else is built. */
void cardan__mjcf_build_contacts(cardan__mjcf *m);

/* ---- mjcf_tendon.c, mjcf_equality.c, mjcf_actuator.c, mjcf_sensor.c, mjcf_key.c ---- */

/* Length of a tendon plus a number, as an expression; its value as drawn. */
void cardan__mjcf_put_length(const cardan__mjcf *m, cardan__text *text,
                             const cardan__mjcf_tendon *t, double shift);
double cardan__mjcf_length(const cardan__mjcf *m, const cardan__mjcf_tendon *t);

/* A text into an element, to which expr[0] is added; text is freed. */
void cardan__mjcf_add_expr(cardan__mjcf *m, const cardan__xml *xml, cardan_element *element,
                           cardan__text *text);

/* (q "name") */
void cardan__mjcf_put_leaf(cardan__text *text, const char *leaf, const char *name);

/* Rate of a fixed tendon's length, as an expression; and a force along it: coef_i times the
 * expression on each of its joints. */
void cardan__mjcf_put_rate(const cardan__mjcf *m, cardan__text *text, const cardan__mjcf_tendon *t);
void cardan__mjcf_pull(cardan__mjcf *m, const cardan__xml *xml, const cardan__mjcf_tendon *t,
                       const char *expr);

/* Fails for a tendon around geoms, whose length is no expression. */
bool cardan__mjcf_need_length(cardan__mjcf *m, const cardan__xml *xml,
                              const cardan__mjcf_tendon *t);

bool cardan__mjcf_read_tendons(cardan__mjcf *m);
void cardan__mjcf_build_tendons(cardan__mjcf *m);
void cardan__mjcf_build_equalities(cardan__mjcf *m);
void cardan__mjcf_build_actuators(cardan__mjcf *m);
void cardan__mjcf_build_sensors(cardan__mjcf *m);
void cardan__mjcf_build_keys(cardan__mjcf *m);

/* ---- mjcf_write.c: as cardan__format.write ---- */
cardan_status cardan__mjcf_write(const cardan_spec *spec, cardan__text *out, cardan_report *report);
