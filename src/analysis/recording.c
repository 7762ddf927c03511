// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/recording.h"
#include "analysis/spline.h"
#include "base/arena.h"
#include "base/text.h"
#include "formats/csv_read.h"
#include "model/joint_table.h"

/* Measured motion: columns of a CSV table as splines. One pass over the header finds its columns,
 * one over the rows their numbers. */

enum { NAME_SIZE = 512, SKIP = -2, TIME = -1, PARTS = 3 };

struct cardan_recording {
  int nrow, count;
  int *q;             // count: q index
  double *t;          // nrow
  double *knot;       // of all splines
  int degree;         // of all
  double *value;      // 3 count x nrow: q, v, a of each; numbers, then coefficients
  bool (*has)[PARTS]; // count
  void *block;
  cardan_allocator allocator;
};

typedef struct {
  cardan__csv csv;
  const cardan_model *model;
  int nfield;
  int *field;  // nfield: 3 q + (0, 1, 2), TIME or SKIP
  int *number; // nq: coordinate's number in the record, -1: it is none
} reader;

typedef struct {
  cardan_recording *s;
  int nrow;
} sizes;

static void layout(void *what, cardan__carver *c)
{
  const sizes *n = what;
  cardan_recording *s = n->s;
  const size_t rows = (size_t)n->nrow, count = (size_t)s->count;
  s->q = cardan__carve(c, count, sizeof(int));
  s->t = cardan__carve(c, rows, sizeof(double));
  s->knot = cardan__carve(c, cardan__spline_knots(n->nrow), sizeof(double));
  s->value = cardan__carve(c, PARTS * count * rows, sizeof(double));
  s->has = cardan__carve(c, count, sizeof *s->has);
}

/* ---- the header ---- */

/* What a column is of. Quaternions are refused, coordinates with a motion of their own passed
 * over. */
static cardan_status read_name(reader *r, const cardan__csv_part *f, int *to)
{
  const cardan_model *model = r->model;
  char name[NAME_SIZE];
  *to = SKIP;
  if (f->length >= NAME_SIZE || f->length == 0) {
    return CARDAN_OK;
  }
  memcpy(name, f->text, f->length);
  name[f->length] = '\0';
  const char *kinds = "qva", *kind = strchr(kinds, name[0]);
  if (strcmp(name, "t") == 0) {
    *to = TIME;
    return CARDAN_OK;
  }
  const bool dotted = kind != NULL && name[1] == '.';
  int q = dotted ? cardan_model_q(model, name + 2) : -1;
  const int v = dotted && q < 0 ? cardan_model_v(model, name + 2) : -1;
  const int body = q >= 0 ? model->q_body[q] : v >= 0 ? model->v_body[v] : -1;
  if (body < 0) {
    return CARDAN_OK;
  }
  const cardan_body *b = &model->body[body];
  if (b->nq != 1) {
    return cardan_fail(r->csv.report, CARDAN_ERR_MODEL, f->pos,
                       "found \"%.60s\", of a joint with a quaternion; expected coordinates that "
                       "are numbers: a chain of hinges in its place has such",
                       name);
  }
  if (!(b->flags & CARDAN_LINK_KINEMATIC)) { // those follow their motion
    *to = PARTS * b->qadr + (int)(kind - kinds);
  }
  return CARDAN_OK;
}

/* field: NULL, only counted. */
static cardan_status read_header(reader *r)
{
  bool time = false;
  r->nfield = 0;
  for (;;) {
    cardan__csv_part f;
    int to = SKIP;
    cardan_status status = cardan__csv_take(&r->csv, &f);
    status = status == CARDAN_OK ? read_name(r, &f, &to) : status;
    if (status != CARDAN_OK) {
      return status;
    }
    for (int i = 0; r->field != NULL && to != SKIP && i < r->nfield; i++) {
      if (r->field[i] == to) {
        r->csv.pos = f.pos;
        return cardan__csv_wrong(&r->csv, "a second column", &f, "one of each");
      }
    }
    if (r->field != NULL) {
      r->field[r->nfield] = to;
    }
    time = time || to == TIME;
    r->nfield++;
    if (cardan__csv_line_end(&r->csv)) {
      break;
    }
    cardan__csv_pass(&r->csv, 1);
  }
  r->csv.pos = (cardan_pos){1, 1};
  return time ? CARDAN_OK
              : cardan__csv_wrong(&r->csv, "no column t", NULL,
                                  "the time of each row in a column t");
}

/* Coordinates with a column q.NAME, in the order of their columns. */
static cardan_status number_coordinates(reader *r, cardan_recording *s)
{
  for (int i = 0; i < r->model->nq; i++) {
    r->number[i] = -1;
  }
  for (int i = 0; i < r->nfield; i++) {
    if (r->field[i] >= 0 && r->field[i] % PARTS == 0) {
      r->number[r->field[i] / PARTS] = s->count++;
    }
  }
  return s->count > 0 ? CARDAN_OK
                      : cardan_fail(r->csv.report, CARDAN_ERR_MODEL, (cardan_pos){1, 1},
                                    "found no column q.NAME of a coordinate that can be given; "
                                    "the model has q.%.60s",
                                    r->model->nq > 0 ? r->model->q_name[0] : "..");
}

/* ---- rows ---- */

static cardan_status read_row(reader *r, cardan_recording *s, int nrow)
{
  for (int k = 0; k < r->nfield; k++) {
    const cardan_pos at = r->csv.pos;
    const int field = r->field[k], c = field >= 0 ? r->number[field / PARTS] : -1;
    double x = 0;
    cardan__csv_part skipped;
    cardan_status status = CARDAN_OK;
    if (field == TIME || c >= 0 || (k > 0 && cardan__csv_line_end(&r->csv))) {
      status = cardan__csv_next(&r->csv, k, r->nfield, &x); // or says that the row is too short
    } else {
      cardan__csv_pass(&r->csv, k > 0);
      status = cardan__csv_take(&r->csv, &skipped);
    }
    if (status != CARDAN_OK) {
      return status;
    }
    if (field == TIME && s->nrow > 0 && !(x > s->t[s->nrow - 1])) {
      return cardan_fail(
          r->csv.report, CARDAN_ERR_SYNTAX, (cardan_pos){at.line, at.column + (k > 0)},
          "found t = %.17g after %.17g; expected times that increase", x, s->t[s->nrow - 1]);
    }
    if (field == TIME) {
      s->t[s->nrow] = x;
    } else if (c >= 0) {
      const size_t part = PARTS * (size_t)c + (size_t)(field % PARTS);
      s->value[part * (size_t)nrow + (size_t)s->nrow] = x;
      s->has[c][field % PARTS] = true;
      s->q[c] = field / PARTS;
    }
  }
  s->nrow++;
  return cardan__csv_row_end(&r->csv, r->nfield);
}

/* Replaces the values of rows by coefficients of splines. */
static cardan_status fit_splines(cardan_recording *s, int room, cardan_report *report)
{
  const size_t n = (size_t)s->nrow, more = cardan__spline_work(s->nrow);
  double *work = cardan__resize(&s->allocator, NULL, (more + n) * sizeof *work);
  if (work == NULL) {
    return cardan__no_memory(report);
  }
  bool good = true;
  s->degree = cardan__spline_begin(s->nrow, s->t, s->knot);
  for (int k = 0; k < PARTS * s->count && good; k++) {
    double *value = s->value + (size_t)k * (size_t)room;
    if (s->has[k / PARTS][k % PARTS]) {
      memcpy(work + more, value, n * sizeof *work);
      good = cardan__spline_fit(s->nrow, s->degree, s->t, s->knot, work + more, value, work);
    }
    memmove(s->value + (size_t)k * n, value, n * sizeof *value); // rows may be fewer than lines
  }
  cardan__resize(&s->allocator, work, 0);
  return good ? CARDAN_OK
              : cardan_fail(report, CARDAN_ERR_SYNTAX, (cardan_pos){0, 0},
                            "no spline goes through the rows: their times lie too close together");
}

static cardan_status read_table(reader *r, cardan_recording *s)
{
  cardan_status status = read_header(r);
  status = status == CARDAN_OK ? number_coordinates(r, s) : status;
  if (status != CARDAN_OK) {
    return status;
  }
  const size_t lines = cardan__csv_lines(&r->csv);
  sizes n = {s, (int)lines};
  s->block = lines < 100000000 ? cardan__carve_block(&s->allocator, layout, &n) : NULL;
  if (s->block == NULL) {
    return cardan__no_memory(r->csv.report);
  }
  while (status == CARDAN_OK && cardan__csv_next_line(&r->csv)) {
    if (!cardan__csv_line_end(&r->csv)) { // an empty line says nothing
      status = read_row(r, s, n.nrow);
    }
  }
  if (status == CARDAN_OK && s->nrow < 2) {
    return cardan__csv_wrong(&r->csv, "fewer than two rows", NULL, "a motion");
  }
  return status == CARDAN_OK ? fit_splines(s, n.nrow, r->csv.report) : status;
}

cardan_status cardan_recording_read(const cardan_model *model, const char *text, size_t length,
                                    const char *file, const cardan_allocator *allocator,
                                    cardan_recording **out, cardan_report *report)
{
  reader r = {.csv = cardan__csv_begin(text, length, report), .model = model};
  const cardan__csv begin = r.csv;
  *out = NULL;
  cardan__report_file(report, file ? file : "");
  cardan_status status = read_header(&r); // counts
  if (status != CARDAN_OK) {
    return status;
  }
  r.csv = begin;
  cardan_recording *s = cardan__zeros(allocator, sizeof *s);
  r.field =
      cardan__resize(allocator, NULL, ((size_t)r.nfield + (size_t)model->nq + 1) * sizeof *r.field);
  if (s != NULL && allocator != NULL) {
    s->allocator = *allocator;
  }
  if (s != NULL && r.field != NULL) {
    r.number = r.field + r.nfield;
    status = read_table(&r, s);
  } else {
    status = cardan__no_memory(report);
  }
  cardan__resize(allocator, r.field, 0);
  if (status == CARDAN_OK) {
    *out = s;
  } else {
    cardan_recording_destroy(s);
  }
  return status;
}

void cardan_recording_destroy(cardan_recording *motion)
{
  if (motion != NULL) {
    const cardan_allocator allocator = motion->allocator;
    cardan__resize(&allocator, motion->block, 0);
    cardan__resize(&allocator, motion, 0);
  }
}

int cardan_recording_row_count(const cardan_recording *motion)
{
  return motion->nrow;
}

double cardan_recording_time(const cardan_recording *motion, int row)
{
  return motion->t[row];
}

int cardan__recording_coordinate_count(const cardan_recording *recording)
{
  return recording->count;
}

int cardan_recording_coordinate(const cardan_recording *motion, int k)
{
  return motion->q[k];
}

void cardan_recording_at(const cardan_recording *motion, int k, double t, double out[3])
{
  double own[3];
  int from = 0; // the part that derivatives are taken of
  for (int part = 0; part < PARTS; part++) {
    from = motion->has[k][part] ? part : from;
    const cardan__spline s = {motion->nrow, motion->degree, motion->knot,
                              motion->value + (size_t)(PARTS * k + from) * (size_t)motion->nrow};
    cardan__spline_at(&s, t, own);
    out[part] = own[part - from];
  }
  // t0 + k dt may pass the last row by rounding, and is that row
  const double first = motion->t[0], last = motion->t[motion->nrow - 1];
  const double near = 8 * DBL_EPSILON * (fabs(first) + fabs(last));
  if (t < first - near || t > last + near) {
    out[1] = out[2] = 0;
  }
}

bool cardan_recording_find_jump(const cardan_model *model, const cardan_recording *motion, int *k,
                                int *row)
{
  const double half_a_turn = 3.14159265358979323846;
  for (int i = 0; i < motion->count; i++) {
    const cardan_body *b = &model->body[model->q_body[motion->q[i]]];
    double x[3], before = 0.0;
    for (int r = 0; r < motion->nrow && !cardan__link_slides(b, 0); r++) {
      cardan_recording_at(motion, i, motion->t[r], x);
      if (r > 0 && fabs(x[0] - before) > half_a_turn) {
        *k = i;
        *row = r - 1;
        return true;
      }
      before = x[0];
    }
  }
  return false;
}
