// SPDX-License-Identifier: Apache-2.0
// The same by MuJoCo: creep of a block, its sliding limit, energy of a ball that bounces, Newton's
// cradle, a robot's time a step. Its integrator, solver and contact parameters are its own defaults
// except where noted.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/contact.h"

/* Appends to a text of so many bytes. */
static void add(char *text, size_t size, const char *format, ...) CARDAN_PRINTF(3, 4);
static void add(char *text, size_t size, const char *format, ...)
{
  const size_t n = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + n, size - n, format, args);
  va_end(args);
}

static mjModel *load(const char *text)
{
  static mjVFS vfs;
  char error[1000] = "";
  mj_defaultVFS(&vfs);
  if (mj_makeEmptyFileVFS(&vfs, "model.xml", (int)strlen(text) + 1) != 0) {
    contact_stop("mujoco", "out of memory");
  }
  memcpy(vfs.filedata[vfs.nfile - 1], text, strlen(text) + 1);
  mjModel *m = mj_loadXML("model.xml", &vfs, error, sizeof error);
  mj_deleteFileVFS(&vfs, "model.xml");
  if (m == NULL) {
    contact_stop("mujoco", error);
  }
  return m;
}

static void steps(const mjModel *m, mjData *d, int n)
{
  for (int i = 0; i < n; i++) {
    mj_step(m, d);
  }
}

/* A block on a slope of 0.4 rad, friction mu; impratio: its stiffness of friction to normal. */
static double block_way(double part, double impratio, double dt, double from, double T)
{
  char text[1000];
  const double mu = part * tan(0.4);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%g' impratio='%g' cone='elliptic' gravity='%.17g 0 %.17g'/>"
           "<worldbody><geom type='plane' size='5 5 1' friction='%.17g 0 0'/>"
           "<body pos='0 0 .05'><freejoint/>"
           "<inertial pos='0 0 0' mass='2' diaginertia='.01 .02 .02'/>"
           "<geom type='box' size='.15 .1 .05' friction='%.17g 0 0'/></body></worldbody></mujoco>",
           dt, impratio, 9.81 * sin(0.4), -9.81 * cos(0.4), mu, mu);
  mjModel *m = load(text);
  mjData *d = mj_makeData(m);
  steps(m, d, (int)lround(from / dt));
  const double start = d->qpos[0];
  steps(m, d, (int)lround(T / dt));
  const double way = d->qpos[0] - start;
  mj_deleteData(d);
  mj_deleteModel(m);
  return way;
}

static double own_block_way(double part, double dt, double from, double T)
{
  static const char text[] =
      "(system (define part 1) (define th 0.4) (gravity (* 9.81 (sin th)) 0 (* -9.81 (cos th)))"
      " (place (0 0 0) (name \"floor\") (solid plane)) (place (0 0 0.05)"
      "  (joint free \"block\" (mass 2 0.01 0.02 0.02) (solid box 0.3 0.2 0.1)))"
      " (contact \"block\" \"floor\" (friction (* part (tan th)))))";
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  const cardan_setting set = {"part", part};
  if (cardan_model_from_text(text, strlen(text), "block.mbs", &set, 1, NULL, &model, &report) !=
      CARDAN_OK) {
    contact_stop("block", report.message);
  }
  const cardan_options o = contact_options(dt);
  cardan_sim *sim = contact_begin(model, &o);
  contact_steps(sim, (int)lround(from / dt));
  const double start = cardan_sim_data(sim)->q[0];
  contact_steps(sim, (int)lround(T / dt));
  const double way = cardan_sim_data(sim)->q[0] - start;
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return way;
}

static void blocks(void)
{
  printf("block at 2/3 of its sliding limit, dt 2 ms, 10 s after 1 s: creep [m/s]\n  mujoco");
  for (int i = 0; i < 3; i++) {
    const double ratio = pow(10, i);
    printf("  %.1e (impratio %g)", block_way(1.5, ratio, 0.002, 1, 10) / 10, ratio);
  }
  printf("\n  cardan  %.1e\n", own_block_way(1.5, 0.002, 1, 10) / 10);
  printf("block at its sliding limit, 1 s: way [m], closed form 0 above, g (sin - mu cos) / 2 "
         "below\n");
  for (int i = 0; i < 4; i++) {
    static const double part[] = {1.01, 1.000001, 0.999999, 0.99};
    const double exact = fmax(0, 0.5 * 9.81 * sin(0.4) * (1 - part[i]));
    printf("  mu %-9.7g tan  exact %.3e  mujoco (impratio 10) %.3e  cardan %.3e\n", part[i], exact,
           block_way(part[i], 10, 0.002, 0, 1), own_block_way(part[i], 0.002, 0, 1));
  }
}

/* A ball of 0.1 m from 0.8 m above the floor; e 1 by a contact without damping. */
static void ball(void)
{
  for (int k = 0; k < 2; k++) {
    const double dt = k ? 0.0005 : 0.002, start = 9.81 * 0.9;
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%g' gravity='0 0 -9.81'/><worldbody>"
             "<geom type='plane' size='5 5 1' solref='-10000 0'/><body pos='0 0 .9'>"
             "<joint type='slide' axis='0 0 1'/><geom type='sphere' size='.1' mass='1' "
             "solref='-10000 0'/></body></worldbody></mujoco>",
             dt);
    mjModel *m = load(text);
    mjData *d = mj_makeData(m);
    steps(m, d, (int)lround(20 / dt));
    const double energy = 9.81 * (0.9 + d->qpos[0]) + 0.5 * d->qvel[0] * d->qvel[0];
    printf("ball, e 1, 20 s, dt %g: energy, of 7.848 J  mujoco (solref -1e4 0) %.1e", dt,
           (energy - start) / 7.848);
    mj_deleteData(d);
    mj_deleteModel(m);
    cardan_model *model = contact_text(
        "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))"
        " (tz \"z\" (mass 1) (solid sphere 0.1)) (contact \"z\" \"floor\" (restitution 1))"
        " (initial (\"z\" 0.9)))",
        "ball.mbs");
    const cardan_options o = contact_options(dt);
    cardan_sim *sim = contact_begin(model, &o);
    contact_steps(sim, (int)lround(20 / dt));
    const cardan_data *data = cardan_sim_data(sim);
    const double own = 9.81 * data->q[0] + 0.5 * data->v[0] * data->v[0];
    printf("  cardan %.1e\n", (own - start) / 7.848);
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
}

/* The cradle of the built-in model after its first impact: angles' rates. */
static void cradle(void)
{
  char text[4000] = "<mujoco><option timestep='0.0005' gravity='0 0 -9.81'/>"
                    "<default><geom solref='-20000 0'/></default><worldbody>";
  for (int i = 0; i < 5; i++) {
    add(text, sizeof text,
        "<body pos='%g 0 1'><joint type='hinge' axis='0 1 0'/>"
        "<geom type='sphere' size='.05' mass='.5' pos='0 0 -.5' friction='0 0 0'/></body>",
        0.1 * (i - 2));
  }
  add(text, sizeof text, "</worldbody></mujoco>");
  mjModel *m = load(text);
  mjData *d = mj_makeData(m);
  d->qpos[0] = 0.6;
  steps(m, d, 800);
  printf("cradle, 0.4 s: rates of the balls, of the first one's when it struck\n  mujoco ");
  const double w = sqrt(2 * 9.81 * 0.5 * (1 - cos(0.6)) / (0.5 * 0.5 + 0.4 * 0.05 * 0.05));
  for (int i = 0; i < 5; i++) {
    printf(" %9.2e", d->qvel[i] / w);
  }
  cardan_model *model = contact_load("cradle", NULL, 0);
  const cardan_options o = contact_options(0.0005);
  cardan_sim *sim = contact_begin(model, &o);
  contact_steps(sim, 800);
  printf("\n  cardan ");
  for (int i = 0; i < 5; i++) {
    printf(" %9.2e", cardan_sim_data(sim)->v[i] / w);
  }
  printf("\n");
  mj_deleteData(d);
  mj_deleteModel(m);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

/* One leg of the built-in model `quadruped`, at x and y of the trunk; servos as springs. */
static void add_leg(char *text, size_t size, double x, double y)
{
  add(text, size,
      "<body pos='%g %g 0'><joint axis='1 0 0'/>"
      "<inertial pos='0 0 0' mass='.4' diaginertia='5e-4 5e-4 5e-4'/>"
      "<body><joint axis='0 1 0' springref='.7'/>"
      "<inertial pos='0 0 -.1' mass='.6' diaginertia='2e-3 2e-3 3e-4'/>"
      "<body pos='0 0 -.2'><joint axis='0 1 0' springref='-1.4'/>"
      "<inertial pos='0 0 -.1' mass='.25' diaginertia='9e-4 9e-4 1e-4'/>"
      "<geom type='sphere' size='.02' pos='0 0 -.2'/></body></body></body>",
      x, y);
}

static mjModel *quadruped(void)
{
  static char text[8000] =
      "<mujoco><compiler angle='radian'/>"
      "<option timestep='0.002' gravity='0 0 -9.81' cone='elliptic'/>"
      "<default><geom friction='.8 0 0'/><joint type='hinge' stiffness='150' "
      "damping='5'/></default>"
      "<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .426'><freejoint/>"
      "<inertial pos='0 0 0' mass='8' diaginertia='.06 .19 .22'/>"
      "<geom type='box' size='.25 .12 .06'/>";
  for (int i = 0; i < 4; i++) {
    add_leg(text, sizeof text, i & 2 ? -0.2 : 0.2, i & 1 ? -0.14 : 0.14);
  }
  add(text, sizeof text, "</body></worldbody></mujoco>");
  return load(text);
}

/* Best time of a step while it stands, after 1 s. */
static double standing_time(const mjModel *m, mjData *d)
{
  const int n = (int)lround(0.2 / m->opt.timestep);
  double best = HUGE_VAL;
  steps(m, d, 5 * n);
  for (int i = 0; i < 5; i++) {
    const double start = contact_now();
    steps(m, d, n);
    best = fmin(best, (contact_now() - start) / n);
  }
  return best;
}

/* file NULL: the built-in quadruped. */
static void robot(const char *file)
{
  char error[1000] = "";
  mjModel *m = file ? mj_loadXML(file, NULL, error, sizeof error) : quadruped();
  if (m == NULL) {
    contact_stop(file, error);
    return;
  }
  mjData *d = mj_makeData(m);
  for (int i = 0; i < 4 && !file; i++) {
    d->qpos[7 + 3 * i + 1] = 0.7;
    d->qpos[7 + 3 * i + 2] = -1.4;
  }
  const double theirs = standing_time(m, d), dt = m->opt.timestep;
  cardan_model *model = contact_load(file ? file : "quadruped", NULL, 0);
  const cardan_options o = contact_options(dt);
  const contact_cost c = contact_time(model, &o, (int)lround(1 / dt), (int)lround(0.2 / dt));
  printf("%s standing, dt %g: mujoco %.1f us a step with %d contacts, cardan %.1f us with %d\n",
         file ? file : "quadruped", dt, 1e6 * theirs, d->ncon, 1e6 * c.seconds, c.stats.closed);
  cardan_model_destroy(model);
  mj_deleteData(d);
  mj_deleteModel(m);
}

void contact_mujoco(const char *file)
{
  if (file) {
    robot(file);
    return;
  }
  printf("MuJoCo %s\n", mj_versionString());
  blocks();
  ball();
  cradle();
  robot(NULL);
}
