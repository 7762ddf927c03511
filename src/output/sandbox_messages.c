// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "output/result_table.h"
#include "output/sandbox_inside.h"

/* Each message once, for the end that sends and the end that gets it. */

void cardan__sandbox_request_message(cardan__ipc *w, cardan__sandbox_request *request)
{
  cardan__ipc_number(w, &request->kind);
  cardan__ipc_number(w, &request->a);
  cardan__ipc_number(w, &request->b);
}

void cardan__sandbox_reply_message(cardan__ipc *w, int64_t *status, char why[256])
{
  cardan__ipc_number(w, status);
  cardan__ipc_bytes(w, why, 256);
  why[255] = '\0';
}

static void settings_message(cardan__ipc *w, cardan_setting **list, int *n)
{
  cardan__ipc_count(w, n);
  *list = cardan__ipc_room(w, *list, *n, sizeof **list);
  for (int k = 0; k < *n && !w->failed; k++) {
    char *name = (char *)(*list)[k].name;
    cardan__ipc_text(w, &name);
    cardan__ipc_bytes(w, &(*list)[k].value, sizeof(*list)[k].value);
    (*list)[k].name = name;
    w->failed = w->failed || !name;
  }
}

/* A text of bytes that may be any. */
static void long_message(cardan__ipc *w, char **text, size_t *length)
{
  void *bytes = *text;
  cardan__ipc_block(w, &bytes, length);
  *text = bytes;
}

static void state_message(cardan__ipc *w, cardan_result *r)
{
  cardan__ipc_block(w, &r->state, &r->state_size);
  cardan__ipc_number(w, &r->state_row);
  cardan__ipc_number(w, &r->state_step);
}

void cardan__sandbox_result_message(cardan__ipc *w, cardan__result_file *file)
{
  cardan_result *r = &file->result;
  int64_t add = r->add;
  cardan__ipc_text(w, &r->version);
  cardan__ipc_text(w, &r->model);
  long_message(w, &r->text, &r->length);
  cardan__ipc_count(w, &r->format);
  cardan__ipc_number(w, &add);
  r->add = (int)add;
  int noption = file->noption;
  cardan__ipc_texts(w, &file->option_name, &noption);
  cardan__ipc_texts(w, &file->option_text, &file->noption);
  w->failed = w->failed || noption != file->noption;
  settings_message(w, &r->setting, &r->nsetting);
  settings_message(w, &r->initial, &r->ninitial);
  long_message(w, &r->input, &r->input_length);
  cardan__ipc_flag(w, &r->input_linear);
  cardan__ipc_text(w, &r->note);
  cardan__ipc_text(w, &r->given);
  long_message(w, &r->plan, &r->plan_length);
  cardan__ipc_texts(w, &r->column, &r->ncolumn);
  r->beside = w->failed ? 0 : cardan__add_beside(r->add, r->column, r->ncolumn);
  cardan__ipc_number(w, &r->nrow);
  state_message(w, r);
  w->failed = w->failed || !r->version || !r->model || !r->text || r->ncolumn < 1 || r->nrow < 0;
}

static void words_message(cardan__ipc *w, cardan_sweep_result *sweep_result)
{
  cardan_sweep_result_labels *list = (cardan_sweep_result_labels *)sweep_result->words;
  cardan__ipc_count(w, &sweep_result->nwords);
  list = cardan__ipc_room(w, list, sweep_result->nwords, sizeof *list);
  for (int k = 0; k < sweep_result->nwords && !w->failed; k++) {
    char **word = (char **)list[k].word;
    cardan__ipc_count(w, &list[k].column);
    cardan__ipc_texts(w, &word, &list[k].n);
    list[k].word = (const char *const *)word;
  }
  sweep_result->words = list;
}

static void sentences_message(cardan__ipc *w, cardan_sweep_result *sweep_result)
{
  cardan_sweep_result_message *list = (cardan_sweep_result_message *)sweep_result->message;
  cardan__ipc_number(w, &sweep_result->nmessage);
  list = cardan__ipc_room(w, list, sweep_result->nmessage, sizeof *list);
  for (int64_t k = 0; k < sweep_result->nmessage && !w->failed; k++) {
    char *text = (char *)list[k].text;
    cardan__ipc_number(w, &list[k].number);
    cardan__ipc_text(w, &text);
    list[k].text = text;
    w->failed = w->failed || !text;
  }
  sweep_result->message = list;
}

void cardan__sandbox_sweep_result_message(cardan__ipc *w, cardan_sweep_result *sweep_result)
{
  words_message(w, sweep_result);
  sentences_message(w, sweep_result);
  int64_t *kept = (int64_t *)sweep_result->kept;
  cardan__ipc_count(w, &sweep_result->nkept);
  kept = cardan__ipc_room(w, kept, sweep_result->nkept, sizeof *kept);
  if (!w->failed) {
    cardan__ipc_bytes(w, kept, (size_t)sweep_result->nkept * sizeof *kept);
  }
  sweep_result->kept = kept;
}

void cardan__sandbox_motion_message(cardan__ipc *w, cardan_sweep_result_rows *motion)
{
  void *rows = motion->row;
  size_t size = (size_t)motion->nrow * (size_t)motion->ncolumn * sizeof *motion->row;
  cardan__ipc_texts(w, &motion->column, &motion->ncolumn);
  cardan__ipc_number(w, &motion->nrow);
  cardan__ipc_block(w, &rows, &size);
  motion->row = rows;
  const uint64_t each = (uint64_t)motion->ncolumn * sizeof *motion->row;
  w->failed = w->failed || motion->ncolumn < 1 || motion->nrow < 0 || !rows ||
              (uint64_t)motion->nrow != size / each || size % each != 0;
}
