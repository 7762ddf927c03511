// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // strtok_r, access
#include "bench/peers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cardan/data.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "expr/number.h"
#include "model/joint_table.h"
#include "spatial/rotation.h"

enum { LINE = 1 << 16 }; // of an answer

/* ---- requests and answers ---- */

static cardan_status fail_connection(const cardan__peer *peer, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0}, "%s gave up", peer->name);
}

/* Reads a line of the peer's answer, without the line end. */
static bool read_line(const cardan__peer *peer, char *line, int size)
{
  if (peer->program.from == NULL || fgets(line, size, peer->program.from) == NULL) {
    return false;
  }
  line[strcspn(line, "\n")] = '\0';
  return true;
}

static bool write_line(const cardan__peer *peer, const cardan__text *text)
{
  return peer->program.to != NULL && !text->failed &&
         fwrite(text->data, 1, text->length, peer->program.to) == text->length &&
         fflush(peer->program.to) == 0;
}

/* Parses the next number of a line and advances the line; NAN if there is none. */
static double next_number(char **line)
{
  double value = NAN;
  char *word = strtok_r(NULL, " ", line);
  if (word == NULL || cardan__number_read(word, strlen(word), &value) != CARDAN__NUMBER_OK) {
    return (double)NAN;
  }
  return value;
}

/* "way WORD KIND LABEL | HOW" */
static void parse_way(cardan__peer *peer, char *line)
{
  char *rest = line, *how = strstr(line, " | ");
  if (how == NULL || peer->nway == CARDAN__PEER_WAYS) {
    return;
  }
  cardan__peer_way *w = &peer->way[peer->nway++];
  *how = '\0';
  const char *word = strtok_r(rest, " ", &rest);
  const char *kind = strtok_r(NULL, " ", &rest);
  snprintf(w->word, sizeof w->word, "%s", word != NULL ? word : "");
  snprintf(w->kind, sizeof w->kind, "%s", kind != NULL ? kind : "");
  snprintf(w->label, sizeof w->label, "%s", rest != NULL ? rest : "");
  snprintf(w->how, sizeof w->how, "%s", how + 3);
}

/* Reads the peer's name and capabilities, which it sends first. */
static bool read_greeting(cardan__peer *peer)
{
  char line[400];
  if (!read_line(peer, line, sizeof line) || strncmp(line, "peer ", 5) != 0) {
    return false;
  }
  const char *comma = strchr(line, ',');
  peer->coarse = comma != NULL && strstr(comma, "single") != NULL;
  snprintf(peer->name, sizeof peer->name, "%.*s", (int)strcspn(line + 5, ","), line + 5);
  while (read_line(peer, line, sizeof line) && strcmp(line, "end") != 0) {
    if (strncmp(line, "way ", 4) == 0) {
      parse_way(peer, line + 4);
    }
  }
  return peer->nway > 0;
}

void cardan__peers_open(cardan__bench *b, cardan__peers *peers)
{
  static const char *const names[] = {"mujoco", "ode", "simbody", "bullet"};
  static const char *const columns[] = {"relative difference"};
  char missing[160] = "";
  *peers = (cardan__peers){.n = 0};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char path[4200];
    cardan_report report = {.message = ""};
    cardan__peer *peer = &peers->peer[peers->n];
    snprintf(path, sizeof path, "%.4100s/peer-%s", b->options->peers, names[k]);
    *peer = (cardan__peer){.nway = 0};
    if (access(path, X_OK) == 0 &&
        cardan__program_open(path, &peer->program, &report) == CARDAN_OK && read_greeting(peer)) {
      peers->n++;
    } else {
      cardan__program_close(&peer->program);
      const size_t used = strlen(missing);
      snprintf(missing + used, sizeof missing - used, "%s%s", used > 0 ? ", " : "", names[k]);
    }
  }
  char words[400];
  snprintf(words, sizeof words,
           "Kinetic and potential energy of a random state, relative to ours. %s%s%s",
           missing[0] != '\0' ? "Not found when this was built, or it does not start: " : "",
           missing, missing[0] != '\0' ? "." : "");
  b->part = "peers";
  peers->energies = cardan__bench_table_new(
      b, "peers-energy", "Other libraries: check of the models", words, columns, 1);
}

void cardan__peers_close(cardan__bench *b, cardan__peers *peers)
{
  cardan__bench_table_done(b, peers->energies);
  for (int k = 0; k < peers->n; k++) {
    cardan__program_close(&peers->peer[k].program);
  }
}

/* ---- a model as text ---- */

static void add_vec(cardan__text *t, cardan_vec3 x)
{
  const double all[3] = {x.x, x.y, x.z};
  for (int i = 0; i < 3; i++) {
    cardan__text_add(t, " ", 1);
    cardan__text_number(t, all[i]);
  }
}

static void add_mat(cardan__text *t, const cardan_mat3 *R)
{
  for (int i = 0; i < 3; i++) {
    add_vec(t, (cardan_vec3){R->m[i][0], R->m[i][1], R->m[i][2]});
  }
}

/* Its number in bench/peers/peer.h, -1: not one that peers have. */
static int kind_of(const cardan_body *body)
{
  static const char *const words[] = {"revolute", "prismatic", "spherical", "free"};
  const char *word = cardan__link_type_of(body->kind)->word;
  for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
    if (word != NULL && strcmp(word, words[i]) == 0) {
      return i;
    }
  }
  return -1;
}

/* Mass, centre and inertia about it: I_c = I_o - m (c.c 1 - c c^T). */
static void add_inertia(cardan__text *t, const cardan_inertia *I)
{
  const double m = I->m, scale = m > 0 ? 1 / m : 0;
  const cardan_vec3 c = {scale * I->h.x, scale * I->h.y, scale * I->h.z};
  cardan__text_add(t, " ", 1);
  cardan__text_number(t, m);
  add_vec(t, c);
  add_vec(t, (cardan_vec3){I->xx - m * (c.y * c.y + c.z * c.z), I->yy - m * (c.x * c.x + c.z * c.z),
                           I->zz - m * (c.x * c.x + c.y * c.y)});
  add_vec(t, (cardan_vec3){I->xy + m * c.x * c.y, I->xz + m * c.x * c.z, I->yz + m * c.y * c.z});
}

/* Returns whether row r is the first one between its two frames; one pin represents all of them. */
static bool first_of_pin(const cardan_model *m, int r)
{
  return r == 0 || m->row[r].frame[0] != m->row[r - 1].frame[0] ||
         m->row[r].frame[1] != m->row[r - 1].frame[1];
}

/* Writes a model as text. returns why peers do not support it; NULL: the text is complete */
static const char *describe(const cardan_model *m, cardan__text *t)
{
  int pins = 0;
  for (int r = 0; r < m->nrow; r++) {
    if (m->row[r].kind != CARDAN_ROW_POINT) {
      return "not compared: a constraint other than a pin";
    }
    pins += first_of_pin(m, r) ? 1 : 0;
  }
  cardan__text_printf(t, "model %d %d %d %d", m->nbody - 1, pins, m->nq, m->nv);
  add_vec(t, m->gravity);
  cardan__text_printf(t, "\n");
  for (int i = 1; i < m->nbody; i++) {
    const cardan_body *b = &m->body[i];
    if (kind_of(b) < 0 || m->nforce > 0 || m->has_armature) {
      return "not compared: a joint or force that is not translated";
    }
    cardan__text_printf(t, "%d %d %d %d", b->parent, kind_of(b), b->qadr, b->vadr);
    add_vec(t, b->X.p);
    add_mat(t, &b->X.R);
    add_inertia(t, &b->inertia);
    cardan__text_printf(t, "\n");
  }
  for (int r = 0; r < m->nrow; r++) {
    if (first_of_pin(m, r)) {
      const cardan_frame *a = &m->frame[m->row[r].frame[0]], *b = &m->frame[m->row[r].frame[1]];
      cardan__text_printf(t, "%d %d", a->body, b->body);
      add_vec(t, a->X_BF.p);
      add_vec(t, b->X_BF.p);
      cardan__text_printf(t, "\n");
    }
  }
  return NULL;
}

/* q, v, and every body's pose and twist in world axes; data: those of q and v. */
static void describe_state(const cardan_model *m, const cardan_data *data, cardan__text *t)
{
  cardan__text_printf(t, "state");
  for (int i = 0; i < m->nq + m->nv; i++) {
    cardan__text_add(t, " ", 1);
    cardan__text_number(t, i < m->nq ? data->q[i] : data->v[i - m->nq]);
  }
  for (int i = 1; i < m->nbody; i++) {
    const cardan_xform *X = &data->X_W[i];
    cardan__text_printf(t, "\n");
    add_vec(t, X->p);
    add_mat(t, &X->R);
    add_vec(t, cardan__mat3_mulv(&X->R, data->V[i].w));
    add_vec(t, cardan__mat3_mulv(&X->R, data->V[i].v));
  }
  cardan__text_printf(t, "\n");
}

/* ---- the same model? ---- */

/* Requests kinetic and potential energy from the peer. */
static bool ask_energy(const cardan__peer *peer, double *sum)
{
  cardan__text t;
  char line[200], *rest = line;
  cardan__text_init(&t, NULL);
  cardan__text_printf(&t, "energy\n");
  bool good = write_line(peer, &t) && read_line(peer, line, sizeof line);
  cardan__text_free(&t);
  if (good) {
    const char *first = strtok_r(line, " ", &rest);
    double kinetic = NAN;
    good =
        first != NULL && cardan__number_read(first, strlen(first), &kinetic) == CARDAN__NUMBER_OK;
    *sum = kinetic + next_number(&rest);
  }
  return good && isfinite(*sum);
}

/* Sends the model, and compares the energy of a state that is not the start. why: "" when it is
 * the same, else what is wrong. */
static void send_model(cardan__bench *b, cardan__peer *peer, const char *label,
                       const cardan__text *model, const cardan__text *random, double energy,
                       double scale, char why[200])
{
  char line[400], row[120];
  double theirs = NAN;
  if (!write_line(peer, model) || !read_line(peer, line, sizeof line)) {
    snprintf(why, 200, "%s gave up", peer->name);
    return;
  }
  if (strcmp(line, "ok") != 0) {
    snprintf(why, 200, "%.190s", strncmp(line, "no ", 3) == 0 ? line + 3 : line);
    return;
  }
  if (!write_line(peer, random) || !ask_energy(peer, &theirs)) {
    snprintf(why, 200, "%s gave up", peer->name);
    return;
  }
  const double difference = fabs(theirs - energy) / scale;
  snprintf(row, sizeof row, "%s %s", peer->name, label);
  cardan__bench_set(b, b->peers->energies, cardan__bench_row_of(b, b->peers->energies, row, ""), 0,
                    difference, NULL);
  why[0] = '\0';
  if (!(difference < (peer->coarse ? 1e-4 : 1e-9))) {
    snprintf(why, 200, "another model: its energy differs by %.1e", difference);
  }
}

/* A state to compare energies at: loops need not be closed there. */
static void perturb_state(const cardan_model *m, cardan_data *data)
{
  for (int k = 0; k < m->nv; k++) {
    data->a[k] = 0.3 * sin(1.7 * k + 1);
    data->v[k] = sin(2.3 * k + 2);
  }
  cardan_q_move(m, m->q0, data->a, 1, data->q);
  cardan_kinematics(m, data);
}

/* ---- cases ---- */

static cardan_status run(void *user, int n, cardan_report *report)
{
  cardan__peer_subject *s = user;
  cardan__text t;
  char line[200];
  cardan__text_init(&t, NULL);
  cardan__text_printf(&t, "time %s ", s->way->word);
  cardan__text_number(&t, s->dt);
  cardan__text_printf(&t, " %d\n", n);
  const bool good = write_line(s->peer, &t) && read_line(s->peer, line, sizeof line) &&
                    cardan__number_read(line, strlen(line), &s->seconds) == CARDAN__NUMBER_OK;
  cardan__text_free(&t);
  if (good && s->seconds < 0) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0}, "omitted: too many bodies");
  }
  return good ? CARDAN_OK : fail_connection(s->peer, report);
}

static double seconds_of(const void *user)
{
  return ((const cardan__peer_subject *)user)->seconds;
}

static void add_cases(cardan__peer *peer, const char *why, const char *kind, double dt, int n,
                      cardan__peer_subject *holders, cardan__bench_cases *cases)
{
  for (int k = 0; k < peer->nway; k++) {
    const cardan__peer_way *way = &peer->way[k];
    char label[96];
    snprintf(label, sizeof label, "%s %s", peer->name, way->label);
    cardan__bench_case *c =
        strcmp(way->kind, kind) == 0 ? cardan__bench_case_new(cases, label, way->how) : NULL;
    if (c != NULL) {
      cardan__peer_subject *s = &holders[cases->n - 1];
      *s = (cardan__peer_subject){peer, way, dt, 0};
      c->timed =
          (cardan__timed){.subject = s, .run = run, .seconds = seconds_of, .pieces = 1, .n = n};
      c->timed.failed = why[0] != '\0';
      snprintf(c->timed.message, sizeof c->timed.message, "%s", why);
    }
  }
}

void cardan__peers_add(cardan__bench *b, const cardan_model *model, const char *label,
                       const double *q, const double *v, const char *kind, double dt, int n,
                       cardan__peer_subject *holders, cardan__bench_cases *cases)
{
  cardan_data *data = NULL;
  if (b->peers == NULL || cardan_data_create(model, NULL, &data) != CARDAN_OK) {
    return;
  }
  cardan__text text, random, start;
  cardan__text_init(&text, NULL);
  cardan__text_init(&random, NULL);
  cardan__text_init(&start, NULL);
  const char *cannot = describe(model, &text);
  perturb_state(model, data);
  const double kinetic = cardan_kinetic(model, data), potential = cardan_potential(model, data);
  describe_state(model, data, &random);
  memcpy(data->q, q, (size_t)model->nq * sizeof *q);
  memcpy(data->v, v, (size_t)model->nv * sizeof *v);
  cardan_kinematics(model, data);
  describe_state(model, data, &start);
  for (int k = 0; k < b->peers->n; k++) {
    cardan__peer *peer = &b->peers->peer[k];
    char why[200];
    snprintf(why, sizeof why, "%s", cannot != NULL ? cannot : "");
    if (cannot == NULL) {
      send_model(b, peer, label, &text, &random, kinetic + potential, kinetic + fabs(potential),
                 why);
    }
    if (why[0] == '\0' && !write_line(peer, &start)) {
      snprintf(why, sizeof why, "%s gave up", peer->name);
    }
    add_cases(peer, why, kind, dt, n, holders, cases);
  }
  cardan__text_free(&text);
  cardan__text_free(&random);
  cardan__text_free(&start);
  cardan_data_destroy(data);
}

/* ---- whole motions ---- */

cardan_status cardan__peer_solve(cardan__peer *peer, const cardan__peer_way *way, double what,
                                 double T, int nq, double *q, double *seconds,
                                 cardan_report *report)
{
  cardan__text t;
  static const char no[] = "no ";
  char *line = cardan__resize(NULL, NULL, LINE), *rest = NULL;
  cardan_status status = line != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  cardan__text_init(&t, NULL);
  cardan__text_printf(&t, "solve %s ", way->word);
  cardan__text_number(&t, what);
  cardan__text_add(&t, " ", 1);
  cardan__text_number(&t, T);
  cardan__text_printf(&t, "\n");
  if (status == CARDAN_OK && (!write_line(peer, &t) || !read_line(peer, line, LINE))) {
    status = fail_connection(peer, report);
  }
  if (status == CARDAN_OK && strncmp(line, no, strlen(no)) == 0) {
    status = cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0}, "%.150s", line + 3);
  }
  if (status == CARDAN_OK) {
    const char *first = strtok_r(line, " ", &rest);
    status =
        first != NULL && cardan__number_read(first, strlen(first), seconds) == CARDAN__NUMBER_OK
            ? CARDAN_OK
            : fail_connection(peer, report);
    for (int i = 0; i < nq && status == CARDAN_OK; i++) {
      q[i] = next_number(&rest);
      status = isfinite(q[i]) ? CARDAN_OK : fail_connection(peer, report);
    }
  }
  cardan__text_free(&t);
  cardan__resize(NULL, line, 0);
  return status;
}

/* ---- scenes ---- */

bool cardan__peer_set_scene(cardan__peer *peer, const cardan__text *request, char *why)
{
  char line[400];
  if (!write_line(peer, request) || !read_line(peer, line, sizeof line)) {
    snprintf(why, 200, "%s gave up", peer->name);
    return false;
  }
  snprintf(why, 200, "%.190s", strncmp(line, "no ", 3) == 0 ? line + 3 : line);
  return strcmp(line, "ok") == 0;
}

bool cardan__peer_play(cardan__peer *peer, double dt, int steps, int rounds,
                       cardan__peer_times *times)
{
  char line[400] = "", *rest = line;
  cardan__text t;
  cardan__text_init(&t, NULL);
  cardan__text_printf(&t, "play ");
  cardan__text_number(&t, dt);
  cardan__text_printf(&t, " %d %d\n", steps, rounds);
  const bool good = write_line(peer, &t) && read_line(peer, line, sizeof line);
  cardan__text_free(&t);
  const char *first = good ? strtok_r(line, " ", &rest) : NULL;
  if (first == NULL ||
      cardan__number_read(first, strlen(first), &times->seconds) != CARDAN__NUMBER_OK) {
    return false;
  }
  times->p99 = next_number(&rest);
  times->worst = next_number(&rest);
  times->overlap = next_number(&rest);
  times->contacts = next_number(&rest);
  return isfinite(times->contacts);
}
