// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/hash.h"
#include "base/spans.h"
#include "model/data_fields.h"
#include "model/fingerprint.h"
#include "run/sim.h"

/* The state of a run as one block of bytes:
 *   header    the format, the library, fingerprints of the model and of the options
 *   spans     the node, statistics, and the state of the stepper
 * The block depends on the machine and the build: it is for continuing a run, not for archives.
 * Fingerprints and the checksum guard against accidents, not against malice. */

static const char magic[16] = "cardan state 7";

typedef struct {
  char magic[16];
  char version[CARDAN_ORIGIN_SIZE],
      level[CARDAN_ORIGIN_SIZE]; // of the library, and the instructions that it was compiled for
  uint64_t size;                 // of the whole block [bytes]
  uint64_t model, options;
  uint64_t check; // of the spans
} header;

/* ---- fingerprints ---- */

/* The fingerprint of the model, recomputed only after cardan_model_set. */
static uint64_t model_fingerprint(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  if (sim->model_print == 0 || sim->print_revision != model->revision) {
    sim->model_print = cardan__model_fingerprint(model);
    sim->print_revision = model->revision;
  }
  return sim->model_print;
}

static uint64_t hash_spans(const void *spans, size_t size)
{
  return cardan__fnv1a(CARDAN__HASH_START, spans, size);
}

/* Of the options that change motions: not of the interval of rows, the limit of a warning and, for
 * fixed steps, the end time. */
static uint64_t hash_options(const cardan_sim *sim)
{
  const bool ends = cardan__sim_adaptive(sim);
  uint64_t hash = CARDAN__HASH_START;
  for (int i = 0; cardan_option_name(i) != NULL; i++) {
    const char *name = cardan_option_name(i);
    char value[64] = "";
    if (strcmp(name, "every") != 0 && strcmp(name, "max-error") != 0 &&
        (ends || strcmp(name, "time") != 0)) {
      cardan__option_counts(sim->stepper->method, &sim->options, i, value, sizeof value);
      hash = cardan__fnv1a(hash, value, strlen(value) + 1);
    }
  }
  return hash;
}

/* The same, computed once: options of a sim are constant. */
static uint64_t options_fingerprint(cardan_sim *sim)
{
  if (sim->options_print == 0) {
    sim->options_print = hash_options(sim);
  }
  return sim->options_print;
}

/* ---- spans ---- */

/* F(field, kind) of cardan__watch.
 * number, numbers  any bytes
 * flag             0 or 1
 * expr, force      the index of one, from 1; 0: none
 * row              the index of one, from 0; -1: none
 * grips, ngrip     constraints, from 1, 0: none, and how many */
#define WATCH_FIELDS(F)      \
  F(looks, number)           \
  F(t, number)               \
  F(balance, number)         \
  F(kinetic, number)         \
  F(kinetic_max, number)     \
  F(band, number)            \
  F(violation, number)       \
  F(play, number)            \
  F(t_off, number)           \
  F(off, flag)               \
  F(blown, flag)             \
  F(far, flag)               \
  F(t_far, number)           \
  F(step_max, number)        \
  F(undefined, flag)         \
  F(driven, flag)            \
  F(open, flag)              \
  F(row, row)                \
  F(ntable, expr)            \
  F(left, expr)              \
  F(left_t, number)          \
  F(left_x, number)          \
  F(left_end, number)        \
  F(turned, force)           \
  F(turned_t, number)        \
  F(turned_angle, number)    \
  F(turned_rate, number)     \
  F(lifted, force)           \
  F(lifted_t, number)        \
  F(lifted_depth, number)    \
  F(wrapped, expr)           \
  F(wrapped_at, numbers)     \
  F(ngrip, ngrip)            \
  F(grip, grips)             \
  F(grip_t, numbers)         \
  F(grip_normal, numbers)    \
  F(grip_slip, numbers)      \
  F(table_reported, flag)    \
  F(bushing_reported, flag)  \
  F(tyre_reported, flag)     \
  F(angle_reported, flag)    \
  F(momentum_reported, flag) \
  F(error_reported, flag)    \
  F(grip_reported, flag)

#define LIST_number(at) cardan__spans_add(list, at, 1, sizeof *(at))
#define LIST_numbers(at) cardan__spans_add(list, at, 1, sizeof *(at))
#define LIST_flag(at) cardan__spans_flag(list, at)
#define LIST_expr(at) cardan__spans_ints(list, at, 1, 0, sim->model->nexpr)
#define LIST_force(at) cardan__spans_ints(list, at, 1, 0, sim->model->nforce)
#define LIST_row(at) cardan__spans_ints(list, at, 1, -1, sim->model->nrow - 1)
#define LIST_grips(at) \
  cardan__spans_ints(list, *(at), CARDAN__WATCH_GRIPS, 0, sim->model->nconstraint)
#define LIST_ngrip(at) cardan__spans_ints(list, at, 1, 0, CARDAN__WATCH_GRIPS)
#define LIST(field, kind) LIST_##kind(&sim->watch.field);
#define VALUE_number 0
#define VALUE_numbers \
  {                   \
    0                 \
  }
#define VALUE_flag 0
#define VALUE_expr 0
#define VALUE_force 0
#define VALUE_row 0
#define VALUE_grips VALUE_numbers
#define VALUE_ngrip 0
#define VALUE(field, kind) VALUE_##kind,

static void list_watch(cardan_sim *sim, cardan__spans *list)
{
  CARDAN__FIELDS_ONCE(WATCH_FIELDS(CARDAN__FIELD_MEMBER))
  CARDAN__FIELDS_ALL(cardan__watch, WATCH_FIELDS(VALUE))
  WATCH_FIELDS(LIST)
}

/* The fields of a data that model/data_fields.h lists as saved; m: the model. */
#define SPAN_saved(field) CARDAN__SPANS_ONE(list, data->field);
#define SPAN_made(field)
#define SPAN_own(field)
#define SPAN_shared(field)
#define SPAN(field, kind) SPAN_##kind(field)
#define SPANS_saved(field, room) \
  cardan__spans_add(list, data->field, (size_t)(room), sizeof *data->field);
#define SPANS_made(field, room)
#define SPANS(field, room, kind) SPANS_##kind(field, room)

static void list_spans(cardan_sim *sim, cardan__spans *list)
{
  const cardan_model *m = sim->model;
  cardan_data *data = sim->data;
  cardan__stepper *stepper = sim->stepper;
  list->n = 0;
  CARDAN__DATA_NODE(SPAN)
  CARDAN__DATA_ARRAYS(SPANS)
  CARDAN__SPANS_ONE(list, sim->stats);
  CARDAN__SPANS_ONE(list, sim->square_sum);
  CARDAN__SPANS_ONE(list, sim->t_start);
  CARDAN__SPANS_ONE(list, sim->k_start);
  CARDAN__SPANS_ONE(list, sim->sampled_control.t0);
  CARDAN__SPANS_ONE(list, sim->work_start);
  CARDAN__SPANS_ONE(list, sim->substeps.now);
  cardan__trend_spans(&sim->trend, list);
  cardan__estimate_spans(sim, list);
  cardan__switches_spans(&sim->switches, list);
  cardan__angle_unwrap_spans(sim, list);
  cardan__spans_flag(list, &sim->settled);
  CARDAN__SPANS_ONE(list, sim->note);
  list_watch(sim, list);
  CARDAN__SPANS_ONE(list, sim->watch_text);
  if (sim->momenta.n > 0) {
    cardan__spans_add(list, sim->momenta.at, (size_t)sim->momenta.n, sizeof *sim->momenta.at);
  }
  CARDAN__SPANS_ONE(list, stepper->iterations);
  CARDAN__SPANS_ONE(list, stepper->evaluations);
  CARDAN__SPANS_ONE(list, stepper->accepted);
  CARDAN__SPANS_ONE(list, stepper->rejected);
  CARDAN__SPANS_ONE(list, stepper->restarts);
  if (sim->contacts != NULL) {
    cardan__contacts_spans(sim->contacts, list);
  }
  stepper->method->spans(stepper, list);
}

static size_t count_bytes(const cardan_sim *sim, const cardan__spans *list)
{
  const size_t records =
      sim->contacts != NULL ? cardan__contacts_copy_records(sim->contacts, NULL, false) : 0;
  return sizeof(header) + cardan__spans_size(list) + records;
}

size_t cardan_sim_snapshot_size(cardan_sim *sim)
{
  cardan__spans list;
  list_spans(sim, &list);
  return count_bytes(sim, &list);
}

/* ---- save and load ---- */

/* The library that writes or reads the state. */
static void set_origin(header *head)
{
  memset(head->version, 0, sizeof head->version);
  memset(head->level, 0, sizeof head->level);
  snprintf(head->version, sizeof head->version, "%s", cardan_version());
  snprintf(head->level, sizeof head->level, "%s", cardan_cpu_level());
}

cardan_status cardan_sim_snapshot_save(cardan_sim *sim, void *state, size_t size,
                                       cardan_report *report)
{
  cardan__spans list;
  list_spans(sim, &list);
  if (!sim->started || size < count_bytes(sim, &list)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       sim->started ? "a state needs %zu bytes, there is room for %zu"
                                    : "the run was not started: it has no state to save",
                       count_bytes(sim, &list), size);
  }
  header head = {.size = count_bytes(sim, &list),
                 .model = model_fingerprint(sim),
                 .options = options_fingerprint(sim)};
  memcpy(head.magic, magic, sizeof magic);
  set_origin(&head);
  char *to = cardan__spans_copy(&list, (char *)state + sizeof head, false);
  memset(to, 0, (size_t)((char *)state + head.size - to));
  if (sim->contacts != NULL) {
    cardan__contacts_copy_records(sim->contacts, to, false);
  }
  head.check = hash_spans((char *)state + sizeof head, head.size - sizeof head);
  memcpy(state, &head, sizeof head);
  if (sim->stepper->method->rejoin != NULL) {
    sim->stepper->method->rejoin(sim->stepper, sim->data, false);
  }
  return CARDAN_OK;
}

/* NULL, or the reason why these bytes are not a state of this run. */
static const char *find_mismatch(cardan_sim *sim, const void *state, size_t size, size_t want)
{
  header head;
  if (size < sizeof head) {
    return "these are too few bytes for the state of a run";
  }
  memcpy(&head, state, sizeof head);
  if (memcmp(head.magic, magic, sizeof magic) != 0) {
    return "these bytes are not the state of a run, or not of this version";
  }
  header ours = head;
  set_origin(&ours);
  if (memcmp(&head, &ours, sizeof head) != 0) {
    return "this is the state of another version of the library, or of one for other processors: "
           "its bits would differ";
  }
  if (head.model != model_fingerprint(sim)) {
    return "this is the state of another model";
  }
  if (head.options != options_fingerprint(sim)) {
    return "this is the state of a run with other options";
  }
  if (head.size != want || size < want) {
    return "this state is cut short, or of another build";
  }
  if (head.check != hash_spans((const char *)state + sizeof head, want - sizeof head)) {
    return "this state is damaged: its checksum is wrong";
  }
  return NULL;
}

/* Checks the values: a damaged index would point beyond its array. */
static bool has_valid_values(const cardan_sim *sim, const cardan__spans *list, const char *from)
{
  int nrecord = 0;
  for (int i = 0; i < list->n; i++) {
    if (!cardan__spans_allow(list, i, from)) {
      return false;
    }
    if (sim->contacts != NULL && list->span[i].at == &sim->contacts->ledger.nrecord) {
      memcpy(&nrecord, from, sizeof nrecord);
    }
    from += list->span[i].bytes;
  }
  return nrecord == 0 || cardan__contact_records_allowed(from, nrecord);
}

bool cardan_snapshot_origin(const void *state, size_t size, char version[CARDAN_ORIGIN_SIZE],
                            char level[CARDAN_ORIGIN_SIZE])
{
  header head = {.magic = ""};
  if (size >= sizeof head) {
    memcpy(&head, state, sizeof head);
  }
  memcpy(version, head.version, sizeof head.version);
  memcpy(level, head.level, sizeof head.level);
  version[CARDAN_ORIGIN_SIZE - 1] = level[CARDAN_ORIGIN_SIZE - 1] = '\0';
  return memcmp(head.magic, magic, sizeof magic) == 0;
}

bool cardan_sim_is_bit_resumable(const cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  return cardan__option_find(method, "integrator") == NULL ||
         !cardan__integrator_foreign(cardan__option_choice(method, "integrator", &sim->options));
}

cardan_status cardan_sim_snapshot_load(cardan_sim *sim, const void *state, size_t size,
                                       cardan_report *report)
{
  cardan__spans list;
  list_spans(sim, &list);
  const char *why = find_mismatch(sim, state, size, count_bytes(sim, &list));
  if (why == NULL && !has_valid_values(sim, &list, (const char *)state + sizeof(header))) {
    why = "this state is damaged: it has values that no run has";
  }
  if (why != NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0}, "%s", why);
  }
  char *records = cardan__spans_copy(&list, (char *)state + sizeof(header), true); // only reads it
  if (sim->contacts != NULL) {
    cardan__contacts_copy_records(sim->contacts, records, true);
  }
  sim->note[sizeof sim->note - 1] = sim->watch_text[sizeof sim->watch_text - 1] = '\0';
  cardan__sim_note_max_error(sim); // this option may differ from that of the saved run
  sim->started = true;
  sim->data->posed = true;
  sim->hooked.t_from = NAN;
  cardan__estimate_rejoin(sim);
  if (sim->stepper->method->rejoin != NULL) {
    sim->stepper->method->rejoin(sim->stepper, sim->data, true);
  }
  cardan__contacts_rejoin(sim->contacts, sim->data);
  if (sim->settled) {
    cardan__sim_refresh(sim);
    cardan__sim_measure(sim);
  }
  return CARDAN_OK;
}
