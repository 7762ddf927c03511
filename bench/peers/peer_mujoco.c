// SPDX-License-Identifier: Apache-2.0
// MuJoCo, through a model file that is written here. Loops are its equality constraints, which are
// soft: springs and dampers with its default time constants.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

const char *const peer_name = "MuJoCo 2.2.2, double";
const peer_way peer_ways[] = {
    {"forward", "forward", "mj_forward", "all of its pipeline but collision; double"},
    {"inverse", "inverse", "mj_inverse", "all of its pipeline but collision; double"},
    {"euler", "step", "Euler", "order 1; loops soft; double"},
    {"rk4", "step", "RK4", "order 4; loops soft; double"},
    {"solve-rk4", "solve", "RK4", "fixed step; double"},
    {"scene", "scene", "",
     "Euler; elliptic cones; soft contacts of its default time constants; no "
     "restitution; double"},
    {NULL, NULL, NULL, NULL}};

static mjModel *model;
static mjData *data;

typedef struct {
  char *bytes;
  size_t length, room;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...)
{
  enum { MOST = 1000 };
  if (t->length + MOST > t->room) {
    t->room = 2 * t->room + 2 * MOST;
    t->bytes = realloc(t->bytes, t->room);
    if (t->bytes == NULL) {
      abort();
    }
  }
  va_list args;
  va_start(args, format);
  t->length += (size_t)vsnprintf(t->bytes + t->length, MOST, format, args);
  va_end(args);
}

/* Its reader takes XML of at most 100 levels, but a file may include others: a model is written as
 * pieces of LEVELS bodies in one another. */
enum { LEVELS = 60, PIECES = 64, MOST = 250 }; // MOST: bodies, since its cost is cubic in a chain

typedef struct {
  int n;
  text piece[PIECES]; // piece 0 is the model
} document;

static bool has_child(const peer_model *m, int parent)
{
  bool found = false;
  for (int i = parent + 1; i <= m->nbody && !found; i++) {
    found = m->body[i].parent == parent;
  }
  return found;
}

static void add_body(document *d, int piece, const peer_model *m, int i, int level);

static void add_children(document *d, int piece, const peer_model *m, int parent, int level)
{
  if (level > 0 && level % LEVELS == 0 && d->n < PIECES && has_child(m, parent)) {
    add(&d->piece[piece], "<include file='piece%d.xml'/>", d->n);
    piece = d->n++;
    add(&d->piece[piece], "<mujocoinclude>");
  }
  for (int i = parent + 1; i <= m->nbody; i++) {
    if (m->body[i].parent == parent) {
      add_body(d, piece, m, i, level);
    }
  }
  if (level > 0 && level % LEVELS == 0 && piece > 0) {
    add(&d->piece[piece], "</mujocoinclude>");
  }
}

static bool is_diagonal(const peer_body *b)
{
  return b->I[3] == 0 && b->I[4] == 0 && b->I[5] == 0;
}

/* A moment of inertia, a trifle larger unless it is the largest: of a flat body, xx + yy = zz,
 * rounding may break the rule that the reader checks. peer_build puts the true one in its place. */
static double wider(const double *I, int k)
{
  return I[k] < fmax(I[0], fmax(I[1], I[2])) ? I[k] * (1 + 1e-9) : I[k];
}

static void add_body(document *d, int piece, const peer_model *m, int i, int level)
{
  static const char *const joints[] = {"hinge", "slide", "ball", "free"};
  const peer_body *b = &m->body[i];
  text *t = &d->piece[piece];
  double q[4];
  peer_quaternion(b->X_R, q);
  add(t, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>", i, b->X_p[0],
      b->X_p[1], b->X_p[2], q[0], q[1], q[2], q[3]);
  add(t, "<joint type='%s' %s/>", joints[b->kind], b->kind <= PEER_PRISMATIC ? "axis='0 0 1'" : "");
  if (is_diagonal(b)) {
    add(t, "<inertial pos='%.17g %.17g %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
        b->c[0], b->c[1], b->c[2], b->mass, wider(b->I, 0), wider(b->I, 1), wider(b->I, 2));
  } else {
    add(t,
        "<inertial pos='%.17g %.17g %.17g' mass='%.17g' fullinertia='%.17g %.17g %.17g %.17g %.17g "
        "%.17g'/>",
        b->c[0], b->c[1], b->c[2], b->mass, b->I[0], b->I[1], b->I[2], b->I[3], b->I[4], b->I[5]);
  }
  add_children(d, piece, m, i, level + 1);
  add(t, "</body>");
}

static void write_model(document *d, const peer_model *m)
{
  text *t = &d->piece[0];
  d->n = 1;
  add(t,
      "<mujoco><compiler angle='radian' balanceinertia='false' boundmass='0'/>"
      "<size njmax='%d' nconmax='1'/><option gravity='%.17g %.17g %.17g'>"
      "<flag contact='disable' energy='disable'/></option><worldbody>",
      3 * m->npin + 10, m->gravity[0], m->gravity[1], m->gravity[2]);
  add_children(d, 0, m, 0, 0);
  add(t, "</worldbody><equality>");
  for (int i = 0; i < m->npin; i++) {
    add(t, "<connect body1='b%d' body2='b%d' anchor='0 0 0'/>", m->pin[i].a, m->pin[i].b);
  }
  add(t, "</equality></mujoco>");
}

static const char *load(const document *d)
{
  static mjVFS vfs;
  static char error[300];
  mj_defaultVFS(&vfs);
  for (int k = 0; k < d->n; k++) {
    char name[32];
    snprintf(name, sizeof name, "piece%d.xml", k);
    if (mj_makeEmptyFileVFS(&vfs, name, (int)d->piece[k].length + 1) != 0) {
      mj_deleteVFS(&vfs);
      return "out of memory";
    }
    memcpy(vfs.filedata[vfs.nfile - 1], d->piece[k].bytes, d->piece[k].length + 1);
  }
  model = mj_loadXML("piece0.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  error[strcspn(error, "\n")] = '\0';
  return model != NULL ? NULL : error;
}

const char *peer_build(const peer_model *m)
{
  for (int i = 1; i <= m->nbody; i++) {
    if (m->body[i].mass == 0) {
      return "MuJoCo takes no moving body without mass";
    }
  }
  if (m->nbody > MOST) {
    return "omitted: too many bodies";
  }
  static document d;
  write_model(&d, m);
  const char *why = load(&d);
  for (int k = 0; k < d.n; k++) {
    free(d.piece[k].bytes);
    d.piece[k] = (text){NULL, 0, 0};
  }
  if (why != NULL) {
    return why;
  }
  for (int i = 1; i <= m->nbody; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    if (is_diagonal(&m->body[i])) {
      memcpy(model->body_inertia + 3 * mj_name2id(model, mjOBJ_BODY, name), m->body[i].I,
             3 * sizeof *model->body_inertia);
    }
  }
  // anchors of both bodies; the compiler knows them only where the loops are closed at q = 0
  for (int i = 0; i < m->npin; i++) {
    memcpy(model->eq_data + i * mjNEQDATA, m->pin[i].p_a, sizeof m->pin[i].p_a);
    memcpy(model->eq_data + i * mjNEQDATA + 3, m->pin[i].p_b, sizeof m->pin[i].p_b);
  }
  data = mj_makeData(model);
  mj_setConst(model, data); // it keeps inertias of free bodies
  return NULL;
}

void peer_drop(void)
{
  mj_deleteData(data);
  mj_deleteModel(model);
}

/* Its free joints have the velocity of the origin in world axes first, then the spin in the
 * body's; its coordinates are in the order of the tree's depth first, as its joints say. */
void peer_reset(const peer_model *m)
{
  mj_resetData(model, data);
  for (int i = 1; i <= m->nbody; i++) {
    const peer_body *b = &m->body[i];
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    const int j = model->body_jntadr[mj_name2id(model, mjOBJ_BODY, name)];
    double *q = data->qpos + model->jnt_qposadr[j], *v = data->qvel + model->jnt_dofadr[j];
    if (b->kind <= PEER_PRISMATIC) {
      q[0] = m->q[b->q];
      v[0] = m->v[b->v];
    } else if (b->kind == PEER_SPHERICAL) {
      memcpy(q, m->q + b->q, 4 * sizeof *q);
      memcpy(v, m->v + b->v, 3 * sizeof *v);
    } else {
      const peer_pose *x = &m->pose[i];
      memcpy(q, x->p, 3 * sizeof *q);
      peer_quaternion(x->R, q + 3);
      memcpy(v, x->v, 3 * sizeof *v);
      memcpy(v + 3, m->v + b->v, 3 * sizeof *v);
    }
  }
}

void peer_energy(const peer_model *m, double *kinetic, double *potential)
{
  (void)m;
  model->opt.enableflags |= mjENBL_ENERGY;
  mj_forward(model, data);
  *potential = data->energy[0];
  *kinetic = data->energy[1];
  model->opt.enableflags &= ~mjENBL_ENERGY;
}

bool peer_calls(const peer_model *m, int way, double dt, int n)
{
  (void)m;
  model->opt.timestep = dt;
  model->opt.integrator = strcmp(peer_ways[way].word, "rk4") == 0 ? mjINT_RK4 : mjINT_EULER;
  const char kind = peer_ways[way].kind[0];
  for (int i = 0; i < n; i++) {
    if (kind == 'f') {
      mj_forward(model, data);
    } else if (kind == 'i') {
      mj_inverse(model, data);
    } else {
      mj_step(model, data);
    }
  }
  return true;
}

static const char *solve(const peer_model *m, int way, double x, double T, double *q)
{
  (void)way;
  const long steps = lround(T / x);
  model->opt.timestep = T / (double)steps;
  model->opt.integrator = mjINT_RK4;
  for (long i = 0; i < steps; i++) {
    mj_step(model, data);
  }
  for (int i = 1; i <= m->nbody; i++) {
    static const int count[] = {1, 1, 4, 7};
    const peer_body *b = &m->body[i];
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    const int j = model->body_jntadr[mj_name2id(model, mjOBJ_BODY, name)];
    memcpy(q + b->q, data->qpos + model->jnt_qposadr[j], (size_t)count[b->kind] * sizeof *q);
  }
  return NULL;
}

const char *(*const peer_solve)(const peer_model *m, int way, double x, double T,
                                double *q) = solve;

/* ---- scenes ---- */

static mjModel *scene;
static mjData *scene_data;

static void drop_scene(void)
{
  if (scene != NULL) {
    mj_deleteData(scene_data);
    mj_deleteModel(scene);
    scene = NULL;
  }
}

static const char *take_scene(mjModel *made, const char *error)
{
  static char why[300];
  snprintf(why, sizeof why, "%.*s", (int)strcspn(error, "\n"), error);
  if (made == NULL) {
    return why;
  }
  drop_scene();
  scene = made;
  scene_data = mj_makeData(scene);
  return NULL;
}

static void add_solid(text *t, const peer_solid *b)
{
  double q[4];
  peer_quaternion(b->pose.R, q);
  add(t, "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>", b->pose.p[0],
      b->pose.p[1], b->pose.p[2], q[0], q[1], q[2], q[3]);
  add(t, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", b->mass, b->I[0],
      b->I[1], b->I[2]);
  if (b->shape == PEER_BOX) {
    add(t, "<geom type='box' size='%.17g %.17g %.17g'/></body>", b->size[0] / 2, b->size[1] / 2,
        b->size[2] / 2);
  } else {
    add(t, "<geom type='sphere' size='%.17g'/></body>", b->size[0]);
  }
}

static double *start_velocity; // of the scene's bodies, as its own file cannot hold it

static const char *build_scene(const peer_scene *s)
{
  static char error[300];
  static mjVFS vfs;
  text t = {NULL, 0, 0};
  add(&t,
      "<mujoco><size njmax='%d' nconmax='%d'/><option gravity='%.17g %.17g %.17g' cone='elliptic'/>"
      "<default><geom friction='%.17g 0 0'/></default><worldbody>"
      "<geom type='plane' size='9 9 1'/>",
      60 * s->n + 200, 20 * s->n + 60, s->gravity[0], s->gravity[1], s->gravity[2], s->friction);
  for (int i = 0; i < s->n; i++) {
    add_solid(&t, &s->solid[i]);
  }
  add(&t, "</worldbody></mujoco>");
  error[0] = '\0';
  mj_defaultVFS(&vfs);
  mjModel *made = NULL;
  if (mj_makeEmptyFileVFS(&vfs, "scene.xml", (int)t.length + 1) == 0) {
    memcpy(vfs.filedata[vfs.nfile - 1], t.bytes, t.length + 1);
    made = mj_loadXML("scene.xml", &vfs, error, sizeof error);
  }
  mj_deleteVFS(&vfs);
  free(t.bytes);
  const char *why = take_scene(made, error);
  if (why != NULL) {
    return why;
  }
  free(start_velocity);
  start_velocity = calloc(6 * (size_t)s->n, sizeof *start_velocity);
  for (int i = 0; i < s->n && start_velocity != NULL; i++) {
    // the velocity of the origin in world axes, then the spin in the body's
    const peer_pose *x = &s->solid[i].pose;
    memcpy(start_velocity + 6 * i, x->v, sizeof x->v);
    for (int k = 0; k < 3; k++) {
      start_velocity[6 * i + 3 + k] =
          x->R[k] * x->w[0] + x->R[3 + k] * x->w[1] + x->R[6 + k] * x->w[2];
    }
  }
  return start_velocity != NULL ? NULL : "out of memory";
}

static const char *load_robot(const char *path)
{
  static char error[300];
  error[0] = '\0';
  free(start_velocity);
  start_velocity = NULL;
  return take_scene(mj_loadXML(path, NULL, error, sizeof error), error);
}

static void start_scene(double dt)
{
  scene->opt.timestep = dt;
  mj_resetData(scene, scene_data);
  if (start_velocity != NULL) {
    memcpy(scene_data->qvel, start_velocity, (size_t)scene->nv * sizeof *start_velocity);
  } else if (scene->nkey > 0) {
    mj_resetDataKeyframe(scene, scene_data, scene->nkey - 1);
  }
}

static void step_scene(void)
{
  mj_step(scene, scene_data);
}

static void look_at_scene(double *overlap, int *contacts)
{
  for (int i = 0; i < scene_data->ncon; i++) {
    *overlap = fmax(*overlap, -scene_data->contact[i].dist);
  }
  *contacts = scene_data->ncon > *contacts ? scene_data->ncon : *contacts;
}

static const peer_world world = {build_scene, load_robot, start_scene, step_scene, look_at_scene};
const peer_world *const peer_scenes = &world;

int main(void)
{
  return peer_main();
}
