/* SPDX-License-Identifier: Apache-2.0
 * formats/sdf.h - the inside of the SDF reader, shared by its files.
 *
 *   sdf.c         the file and those that it includes: what stands where, under which names
 *   sdf_frames.c  names to nodes, poses, and the link that each frame is fixed in
 *   sdf_joints.c  what a joint is: its ends, kind, axes and their numbers
 *   sdf_tree.c    which joints make the tree, which close loops; both into the spec
 *   sdf_links.c   links into the spec, their looks
 *   sdf_contact.c collisions of links, and which of them touch
 *   sdf_masses.c  masses of links, given or of their shapes; weight
 *   sdf_values.c  values of elements: flags, names of files, shapes
 *   sdf_notes.c   what is reported of a file
 *
 * Everything that has a frame is a node: the world, models, links, joints, frames. A scope is the
 * world or a model; names are unique in it. T is a node's pose in the frame of its scope, at zero
 * coordinates. The first failure marks the spec. */
#pragma once
#include "base/text.h"
#include "formats/collision.h"
#include "formats/xml_spec.h"

typedef enum {
  CARDAN__SDF_WORLD, // node 0
  CARDAN__SDF_MODEL,
  CARDAN__SDF_LINK,
  CARDAN__SDF_JOINT,
  CARDAN__SDF_FRAME
} cardan__sdf_kind;

/* Versions of the format as one number: 1.4 is 104, 1.10 is 110. */
enum {
  CARDAN__SDF_OLDEST = 102, // before, numbers were attributes
  CARDAN__SDF_1_5 = 105,
  CARDAN__SDF_1_7 = 107,
  CARDAN__SDF_1_10 = 110
};

/* Models in models, included ones among them. */
enum { CARDAN__SDF_DEPTH = 50 };

typedef struct {
  cardan__sdf_kind kind;
  const char *name;
  cardan__xml *xml, *pose; // pose: NULL: where its base is
  int version;
  int scope, depth;      // node 0 has scope -1
  int first, last, next; // nodes of a scope, in the order of the text; next of the same scope
  cardan_xform T;
  int base;            // node of the same scope, or the scope itself, that T hangs on:
  cardan_xform offset; // T = T_base offset
  int attach;          // node that it is fixed to; a link: itself
  int body;            // link that it is fixed in, 0: the world; -1: not known yet
  bool busy, known;    // while poses and bodies are found
  // models
  bool is_static, merged;
  const char *placement; // frame that the pose is of; NULL: its own
  int joint;             // of a joint: its index
  // links
  int frame;     // of the spec
  bool reached;  // it is in the tree
  bool fixed;    // it stands still
  int rigid;     // the first link of those that fixed joints of the tree make one body of
  int copies;    // that share its mass
  bool is_child; // of a joint
  int half;      // first of the half joints at it, -1: none
} cardan__sdf_node;

/* One axis of a joint, in the axes of the joint's frame. */
typedef struct {
  cardan__xml *xml; // NULL: not given
  cardan_vec3 xyz;
  double damping, friction, stiffness, reference, armature;
  bool has_limit;
  double limit[2];
} cardan__sdf_axis;

typedef struct {
  int node;
  const struct cardan__sdf_joint_kind *kind;
  int parent, child; // links, 0: the world
  cardan__sdf_axis axis[2];
  double pitch;
  bool needs_tree; // something acts on its coordinates
  bool must_close; // the file wants it cut
  bool in_tree, turned;
  bool copied; // closes a loop, and leads to a copy of its link: see sdf_tree.c
} cardan__sdf_joint;

/* What the words for joints mean. */
typedef struct cardan__sdf_joint_kind {
  const char *word;
  cardan_joint_kind kind;
  int naxis;
  bool limited;
  bool gearbox; // no joint of its own: an equation between two others
} cardan__sdf_joint_kind;

/* What is reported once, with the number of places: texts in sdf_notes.c. */
typedef enum {
  CARDAN__SDF_NOTE_INERTIAL,
  CARDAN__SDF_NOTE_INERTIA,
  CARDAN__SDF_NOTE_AUTO,
  CARDAN__SDF_NOTE_FRAME,
  CARDAN__SDF_NOTE_AXIS,
  CARDAN__SDF_NOTE_LIMIT,
  CARDAN__SDF_NOTE_LOCKED,
  CARDAN__SDF_NOTE_NEGATIVE,
  CARDAN__SDF_NOTE_CLOSED,
  CARDAN__SDF_NOTE_TURNED,
  CARDAN__SDF_NOTE_GEARBOX,
  CARDAN__SDF_NOTE_SHAPE,
  CARDAN__SDF_NOTE_COLLISION,
  CARDAN__SDF_NOTE_MU,
  CARDAN__SDF_NOTE_STICKS,
  CARDAN__SDF_NOTES
} cardan__sdf_note;

typedef struct {
  const cardan__xml *first;
  int count;
} cardan__sdf_said;

/* A collision that is a solid. */
typedef struct {
  int link, frame; // node; of the spec
  const char *name;
  bool plane;
  bool self;     // it touches others of its model
  unsigned bits; // two without a common one do not touch
  cardan_surface surface;
  const cardan__xml *xml;
} cardan__sdf_touch;

typedef struct {
  cardan_spec *spec;
  cardan__sdf_node *node;
  int nnode, cap_node;
  cardan__sdf_joint *joint;
  int njoint;
  cardan__names names; // "3lbase": link "base" of scope 3
  cardan__text key;
  int ntop; // models of the world
  int base; // option base: -1 as the file says, 0 fixed, 1 free
  cardan__sdf_touch *touch;
  int ntouch, cap_touch;
  cardan__mesh_remarks meshes;
  cardan__sdf_said said[CARDAN__SDF_NOTES];
  cardan_vec3 gravity;
} cardan__sdf;

/* ---- sdf_frames.c ---- */

/* Enters a node's name in its scope; false when it is taken. */
bool cardan__sdf_enter_name(cardan__sdf *s, int node);

/* The node that a name means in a scope, such as "arm::hand"; -1: there is none. */
int cardan__sdf_find(cardan__sdf *s, int scope, const char *name);

/* The node of a joint by its name; -1: there is none. */
int cardan__sdf_find_joint(cardan__sdf *s, int scope, const char *name);

/* Has a link or frame the name of this joint? */
bool cardan__sdf_has_namesake(cardan__sdf *s, int joint);

/* The node that must be there, else the spec fails at the element. */
int cardan__sdf_need(cardan__sdf *s, int scope, const char *name, const cardan__xml *at);

/* <pose> as a transform; identity for NULL. false after a failure */
bool cardan__sdf_pose(cardan__sdf *s, cardan__xml *pose, cardan_xform *T);

/* The name of the frame that <pose> is given in; NULL: none. */
const char *cardan__sdf_pose_base(cardan__xml *pose);

/* A pose that is given in a link, or in a frame that it names, as one in the link. */
bool cardan__sdf_pose_in_link(cardan__sdf *s, int link, cardan__xml *pose, cardan_xform *T);

/* Poses of all nodes in their scopes, and the links they are fixed in. */
bool cardan__sdf_solve(cardan__sdf *s);

/* Pose of node b in node a's frame, at zero coordinates. */
cardan_xform cardan__sdf_between(const cardan__sdf *s, int a, int b);

/* A node's name in the spec, "model::link", without the model where there is only one; in the key's
 * text, until the next call. tail: put behind it. */
const char *cardan__sdf_path(cardan__sdf *s, int node, const char *tail);

/* The same, kept with the spec; "" without memory. */
const char *cardan__sdf_keep_path(cardan__sdf *s, int node, const char *tail);

/* ---- sdf_joints.c ---- */

bool cardan__sdf_read_joints(cardan__sdf *s);

/* Does a joint hold two links together that would not be so without it? */
static inline bool cardan__sdf_joins(const cardan__sdf *s, const cardan__sdf_joint *j)
{
  return !j->kind->gearbox && (j->in_tree || s->node[j->parent].rigid != s->node[j->child].rigid);
}

/* Has a joint coordinates? */
static inline bool cardan__sdf_has_coordinates(const cardan__sdf_joint *joint)
{
  return joint->in_tree || joint->copied;
}

/* Coordinate of a joint's axis (0, 1), where it has them. */
const char *cardan__sdf_coordinate(cardan__sdf *s, const cardan__sdf_joint *joint, int axis);

/* What acts on the coordinates of a joint; what is lost of one that has none. */
void cardan__sdf_add_dynamics(cardan__sdf *s, const cardan__sdf_joint *joint);

/* Equations between joints: mimic and gearbox. */
void cardan__sdf_add_couplings(cardan__sdf *s);

/* ---- sdf_tree.c ---- */

void cardan__sdf_add_tree(cardan__sdf *s);

/* ---- sdf_notes.c ---- */

void cardan__sdf_say(cardan__sdf *s, cardan__sdf_note note, const cardan__xml *at);
void cardan__sdf_add_notes(cardan__sdf *s);

/* ---- sdf_values.c ---- */

/* A child's text as yes or no; otherwise: without the child, or without a text in it. */
bool cardan__sdf_flag(cardan__sdf *s, const cardan__xml *e, const char *name, bool otherwise);

/* A frame of the spec placed in another, also where there is nothing to place. */
int cardan__sdf_place(cardan__sdf *s, int frame, const cardan_xform *T);

/* Marks the switches of a link or model that are off as read: nothing is left out then. */
void cardan__sdf_skip_no(cardan__sdf *s, const cardan__xml *e);

/* Text in the arena: folder of base (up to its last '/'; not for a name that has its own), name,
 * tail; NULL without memory, which fails the spec. */
const char *cardan__sdf_join(cardan__sdf *s, const char *base, const char *name, const char *tail);

/* A box, sphere, cylinder or capsule in <geometry>; an ellipsoid. false: it is none */
bool cardan__sdf_shape(cardan__sdf *s, const cardan__xml *geometry, cardan_shape *shape);
bool cardan__sdf_ellipsoid(cardan__sdf *s, const cardan__xml *geometry, double radii[3]);

/* A whole mesh, whose file is named from where the geometry stands; false: there is none. */
bool cardan__sdf_mesh(cardan__sdf *s, const cardan__xml *geometry, cardan_shape *shape);

/* A height field in <geometry>: its heights and sizes, and pos, how far it is moved; false: there
 * is none, or it cannot be read, and a note says why. */
bool cardan__sdf_heightmap(cardan__sdf *s, const cardan__xml *geometry, cardan_solid_def *def,
                           cardan_vec3 *pos);

/* ---- sdf_links.c ---- */

/* What a link has, into its frame of the spec; the mass of one that stands still is of no use. */
void cardan__sdf_add_link(cardan__sdf *s, int link);

/* ---- sdf_contact.c ---- */

/* Collisions of a link, into its frame of the spec; contacts of all, once everything is there. */
void cardan__sdf_add_collisions(cardan__sdf *s, int link);
void cardan__sdf_add_contacts(cardan__sdf *s);

/* ---- sdf_masses.c ---- */

/* Can copies of a link share its mass? */
bool cardan__sdf_can_share(const cardan__sdf *s, int link);

/* A link's share of its mass, into a frame at the link's pose. */
void cardan__sdf_add_mass(cardan__sdf *s, int link, int frame);
