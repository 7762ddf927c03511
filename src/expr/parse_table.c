// SPDX-License-Identifier: Apache-2.0
#include "expr/parse_table.h"

#include <string.h>

#include "base/arena.h"

typedef struct {
  const cardan__sexpr *tree;
  const cardan__expr_scope *scope;
  const cardan_allocator *alloc;
  cardan_report *report;
  int way;    // CARDAN__TABLE_*
  int column; // node behind (column ..), -1: none
} reader;

static const char usage[] =
    "(table \"data.csv\" x) or (table (data (x y) ..) x), and perhaps linear, hold, (column \"c\")";

static cardan_status fail_at(const reader *r, int node, const char *expected)
{
  char found[CARDAN__DESCRIBE_SIZE];
  return cardan_fail(r->report, CARDAN_ERR_MODEL, r->tree->nodes[node].pos, "found %s; expected %s",
                     cardan__sexpr_describe(r->tree, node, found), expected);
}

/* Is what is here differentiated twice? Constraints, motions and energies are, and none of them
 * depends on velocities. */
static bool is_smooth(const cardan__expr_scope *scope)
{
  const unsigned any = CARDAN__LEAVES_T | CARDAN__LEAVES_Q | CARDAN__LEAVES_FRAME;
  return (scope->leaves & any) && !(scope->leaves & CARDAN__LEAVES_V);
}

/* linear, cubic, hold, (column "name") or (column 3) */
static cardan_status read_option(reader *r, int node)
{
  const cardan__sexpr_node *nodes = r->tree->nodes;

  if (cardan__sexpr_is_form(r->tree, node, "column") && nodes[node].count == 2) {
    r->column = nodes[node + 1].next;
    const int kind = nodes[r->column].kind;
    return kind == CARDAN__SEXPR_STRING || kind == CARDAN__SEXPR_NUMBER
               ? CARDAN_OK
               : fail_at(r, r->column, "the name of a column in quotes, or its number");
  }
  if (cardan__sexpr_is(r->tree, node, "cubic")) {
    return CARDAN_OK;
  }
  const bool linear = cardan__sexpr_is(r->tree, node, "linear");
  if (!linear && !cardan__sexpr_is(r->tree, node, "hold")) {
    return fail_at(r, node, "linear, cubic, hold or (column \"name\")");
  }
  if (is_smooth(r->scope)) {
    return cardan_fail(r->report, CARDAN_ERR_MODEL, nodes[node].pos,
                       "found a table with \"%s\", which has kinks, in what is differentiated "
                       "twice (motions, constraints, energies); expected a cubic one%s",
                       linear ? "linear" : "hold", linear ? "" : ", which continues straight");
  }
  r->way |= linear ? CARDAN__TABLE_LINEAR : CARDAN__TABLE_HOLD;
  return CARDAN_OK;
}

static cardan_status make(const reader *r, int n, cardan__table **out)
{
  *out = n <= CARDAN__TABLE_MOST ? cardan__resize(r->alloc, NULL, cardan__table_size(n)) : NULL;
  if (*out) {
    **out = (cardan__table){n, r->way};
  }
  return *out ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

/* (data (x y) (x y) ..) */
static cardan_status read_data(const reader *r, int list, cardan__table **out)
{
  const cardan__sexpr_node *nodes = r->tree->nodes;
  const int n = nodes[list].count - 1;
  int pair = nodes[list + 1].next;

  if (n < 2) {
    return fail_at(r, list, "at least two points, as in (data (0 0) (1 0.5))");
  }
  const cardan_status status = make(r, n, out);
  double *x = status == CARDAN_OK ? cardan__table_numbers(*out) : NULL;
  for (int k = 0; k < n && x; k++, pair = nodes[pair].next) {
    if (nodes[pair].kind != CARDAN__SEXPR_LIST || nodes[pair].count != 2 ||
        nodes[pair + 1].kind != CARDAN__SEXPR_NUMBER ||
        nodes[pair + 2].kind != CARDAN__SEXPR_NUMBER) {
      return fail_at(r, pair, "a point (x y) of two plain numbers");
    }
    x[k] = nodes[pair + 1].number;
    x[n + k] = nodes[pair + 2].number;
    if (k > 0 && x[k] <= x[k - 1]) {
      return cardan_fail(r->report, CARDAN_ERR_MODEL, nodes[pair].pos,
                         "found a point at x = %g after one at %g; expected x to increase", x[k],
                         x[k - 1]);
    }
  }
  return status;
}

static cardan_status read_file(const reader *r, int node, cardan__table **out)
{
  const double *x, *y;
  int n;

  if (!r->scope->table) {
    return cardan_fail(r->report, CARDAN_ERR_MODEL, r->tree->nodes[node].pos,
                       "found the file of a table, but only a model file may name one; expected "
                       "(table (data (x y) ..) x)");
  }
  cardan_status status = r->scope->table(r->scope->context, node, r->column, &x, &y, &n);
  if (status == CARDAN_OK) {
    status = make(r, n, out);
  }
  if (status == CARDAN_OK) {
    double *to = cardan__table_numbers(*out);
    memcpy(to, x, (size_t)n * sizeof *to);
    memcpy(to + n, y, (size_t)n * sizeof *to);
  }
  return status;
}

static cardan_status finish(const reader *r, int node, cardan__table *table)
{
  double *work = cardan__resize(r->alloc, NULL, (size_t)table->n * sizeof *work);
  const bool finite = work && cardan__table_finish(table, work);

  cardan__resize(r->alloc, work, 0);
  if (!work) {
    return CARDAN_ERR_MEMORY;
  }
  return finite ? CARDAN_OK
                : cardan_fail(r->report, CARDAN_ERR_MODEL, r->tree->nodes[node].pos,
                              "found a table whose slopes are not finite: points lie too close "
                              "together, or their values too far apart");
}

cardan_status cardan__table_parse(const cardan__sexpr *tree, int node,
                                  const cardan__expr_scope *scope, const cardan_allocator *alloc,
                                  cardan_report *report, cardan__table **out, int *argument)
{
  reader r = {tree, scope, alloc, report, 0, -1};
  const int source = tree->nodes[node + 1].next;
  const bool file = tree->nodes[source].kind == CARDAN__SEXPR_STRING;
  cardan_status status = CARDAN_OK;

  *out = NULL;
  *argument = tree->nodes[source].next;
  for (int i = tree->nodes[*argument].next; i >= 0 && status == CARDAN_OK;
       i = tree->nodes[i].next) {
    status = read_option(&r, i);
  }
  if (status == CARDAN_OK && r.column >= 0 && !file) {
    status = fail_at(&r, r.column, "no column where the points are written out");
  }
  if (status == CARDAN_OK) {
    status = file                                          ? read_file(&r, source, out)
             : cardan__sexpr_is_form(tree, source, "data") ? read_data(&r, source, out)
                                                           : fail_at(&r, source, usage);
  }
  if (status == CARDAN_OK) {
    status = finish(&r, node, *out);
  }
  if (status != CARDAN_OK) {
    cardan__resize(alloc, *out, 0);
    *out = NULL;
  }
  return status;
}
