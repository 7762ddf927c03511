// SPDX-License-Identifier: Apache-2.0
#include "reproduce/paper.h"

cardan_status cardan__job_tick(cardan__job *job, double fraction)
{
  if (job->go_on == NULL || job->go_on(job->user, fraction)) {
    return CARDAN_OK;
  }
  return cardan_fail(job->report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0}, "stopped");
}
