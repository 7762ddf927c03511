// SPDX-License-Identifier: Apache-2.0
#include "reproduce/paper.h"

const cardan__paper *cardan__paper_at(int index)
{
  static const cardan__paper *const papers[] = {&cardan__lee, &cardan__johnson, &cardan__huang,
                                                &cardan__fang, &cardan__naudet};
  enum { PAPERS = sizeof papers / sizeof papers[0] };
  return index >= 0 && index < PAPERS ? papers[index] : NULL;
}

cardan_status cardan__job_tick(cardan__job *job, double fraction)
{
  if (job->go_on == NULL || job->go_on(job->user, fraction)) {
    return CARDAN_OK;
  }
  return cardan_fail(job->report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0}, "stopped");
}
