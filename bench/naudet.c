// SPDX-License-Identifier: Apache-2.0
// Tables 1 to 3 of Naudet and Lefeber (DETC2005-84915): ours, and the paper's in brackets.
//   build/bench/naudet
#include <stdio.h>
#include <stdlib.h>

#include "analysis/naudet.h"

static void check(cardan_status status, const cardan_report *report)
{
  if (status != CARDAN_OK) {
    fprintf(stderr, "naudet: %s: %s\n", cardan_status_text(status), report->message);
    exit(1);
  }
}

static void pair(double ours, double theirs)
{
  printf("  %8.1e (%7.1e)", ours, theirs);
}

static void table1(void)
{
  cardan_report report = {.message = ""};
  cardan__naudet_row1 rows[CARDAN__NAUDET_ROWS1];
  check(cardan__naudet_table1(rows, &report), &report);
  printf("Table 1, fixed steps (rkf45-fixed)\n%9s%s\n", "dt",
         "     end, accelerations         end, momenta  truncation, accel.  truncation, momenta");
  for (int i = 0; i < CARDAN__NAUDET_ROWS1; i++) {
    const cardan__naudet_row1 *r = &rows[i];
    printf("%9g", r->dt);
    for (int k = 0; k < 2; k++) {
      pair(r->ours.end[k], r->end[k]);
    }
    for (int k = 0; k < 2; k++) {
      pair(r->ours.truncation[k], r->truncation[k]);
    }
    printf("\n");
  }
  const cardan__naudet_runs *ours = &rows[2].ours;
  printf("at dt = 0.001: mean local error of velocities %.2e (1.1e-09), of momenta %.2e (4.5e-12)\n"
         "               constraint violation %.1e m with accelerations, %.1e m with momenta (Fig. "
         "8)\n\n",
         ours->conjugate[0], ours->conjugate[1], ours->violation[0], ours->violation[1]);
}

static void table2(void)
{
  cardan_report report = {.message = ""};
  cardan__naudet_row2 rows[CARDAN__NAUDET_ROWS2];
  check(cardan__naudet_table2(rows, &report), &report);
  printf("Table 2, adaptive steps: function evaluations, ours (paper); of those for Jacobians\n"
         "%8s%8s%18s%18s%18s%10s%14s\n",
         "tol", "", "end, ours (paper)", "accelerations", "momenta", "ratio", "Jacobians");
  for (int i = 0; i < CARDAN__NAUDET_ROWS2; i++) {
    const cardan__naudet_row2 *r = &rows[i];
    printf("%8.0e%8s  %8.1e", r->tol, r->integrator, r->ours.end[1]);
    if (r->end > 0) {
      printf(" (%5.0e)", r->end);
    } else {
      printf("  (none)");
    }
    for (int k = 0; k < 2; k++) {
      printf("  %8lld (%5d)", (long long)r->ours.evaluations[k], r->evaluations[k]);
    }
    printf("  %.2f (%.2f)", (double)r->ours.evaluations[1] / (double)r->ours.evaluations[0],
           (double)r->evaluations[1] / r->evaluations[0]);
    printf("  %lld, %lld\n", (long long)r->ours.jacobian[0], (long long)r->ours.jacobian[1]);
  }
  printf("\n");
}

static void table3(void)
{
  cardan_report report = {.message = ""};
  cardan__naudet_row3 rows[CARDAN__NAUDET_ROWS3];
  check(cardan__naudet_table3(rows, &report), &report);
  printf(
      "Table 3, error control, adaptive rkf45 at 1e-6: truncation and end errors, evaluations\n");
  for (int i = 0; i < CARDAN__NAUDET_ROWS3; i++) {
    const cardan__naudet_row3 *r = &rows[i];
    printf("%8s", r->control);
    for (int k = 0; k < 2; k++) {
      pair(r->ours.truncation[k], r->truncation[k]);
    }
    for (int k = 0; k < 2; k++) {
      pair(r->ours.end[k], r->end[k]);
    }
    for (int k = 0; k < 2; k++) {
      printf("  %lld (%d)", (long long)r->ours.evaluations[k], r->evaluations[k]);
    }
    printf("  ratio %.2f (%.2f)\n", (double)r->ours.evaluations[0] / (double)r->ours.evaluations[1],
           (double)r->evaluations[0] / r->evaluations[1]);
  }
}

int main(void)
{
  table1();
  table2();
  table3();
  return 0;
}
