// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cardan/describe.h"
#include "output/csv_text.h"
#include "output/json.h"

/* Modes as a table to read, as CSV, or as JSON. */

static int shown_modes(const cardan_modes *modes, int count)
{
  return count > 0 && count < modes->n ? count : modes->n;
}

static void json_notes(const cardan_modes *modes, cardan__json *j)
{
  char note[CARDAN_MATRICES_NOTE];
  cardan__json_open(j, "notes", '[');
  for (int k = 0; cardan_matrices_note(modes->matrices, k, note); k++) {
    cardan__json_string(j, NULL, note);
  }
  cardan__json_close(j, ']');
}

static void json_mode(const cardan_modes *modes, const cardan_mode *mode, cardan__json *j)
{
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "kind", cardan_mode_word(mode->kind));
  cardan__json_number(j, "frequency", mode->frequency);
  cardan__json_number(j, "damping", mode->damping);
  cardan__json_open(j, "eigenvalue", '[');
  cardan__json_number(j, NULL, mode->re);
  cardan__json_number(j, NULL, mode->im);
  cardan__json_close(j, ']');
  cardan__json_number(j, "error", mode->error);
  cardan__json_number(j, "residual", mode->residual);
  cardan__json_bool(j, "unstable", mode->unstable);
  cardan__json_bool(j, "doubtful", mode->doubtful);
  cardan__json_numbers(j, "shape", mode->shape, modes->matrices->nv);
  cardan__json_numbers(j, "quarter", mode->quarter, modes->matrices->nv);
  if (modes->matrices->nz > 0) {
    cardan__json_numbers(j, "z", mode->z, modes->matrices->nz);
    cardan__json_numbers(j, "z_quarter", mode->z_quarter, modes->matrices->nz);
  }
  cardan__json_close(j, '}');
}

static void write_json(const cardan_modes *modes, const char *name, int count, cardan__json *j)
{
  const cardan_matrices *m = modes->matrices;
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", name);
  cardan__json_number(j, "t", m->t);
  cardan__json_numbers(j, "q", m->q, m->model->nq);
  cardan__json_open(j, "velocities", '[');
  for (int k = 0; k < m->nv; k++) {
    cardan__json_string(j, NULL, m->model->v_name[k]);
  }
  cardan__json_close(j, ']');
  if (m->nz > 0) {
    cardan__json_open(j, "state_variables", '[');
    for (int k = 0; k < m->nz; k++) {
      cardan__json_string(j, NULL, m->model->state[k].name);
    }
    cardan__json_close(j, ']');
  }
  cardan__json_int(j, "dof", m->n);
  if (m->model->nvelocity_row > 0) {
    cardan__json_int(j, "velocity_dof", m->nx - m->n);
  }
  cardan__json_bool(j, "equilibrium", m->balanced && !m->moves);
  cardan__json_int(j, "unstable", modes->nunstable);
  cardan__json_int(j, "count", modes->n);
  cardan__json_open(j, "modes", '[');
  for (int k = 0; k < shown_modes(modes, count); k++) {
    json_mode(modes, &modes->mode[k], j);
  }
  cardan__json_close(j, ']');
  json_notes(modes, j);
  cardan__json_close(j, '}');
  cardan__text_add(&j->text, "\n", 1);
}

/* Entry k of a shape: of the velocities, then of the auxiliary states. */
static const double *entry(const cardan_modes *modes, const cardan_mode *mode, int k, int side)
{
  const int nv = modes->matrices->nv;
  return k < nv ? (side ? mode->quarter : mode->shape) + k
                : (side ? mode->z_quarter : mode->z) + (k - nv);
}

/* The largest entries of a shape, by name. */
static void text_shape(const cardan_modes *modes, const cardan_mode *mode, cardan__text *out)
{
  enum { SHOWN = 4 };
  const cardan_matrices *m = modes->matrices;
  const int n = m->nv + m->nz;
  int shown[SHOWN];
  for (int i = 0; i < SHOWN && i < n; i++) {
    int best = -1;
    double most = 1e-6;
    for (int k = 0; k < n; k++) {
      bool seen = false;
      for (int l = 0; l < i; l++) {
        seen = seen || shown[l] == k;
      }
      const double size = hypot(*entry(modes, mode, k, 0), *entry(modes, mode, k, 1));
      best = !seen && size > most ? k : best;
      most = best == k ? size : most;
    }
    if (best < 0) {
      break;
    }
    shown[i] = best;
    const double re = *entry(modes, mode, best, 0), im = *entry(modes, mode, best, 1);
    const bool z = best >= m->nv;
    cardan__text_printf(out, "%s%s%.40s %.3g", i > 0 ? ", " : "", z ? "z." : "",
                        z ? m->model->state[best - m->nv].name : m->model->v_name[best], re);
    if (fabs(im) > 1e-6) {
      cardan__text_printf(out, "%+.3gi", im);
    }
  }
  cardan__text_printf(out, "\n");
}

static const char *verdict(const cardan_mode *mode)
{
  return mode->doubtful                                      ? "in doubt"
         : mode->kind == CARDAN_MODE_SWING && mode->unstable ? "swing, grows"
                                                             : cardan_mode_word(mode->kind);
}

static void write_text(const cardan_modes *modes, const char *name, int count, cardan__text *out)
{
  const cardan_matrices *m = modes->matrices;
  char note[CARDAN_MATRICES_NOTE];
  int rigid = 0, doubtful = 0;
  for (int k = 0; k < modes->n; k++) {
    rigid += modes->mode[k].kind == CARDAN_MODE_RIGID;
    doubtful += modes->mode[k].doubtful;
  }
  cardan__text_printf(out, "%s: %d degree%s of freedom", name, m->n, m->n == 1 ? "" : "s");
  if (m->model->nvelocity_row > 0) {
    cardan__text_printf(out, " in positions and %d in velocities", m->nx - m->n);
  }
  cardan__text_printf(out, ", %d mode%s, %d of them rigid, %d unstable\n", modes->n,
                      modes->n == 1 ? "" : "s", rigid, modes->nunstable);
  if (modes->n > 0) {
    cardan__text_printf(out, "  %4s %-12s %14s %11s %13s %13s  %s\n", "mode", "kind",
                        "frequency [Hz]", "damping", "re s [1/s]", "im s [1/s]",
                        "largest in shape");
  }
  for (int k = 0; k < shown_modes(modes, count); k++) {
    const cardan_mode *mode = &modes->mode[k];
    cardan__text_printf(out, "  %4d %-12s %14.8g %11.4g %13.6g %13.6g  ", k + 1, verdict(mode),
                        mode->frequency, mode->damping, mode->re, mode->im);
    text_shape(modes, mode, out);
  }
  for (int k = 0; cardan_matrices_note(m, k, note); k++) {
    cardan__text_printf(out, "note: %s\n", note);
  }
  if (doubtful > 0) {
    cardan__text_printf(out, "note: %d in doubt: rounding may move them by as much as they are\n",
                        doubtful);
  }
}

static void write_csv(const cardan_modes *modes, int count, cardan__text *out)
{
  const cardan_matrices *m = modes->matrices;
  cardan__text_printf(out, "mode,kind,frequency,damping,re,im,error,residual");
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < m->nv; k++) {
      cardan__text_printf(out, ",");
      cardan__csv_name(out, side == 0 ? "shape." : "quarter.", m->model->v_name[k]);
    }
    for (int k = 0; k < m->nz; k++) {
      cardan__text_printf(out, ",");
      cardan__csv_name(out, side == 0 ? "shape.z." : "quarter.z.", m->model->state[k].name);
    }
  }
  cardan__text_printf(out, "\n");
  for (int k = 0; k < shown_modes(modes, count); k++) {
    const cardan_mode *x = &modes->mode[k];
    const double head[] = {x->frequency, x->damping, x->re, x->im, x->error, x->residual};
    cardan__text_printf(out, "%d,%s", k + 1, cardan_mode_word(x->kind));
    cardan__csv_numbers(out, head, (int)(sizeof head / sizeof *head));
    cardan__csv_numbers(out, x->shape, m->nv);
    cardan__csv_numbers(out, x->z, m->nz);
    cardan__csv_numbers(out, x->quarter, m->nv);
    cardan__csv_numbers(out, x->z_quarter, m->nz);
    cardan__text_printf(out, "\n");
  }
}

cardan_status cardan_describe_modes(const cardan_modes *modes, const char *name, int count,
                                    cardan_modes_form form, const cardan_allocator *allocator,
                                    char **text)
{
  cardan__json j;
  cardan__json_init(&j, allocator);
  if (form == CARDAN_MODES_JSON) {
    write_json(modes, name, count, &j);
  } else if (form == CARDAN_MODES_CSV) {
    write_csv(modes, count, &j.text);
  } else {
    write_text(modes, name, count, &j.text);
  }
  *text = j.text.failed ? NULL : j.text.data;
  if (j.text.failed) {
    cardan__text_free(&j.text);
    return CARDAN_ERR_MEMORY;
  }
  return CARDAN_OK;
}
