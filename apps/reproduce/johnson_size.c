// SPDX-License-Identifier: Apache-2.0
// Beyond the paper: how many segments a scissor lift may have.
#include <math.h>

#include "reproduce/johnson_lift.h"

/* A lift, its step, and its required time without failure. */
typedef struct {
  int rows;
  double dt, time;
} trial;

static cardan_status run_trial(cardan__job *job, const trial *t, const char *options, double part,
                               cardan__lift_result *out)
{
  const cardan__lift_case c = {
      .rows = t->rows, .options = options, .dt = t->dt, .time = t->time, .from = part, .to = part};
  return cardan__lift_run(job, &c, out);
}

static void add_end(cardan__outcome *out, cardan__grid *grid, const cardan__lift_result *r)
{
  if (r->message[0] == '\0') {
    cardan__grid_text(out, grid, "all of it, on its branch to %.0e rad", r->branch);
  } else {
    cardan__grid_text(out, grid, "%.2f s, then it stops and says why", r->time);
  }
}

static void write_verdict(cardan__job *job, int whole, double branch)
{
  cardan__outcome_say(
      job->out, CARDAN__UNKNOWN,
      "The paper does not say how many segments its program can take. From 45 degrees the lift "
      "swings through 90, where the bars of a row coincide and a second way of moving opens, the "
      "faster the more segments there are. At 0.01 s up to %d of the numbers tried last, and svi "
      "never leaves the branch of one degree of freedom by more than %.0e rad%s.",
      whole, branch,
      job->quick ? "; the whole run tries more"
                 : "; where a larger one ends it is with a sentence that names the step up to "
                   "which there is a solution, and with a smaller step there are more: 50 segments "
                   "at 0.0005 s");
}

cardan_status cardan__johnson_lift_size(cardan__job *job)
{
  static const char *const column[] = {"segments", "step [s]", "of [s]", "svi", "vi"};
  static const trial all[] = {{4, 0.01, 120},  {8, 0.01, 120},  {10, 0.01, 120}, {11, 0.01, 120},
                              {12, 0.01, 120}, {13, 0.01, 120}, {14, 0.01, 120}, {50, 5e-4, 20}};
  static const trial some[] = {{4, 0.01, 12}, {8, 0.01, 12}};
  const trial *t = job->quick ? some : all;
  const int n = job->quick ? sizeof some / sizeof *some : sizeof all / sizeof *all;
  cardan__grid *grid = cardan__outcome_grid(
      job->out, "How long the simulation of a lift continues, from 45 degrees", column, 5);
  int whole = 0;
  double branch = 0, last = 0;
  for (int i = 0; i < n; i++) {
    cardan__lift_result svi, vi;
    cardan_status status = run_trial(job, &t[i], "method=svi", (double)i / n, &svi);
    status = status ? status : run_trial(job, &t[i], "method=vi", (i + 0.5) / n, &vi);
    if (status != CARDAN_OK) {
      return status;
    }
    cardan__grid_text(job->out, grid, "%d", t[i].rows);
    cardan__grid_text(job->out, grid, "%g", t[i].dt);
    cardan__grid_text(job->out, grid, "%g", t[i].time);
    add_end(job->out, grid, &svi);
    add_end(job->out, grid, &vi);
    whole = svi.message[0] == '\0' && t[i].dt == 0.01 ? t[i].rows : whole;
    branch = fmax(branch, svi.branch);
    last = svi.message[0] == '\0' ? svi.time : 0;
  }
  // 10; rounding decides how long the next ones last
  cardan__outcome_claim(job->out, "most segments that last at 0.01 s, svi", "", NAN, whole, 8, 14);
  // rounding, through some hundred singular positions
  cardan__outcome_claim(job->out, "largest distance from the branch, svi", "rad", NAN, branch, 0,
                        1e-8);
  if (!job->quick) {
    // all of its 20 s, and no less
    cardan__outcome_claim(job->out, "time that 50 segments last at 0.0005 s, svi", "s", NAN, last,
                          19.99, 20.01);
  }
  write_verdict(job, whole, branch);
  return CARDAN_OK;
}
