// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "formats/sdf.h"
#include "spatial/spatial.h"

/* The tree of joints, and the loops that the others close.
 *
 * Trees grow from the world, then from every link that no joint leads to, then from what remains (a
 * loop in which every link is a child). Always the joint of the lowest class that leads to a new
 * link is taken, of equals the one that was found first: a spanning tree of least weight (Prim),
 * breadth first within a class, O(joints). Classes: what is cut last comes first. A joint may be
 * met at its child: it is then turned round,
 *   T_CP = T_CJ J(q)^-1 T_JP,   J(q; a)^-1 = J(q; -a)   for one axis,
 *   (R(a, q1) R(b, q2))^-1 = R(-b, q2) R(-a, q1)        for two,
 * so that coordinates keep their sense.
 *
 * A joint that closes a loop has no coordinates for springs, dampers, limits or equations to act
 * on. Where something does, the joint leads to a copy of its link instead, welded to the link, and
 * the two share the link's mass: the same motion, by one coordinate and one row more. */

enum { CLASSES = 6 };

static int class_of(const cardan__sdf_joint *j)
{
  const cardan_joint_kind kind = j->kind->kind;
  if (j->must_close) {
    return 5;
  }
  if (kind == CARDAN_JOINT_FIXED) {
    return 0;
  }
  if (j->needs_tree) {
    return 1;
  }
  return kind == CARDAN_JOINT_SPHERICAL ? 4 : j->kind->naxis == 2 ? 3 : 2;
}

/* Half joints: 2 k at the parent of joint k, 2 k + 1 at its child. */
typedef struct {
  cardan__sdf *s;
  int *next; // half joint at the same link
  int *wait; // behind it in the queue of its class
  int head[CLASSES], tail[CLASSES];
  int *root; // links that trees grow from
  int nroot;
  int *stack;
  const char *base; // name of the joint of the only root
} growth;

static void make_halves(growth *g)
{
  cardan__sdf *s = g->s;
  for (int k = s->njoint - 1; k >= 0; k--) { // in the order of the file
    const cardan__sdf_joint *j = &s->joint[k];
    if (j->kind->gearbox || j->parent == j->child) {
      continue;
    }
    g->next[2 * k] = s->node[j->parent].half;
    s->node[j->parent].half = 2 * k;
    g->next[2 * k + 1] = s->node[j->child].half;
    s->node[j->child].half = 2 * k + 1;
    s->node[j->child].is_child = true;
  }
}

/* Adds a link to the tree, and its joints to the queue. */
static void add_link(growth *g, int link)
{
  cardan__sdf *s = g->s;
  s->node[link].reached = true;
  for (int h = s->node[link].half; h >= 0; h = g->next[h]) {
    const int c = class_of(&s->joint[h / 2]);
    g->wait[h] = -1;
    if (g->head[c] < 0) {
      g->head[c] = h;
    } else {
      g->wait[g->tail[c]] = h;
    }
    g->tail[c] = h;
  }
}

/* The next half joint in turn; -1: none. */
static int pop_half_joint(growth *g)
{
  for (int c = 0; c < CLASSES; c++) {
    const int h = g->head[c];
    if (h >= 0) {
      g->head[c] = g->wait[h];
      return h;
    }
  }
  return -1;
}

static void grow_from(growth *g, int link)
{
  cardan__sdf *s = g->s;
  add_link(g, link);
  for (int h = pop_half_joint(g); h >= 0; h = pop_half_joint(g)) {
    cardan__sdf_joint *j = &s->joint[h / 2];
    const bool turned = h % 2 == 1;
    const int far = turned ? j->parent : j->child;
    if (!s->node[far].reached) {
      j->in_tree = true;
      j->turned = turned;
      const cardan__sdf_node *near = &s->node[turned ? j->child : j->parent];
      const bool rigid = j->kind->kind == CARDAN_JOINT_FIXED;
      s->node[far].fixed = rigid && near->fixed;
      s->node[far].rigid = rigid ? near->rigid : far;
      add_link(g, far);
    }
  }
}

/* Which joints that close loops lead to a copy: of the child, else of the parent. */
static void make_copies(growth *g)
{
  cardan__sdf *s = g->s;
  for (int k = 0; k < s->njoint; k++) {
    cardan__sdf_joint *j = &s->joint[k];
    if (!cardan__sdf_joins(s, j) || j->in_tree || !j->needs_tree) {
      continue;
    }
    const int end[2] = {j->child, j->parent};
    for (int i = 0; i < 2 && !j->copied; i++) {
      if (!s->node[end[i]].fixed && cardan__sdf_can_share(s, end[i])) {
        s->node[end[i]].copies++;
        j->copied = true;
        j->turned = i == 1;
      }
    }
  }
}

static void grow(growth *g)
{
  cardan__sdf *s = g->s;
  make_halves(g);
  g->base = "base";
  for (int k = 0; k < s->njoint; k++) {
    g->base = strcmp(s->node[s->joint[k].node].name, "base") == 0 ? "free_base" : g->base;
  }
  s->node[0].fixed = true;
  grow_from(g, 0);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 1; i < s->nnode; i++) {
      const cardan__sdf_node *n = &s->node[i];
      if (n->kind == CARDAN__SDF_LINK && n->body == i && !n->reached &&
          (pass == 1 || !n->is_child)) {
        g->root[g->nroot++] = i;
        s->node[i].fixed = s->base == 0;
        s->node[i].rigid = s->base == 0 ? 0 : i;
        grow_from(g, i);
      }
    }
  }
  if (s->base >= 0 && g->nroot == 0 && s->nnode > 1) {
    cardan__spec_note(s->spec, (cardan_pos){0, 0},
                      "option base has no effect: every link is connected to the world by joints, "
                      "or is of a static model");
  }
  make_copies(g);
}

/* ---- into the spec ---- */

static bool is_identity(const cardan_xform *T)
{
  bool same = T->p.x == 0 && T->p.y == 0 && T->p.z == 0;
  for (int k = 0; k < 9; k++) {
    same = same && T->R.m[k / 3][k % 3] == (k % 4 == 0);
  }
  return same;
}

/* One where there is something to place, else the frame itself. */
static int place_if(cardan__sdf *s, int frame, const cardan_xform *T)
{
  return is_identity(T) ? frame : cardan__sdf_place(s, frame, T);
}

/* The frame of a link, and what the link has. */
static void put_link(cardan__sdf *s, int link, int frame)
{
  cardan__sdf_node *n = &s->node[link];
  n->frame = frame;
  cardan__xml_at(s->spec, n->xml);
  cardan_spec_frame_name(s->spec, frame, cardan__sdf_path(s, link, ""));
  cardan__sdf_add_link(s, link);
}

/* One joint of the spec; tail: put behind its name. */
static int put_joint(cardan__sdf *s, const cardan__sdf_joint *j, int frame, cardan_joint_def def,
                     const cardan__sdf_axis *limits, const char *tail)
{
  def.name = cardan__sdf_path(s, j->node, tail);
  if (limits != NULL && limits->has_limit) {
    def.has_limit = true;
    def.limit[0] = limits->limit[0];
    def.limit[1] = limits->limit[1];
  }
  return cardan_spec_joint(s->spec, frame, &def);
}

/* Two hinges in a row, where a universal joint does not do: with limits, or turned round. */
static int put_hinges(cardan__sdf *s, const cardan__sdf_joint *j, int frame)
{
  static const char *const tail[2] = {".a", ".b"};
  for (int i = 0; i < 2; i++) {
    const int k = j->turned ? 1 - i : i;
    const cardan__sdf_axis *a = &j->axis[k];
    const cardan_joint_def def = {.kind = CARDAN_JOINT_REVOLUTE,
                                  .axis = cardan__vec3_scale(j->turned ? -1 : 1, a->xyz)};
    frame = put_joint(s, j, frame, def, a, tail[k]);
  }
  return frame;
}

static cardan_joint_def def_of(const cardan__sdf_joint *j)
{
  const double sign = j->turned ? -1 : 1;
  cardan_joint_def def = {.kind = j->kind->kind};
  if (j->kind->naxis > 0) {
    def.axis = cardan__vec3_scale(sign, j->axis[0].xyz);
  }
  if (j->kind->naxis > 1) {
    def.axis2 = cardan__vec3_scale(sign, j->axis[1].xyz);
  }
  if (def.kind == CARDAN_JOINT_HELICAL) {
    def.pitch = j->pitch;
  }
  return def;
}

/* A joint between the frame of the one link and one at the pose of the other, which is returned. */
static int put_between(cardan__sdf *s, const cardan__sdf_joint *j, int near, int far)
{
  const cardan__sdf_node *n = &s->node[j->node];
  const cardan_xform T_near = cardan__sdf_between(s, near, j->node),
                     T_far = cardan__sdf_between(s, j->node, far);
  const bool limited = j->axis[0].has_limit || j->axis[1].has_limit;
  int frame = s->node[near].frame;
  cardan__xml_at(s->spec, n->xml);
  if (j->kind->kind == CARDAN_JOINT_FIXED) {
    const cardan_xform T = cardan__sdf_between(s, near, far);
    return cardan__sdf_place(s, frame, &T);
  }
  frame = place_if(s, frame, &T_near);
  if (j->kind->naxis == 2 && (limited || j->turned)) {
    frame = put_hinges(s, j, frame);
  } else {
    frame = put_joint(s, j, frame, def_of(j), j->kind->limited ? &j->axis[0] : NULL, "");
  }
  if (j->turned && j->kind->kind == CARDAN_JOINT_SPHERICAL) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_TURNED, n->xml);
  }
  if (is_identity(&T_far)) {
    return frame;
  }
  if (j->kind->naxis < 2 && cardan__sdf_has_namesake(s, j->node)) {
    cardan_spec_frame_name(s->spec, frame, cardan__sdf_path(s, j->node, ".joint"));
  }
  return cardan__sdf_place(s, frame, &T_far);
}

/* A joint of the tree and the link behind it. */
static void put_branch(cardan__sdf *s, const cardan__sdf_joint *j)
{
  const int near = j->turned ? j->child : j->parent, far = j->turned ? j->parent : j->child;
  put_link(s, far, put_between(s, j, near, far));
}

/* The link that a tree grows from: free, at its pose, unless option base fixes it. */
static void put_root(growth *g, int link)
{
  cardan__sdf *s = g->s;
  const cardan_xform T = cardan__sdf_between(s, 0, link);
  cardan__xml_at(s->spec, s->node[link].xml);
  if (s->base == 0) {
    put_link(s, link, cardan__sdf_place(s, 0, &T));
    return;
  }
  const bool taken = cardan__sdf_find_joint(s, s->node[link].scope, s->node[link].name) >= 0;
  const char *name = g->nroot == 1 ? g->base : cardan__sdf_keep_path(s, link, taken ? ".base" : "");
  const int frame =
      cardan_spec_joint(s->spec, 0, &(cardan_joint_def){.kind = CARDAN_JOINT_FREE, .name = name});
  if (!is_identity(&T)) {
    const cardan_quat q = cardan__quat_from_mat3(&T.R);
    cardan_spec_initial(
        s->spec, &(cardan_initial){
                     .var = name, .nvalue = 7, .value = {T.p.x, T.p.y, T.p.z, q.w, q.x, q.y, q.z}});
  }
  put_link(s, link, frame);
}

/* Links behind one that is there, depth first, in the order of the file: half walks along. */
static void put_branches(growth *g, int link)
{
  cardan__sdf *s = g->s;
  int n = 0;
  g->stack[n++] = link;
  while (n > 0 && s->spec->status == CARDAN_OK) {
    cardan__sdf_node *top = &s->node[g->stack[n - 1]];
    const int h = top->half;
    if (h < 0) {
      n--;
      continue;
    }
    top->half = g->next[h];
    const cardan__sdf_joint *j = &s->joint[h / 2];
    if (j->in_tree && j->turned == (h % 2 == 1)) {
      put_branch(s, j);
      g->stack[n++] = j->turned ? j->parent : j->child;
    }
  }
}

/* A joint that closes a loop by a copy of the link behind it. */
static void put_copy(cardan__sdf *s, const cardan__sdf_joint *j)
{
  const int near = j->turned ? j->child : j->parent, far = j->turned ? j->parent : j->child;
  const int frame = put_between(s, j, near, far);
  const char *link = cardan__sdf_keep_path(s, far, ""),
             *copy = cardan__sdf_keep_path(s, j->node, ".copy");
  cardan_spec_frame_name(s->spec, frame, copy);
  cardan__sdf_add_mass(s, far, frame);
  cardan__xml_at(s->spec, s->node[j->node].xml);
  cardan_spec_add(s->spec, &(cardan_element){.kind = CARDAN_ELEMENT_WELD,
                                             .name = cardan__sdf_path(s, j->node, ""),
                                             .frame = {link, copy}});
}

/* A joint that is not in the tree: the same pair between two frames. */
static void put_loop(cardan__sdf *s, const cardan__sdf_joint *j)
{
  static const char *const tail[2] = {".parent", ".child"};
  const int end[2] = {j->parent, j->child};
  const char *name[2];
  cardan__xml_at(s->spec, s->node[j->node].xml);
  for (int i = 0; i < 2; i++) {
    const cardan_xform T = cardan__sdf_between(s, end[i], j->node);
    const int frame = cardan__sdf_place(s, s->node[end[i]].frame, &T);
    name[i] = cardan__sdf_keep_path(s, j->node, tail[i]);
    cardan_spec_frame_name(s->spec, frame, name[i]);
  }
  const bool weld = j->kind->kind == CARDAN_JOINT_FIXED;
  cardan_spec_add(s->spec,
                  &(cardan_element){.kind = weld ? CARDAN_ELEMENT_WELD : CARDAN_ELEMENT_CLOSE,
                                    .name = cardan__sdf_path(s, j->node, ""),
                                    .frame = {name[0], name[1]},
                                    .joint = weld ? (cardan_joint_def){0} : def_of(j)});
}

/* Frames of the file, where their names are free. */
static void put_frames(cardan__sdf *s)
{
  for (int i = 1; i < s->nnode && s->spec->status == CARDAN_OK; i++) {
    const cardan__sdf_node *n = &s->node[i];
    if (n->kind == CARDAN__SDF_FRAME &&
        cardan__spec_find_frame(s->spec, cardan__sdf_path(s, i, "")) < 0) {
      const cardan_xform T = cardan__sdf_between(s, n->body, i);
      cardan__xml_at(s->spec, n->xml);
      const int frame = cardan__sdf_place(s, s->node[n->body].frame, &T);
      cardan_spec_frame_name(s->spec, frame, cardan__sdf_path(s, i, ""));
    }
  }
}

static void put_all(growth *g)
{
  cardan__sdf *s = g->s;
  for (int i = 1; i < s->nnode; i++) {
    if (s->node[i].kind == CARDAN__SDF_LINK && s->node[i].body == 0) {
      const cardan_xform T = cardan__sdf_between(s, 0, i);
      cardan__xml_at(s->spec, s->node[i].xml);
      s->node[i].fixed = true;
      put_link(s, i, cardan__sdf_place(s, 0, &T));
    }
  }
  put_branches(g, 0);
  for (int i = 0; i < g->nroot; i++) {
    put_root(g, g->root[i]);
    put_branches(g, g->root[i]);
  }
  for (int k = 0; k < s->njoint && s->spec->status == CARDAN_OK; k++) {
    const cardan__sdf_joint *j = &s->joint[k];
    if (cardan__sdf_joins(s, j)) {
      if (j->copied) {
        put_copy(s, j);
      } else if (!j->in_tree) {
        put_loop(s, j);
      }
      cardan__sdf_add_dynamics(s, j);
    }
  }
  cardan__sdf_add_couplings(s);
  put_frames(s);
}

void cardan__sdf_add_tree(cardan__sdf *s)
{
  const size_t halves = 2 * (size_t)s->njoint, nodes = (size_t)s->nnode;
  int *memory = cardan__arena_take(&s->spec->arena, 2 * halves + 2 * nodes, sizeof *memory);
  if (!cardan__spec_memory(s->spec, memory != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
    return;
  }
  growth g = {.s = s,
              .next = memory,
              .wait = memory + halves,
              .root = memory + 2 * halves,
              .stack = memory + 2 * halves + nodes};
  for (int c = 0; c < CLASSES; c++) {
    g.head[c] = -1;
  }
  grow(&g);
  put_all(&g);
}
