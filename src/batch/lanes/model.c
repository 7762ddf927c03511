// SPDX-License-Identifier: Apache-2.0
#include "batch/lanes/model.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/central.h"
#include "model/joint_table.h"

/* ---- what is taken ---- */

/* A force on a single velocity, whose joint has no other. */
static bool is_single(const cardan_model *model, const cardan_force_element *e)
{
  switch (e->kind) {
  case CARDAN_ELEMENT_DAMPING:
    return true;
  case CARDAN_ELEMENT_JOINT_SPRING:
    return model->body[model->q_body[e->var]].nv == 1;
  case CARDAN_ELEMENT_DRY_FRICTION:
  case CARDAN_ELEMENT_ACTUATOR:
    return model->body[model->v_body[e->dof]].nv == 1;
  default:
    return false;
  }
}

const char *cardan__lanes_takes(const cardan_model *model)
{
  const char *loops = cardan__lanes_loops_takes(model);
  if (loops != NULL) {
    return loops;
  }
  if (model->nz > 0 || model->ncontroller > 0) {
    return "of its auxiliary states or controllers";
  }
  if (model->npose > 0) {
    return "of the poses that it starts from";
  }
  for (int i = 1; i < model->nbody; i++) {
    if (cardan__link_is_general(&model->body[i])) {
      return "of a joint whose axis depends on its coordinate";
    }
    if (model->body[i].flags & CARDAN_LINK_KINEMATIC) {
      return "of its kinematic joints";
    }
  }
  for (int i = 0; i < model->nforce; i++) {
    if (!is_single(model, &model->force[i])) {
      return "of a force other than damping, springs, actuators and dry friction in joints";
    }
  }
  return NULL;
}

bool cardan__lanes_has_dry(const cardan_model *model)
{
  bool any = false;
  for (int i = 0; i < model->nforce; i++) {
    any = any ||
          (model->force[i].kind == CARDAN_ELEMENT_DRY_FRICTION && model->force[i].value[0] > 0);
  }
  return any;
}

/* ---- the block ---- */

typedef struct {
  const cardan_model *of;
  cardan__lanes_model *model;
  cardan__lanes_body *body;
  double *damping;
  cardan__lanes_spring *spring;
  cardan__lanes_actuator *actuator;
  cardan__lanes_input *input;
  cardan__lanes_limit *limit;
  cardan__lanes_dry *dry;
  cardan__lanes_foot *foot;
  cardan__lanes_row *row;
  char *path; // CARDAN__LANES_ROWS x nbody
  int *free;  // nbody: unused slots
} parts;

static int count_kind(const cardan_model *model, cardan_element_kind kind)
{
  int n = 0;
  for (int i = 0; i < model->nforce; i++) {
    n += model->force[i].kind == kind;
  }
  return n;
}

/* As contact/feature.c has it. */
static bool has_limit(const cardan_joint *joint)
{
  return joint->has_limit && !joint->kinematic && joint->nq == 1;
}

static int count_limits(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->njoint; i++) {
    n += has_limit(&model->joint[i]);
  }
  return n;
}

static void layout(void *what, cardan__carver *c)
{
  parts *p = what;
  const size_t nspring = (size_t)count_kind(p->of, CARDAN_ELEMENT_JOINT_SPRING);
  const size_t nactuator = (size_t)count_kind(p->of, CARDAN_ELEMENT_ACTUATOR);
  p->model = cardan__carve(c, 1, sizeof *p->model);
  p->body = cardan__carve(c, (size_t)p->of->nbody, sizeof *p->body);
  p->damping = cardan__carve(c, (size_t)p->of->nv, sizeof *p->damping);
  p->spring = cardan__carve(c, nspring, sizeof *p->spring);
  p->actuator = cardan__carve(c, nactuator, sizeof *p->actuator);
  p->input = cardan__carve(c, (size_t)p->of->ninput, sizeof *p->input);
  p->limit = cardan__carve(c, (size_t)count_limits(p->of), sizeof *p->limit);
  p->dry = cardan__carve(c, (size_t)count_kind(p->of, CARDAN_ELEMENT_DRY_FRICTION), sizeof *p->dry);
  p->foot = cardan__carve(c, CARDAN__LANES_FEET + (size_t)p->of->npair, sizeof *p->foot);
  p->row = cardan__carve(c, CARDAN__LANES_ROWS, sizeof *p->row);
  p->path = cardan__carve(c, CARDAN__LANES_ROWS * (size_t)p->of->nbody, sizeof *p->path);
  p->free = cardan__carve(c, (size_t)p->of->nbody, sizeof *p->free);
}

/* ---- bodies ---- */

static void put3(double *to, cardan_vec3 from)
{
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

static bool is_massless(const cardan_inertia *I)
{
  return I->m == 0 && I->h.x == 0 && I->h.y == 0 && I->h.z == 0 && I->xx == 0 && I->yy == 0 &&
         I->zz == 0 && I->xy == 0 && I->xz == 0 && I->yz == 0;
}

static cardan__lanes_shift shift_of(cardan_vec3 p)
{
  if (p.y == 0 && p.z == 0) {
    return p.x == 0 ? CARDAN__SHIFT_NONE : CARDAN__SHIFT_X;
  }
  return p.x != 0 || (p.y != 0 && p.z != 0) ? CARDAN__SHIFT_ANY
         : p.z == 0                         ? CARDAN__SHIFT_Y
                                            : CARDAN__SHIFT_Z;
}

static cardan__lanes_tilt tilt_of(const cardan_body *b)
{
  return b->cos_alpha == 1 && b->sin_alpha == 0   ? CARDAN__TILT_NONE
         : b->cos_alpha == 0 && b->sin_alpha == 1 ? CARDAN__TILT_QUARTER
                                                  : CARDAN__TILT_ANY;
}

static void put_central(const cardan_model *model, int i, cardan__lanes_body *to)
{
  const cardan__central b = cardan__body_central(model, i);
  const double J[6] = {b.J.xx, b.J.yy, b.J.zz, b.J.xy, b.J.xz, b.J.yz};
  memcpy(to->Jc, J, sizeof J);
  put3(to->c, b.c);
  put3(to->s, b.s);
  to->k = b.k;
  to->flags |= (b.J.xy == 0 && b.J.xz == 0 && b.J.yz == 0 ? CARDAN__LANES_CENTRAL : 0) |
               (b.k > 0 ? CARDAN__LANES_SWINGS : 0);
}

static void put_body(const cardan_model *model, int i, cardan__lanes_body *to)
{
  const cardan_body *b = &model->body[i];
  const cardan_inertia *I = &b->inertia;
  const cardan__link_type *type = cardan__link_type_of(b->kind);
  const bool fixed = i > 0 && type->nslide == 0 && !type->screw; // the origin does not move
  *to = (cardan__lanes_body){.parent = b->parent,
                             .kind = (int)b->kind,
                             .qadr = b->qadr,
                             .vadr = b->vadr,
                             .slot = -1,
                             .multi = -1,
                             .dry = -1,
                             .cos_phi = b->cos_phi,
                             .sin_phi = b->sin_phi,
                             .cos_alpha = b->cos_alpha,
                             .sin_alpha = b->sin_alpha,
                             .psi = b->psi,
                             .pitch = b->pitch,
                             .cos_psi = cos(b->psi),
                             .sin_psi = sin(b->psi),
                             .m = I->m,
                             .J = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz},
                             .D = {I->zz - I->yy, I->xx - I->zz, I->yy - I->xx},
                             .shift = fixed ? shift_of(b->X.p) : CARDAN__SHIFT_ANY,
                             .lever = shift_of(I->h),
                             .tilt = tilt_of(b)};
  to->flags = (b->flags & CARDAN_LINK_TURNED ? CARDAN__LANES_TURNED : 0) |
              (is_massless(I) ? CARDAN__LANES_LIGHT : 0) | CARDAN__LANES_LEAF |
              (b->parent == 0 ? CARDAN__LANES_ROOT : 0) |
              (I->xy == 0 && I->xz == 0 && I->yz == 0 ? CARDAN__LANES_DIAGONAL : 0);
  put3(to->p, b->X.p);
  put3(to->h, I->h);
  put_central(model, i, to);
  for (int r = 0; r < 3; r++) {
    to->axis[r] = b->X.R.m[r][2];
    for (int k = 0; k < 3; k++) {
      to->R[3 * r + k] = b->X.R.m[r][k];
    }
  }
  if (b->nv == 1) {
    to->armature = model->armature[b->vadr];
    to->flags |= to->armature != 0 ? CARDAN__LANES_ROTOR : 0;
  }
}

static int allocate_slot(parts *p, int *nfree)
{
  return *nfree > 0 ? p->free[--*nfree] : p->model->nslot++;
}

/* Assigns, in the order of inward passes, the slots in which bodies store their sums until the
 * parent is processed. A slot is free again when its body is done. */
static void assign_slots(const cardan_model *model, parts *p)
{
  int nfree = 0;
  for (int i = model->nbody - 1; i > 0; i--) {
    cardan__lanes_body *b = &p->body[i], *up = &p->body[b->parent];
    b->slot = b->slot >= 0 ? b->slot : allocate_slot(p, &nfree);
    if (b->parent > 0 && up->slot < 0) {
      up->slot = allocate_slot(p, &nfree);
      up->flags &= ~CARDAN__LANES_LEAF;
      b->flags |= CARDAN__LANES_FIRST;
    }
    p->free[nfree++] = b->slot;
  }
}

/* As methods/discrete/sizes.c has them. */
static void put_sizes(const cardan_model *model, parts *p)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    cardan__lanes_body *b = &p->body[i];
    b->moment = fabs(I->h.x) + fabs(I->h.y) + fabs(I->h.z);
    b->trace = I->xx + I->yy + I->zz;
    b->arm = I->m > 0 ? b->moment / I->m : 0;
    b->reach = I->m > 0 ? sqrt(b->trace / I->m) : 0;
  }
  for (int i = 0; i < model->nframe; i++) {
    const cardan_vec3 at = model->frame[i].X_BF.p;
    double *reach = &p->body[model->frame[i].body].reach;
    *reach = fmax(*reach, fabs(at.x) + fabs(at.y) + fabs(at.z));
  }
}

static void put_bodies(const cardan_model *model, parts *p)
{
  for (int i = 0; i < model->nbody; i++) {
    put_body(model, i, &p->body[i]);
    if (model->body[i].nv > 1) {
      p->body[i].multi = p->model->nmulti++;
    }
  }
  assign_slots(model, p);
  put_sizes(model, p);
}

/* ---- forces ---- */

static void put_damping(const cardan_model *model, const cardan_force_element *e, double *damping)
{
  const cardan_joint *joint = e->joint >= 0 ? &model->joint[e->joint] : NULL;
  const int first = e->dof >= 0 ? e->dof : joint != NULL ? joint->vadr : 0;
  const int n = e->dof >= 0 ? 1 : joint != NULL ? joint->nv : model->nv;
  for (int k = first; k < first + n; k++) {
    damping[k] += e->value[0];
  }
}

/* Several elements on one velocity add up; those of no force count as none. */
static void put_dry(const cardan_model *model, const cardan_force_element *e, parts *p)
{
  cardan__lanes_body *b = &p->body[model->v_body[e->dof]];
  if (!(e->value[0] > 0)) {
    return;
  }
  if (b->dry < 0) {
    b->flags |= CARDAN__LANES_DRY;
    b->dry = p->model->ndry++;
    p->dry[b->dry] = (cardan__lanes_dry){e->dof, 0};
  }
  p->dry[b->dry].force += e->value[0];
}

static void put_forces(const cardan_model *model, parts *p)
{
  cardan__lanes_model *m = p->model;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    const double *x = e->value;
    if (e->kind == CARDAN_ELEMENT_DAMPING) {
      put_damping(model, e, p->damping);
    } else if (e->kind == CARDAN_ELEMENT_DRY_FRICTION) {
      put_dry(model, e, p);
    } else if (e->kind == CARDAN_ELEMENT_JOINT_SPRING) {
      const int dof = model->body[model->q_body[e->var]].vadr;
      p->spring[m->nspring++] = (cardan__lanes_spring){dof, e->var, x[0], x[1]};
    } else {
      p->actuator[m->nactuator++] = (cardan__lanes_actuator){
          .dof = e->dof,
          .var = e->var,
          .input = e->input,
          .servo = x[1] != 0 || x[2] != 0,
          .gear = x[0],
          .kp = x[1],
          .kd = x[2],
          .low = x[3] < x[4] ? x[3] : -HUGE_VAL,
          .high = x[3] < x[4] ? x[4] : HUGE_VAL,
      };
    }
  }
  for (int k = 0; k < model->nv; k++) {
    m->damped |= p->damping[k] != 0;
    m->rotors |= model->armature[k] != 0;
  }
  for (int k = 0; k < model->ninput; k++) {
    const cardan_input_def *in = &model->input[k];
    p->input[k] = in->has_limit ? (cardan__lanes_input){in->limit[0], in->limit[1]}
                                : (cardan__lanes_input){-HUGE_VAL, HUGE_VAL};
  }
}

static void put_limits(const cardan_model *model, parts *p)
{
  for (int i = 0; i < model->njoint; i++) {
    const cardan_joint *joint = &model->joint[i];
    if (has_limit(joint)) {
      p->limit[p->model->nlimit++] =
          (cardan__lanes_limit){joint->qadr, joint->vadr, joint->limit[0], joint->limit[1]};
    }
  }
}

cardan__lanes_model *cardan__lanes_model_create(const cardan_model *model)
{
  parts p = {.of = model};
  void *block = cardan__carve_block(NULL, layout, &p);
  if (block == NULL) {
    return NULL;
  }
  *p.model = (cardan__lanes_model){.nbody = model->nbody,
                                   .nq = model->nq,
                                   .nv = model->nv,
                                   .ninput = model->ninput,
                                   .length = model->size_length,
                                   .body = p.body,
                                   .damping = p.damping,
                                   .spring = p.spring,
                                   .actuator = p.actuator,
                                   .input = p.input,
                                   .limit = p.limit,
                                   .dry = p.dry,
                                   .foot = p.foot,
                                   .row = p.row};
  p.model->block = block;
  put3(p.model->gravity, model->gravity);
  put_bodies(model, &p);
  put_forces(model, &p);
  put_limits(model, &p);
  p.model->nrow = cardan__lanes_put_loops(model, p.row, p.path);
  if (cardan__lanes_feet_takes(model) == NULL) {
    cardan__lanes_put_feet(model, p.model, p.body, p.foot);
  }
  return p.model;
}

void cardan__lanes_model_destroy(cardan__lanes_model *model)
{
  if (model != NULL) {
    cardan__resize(NULL, model->block, 0);
  }
}
