// SPDX-License-Identifier: Apache-2.0
#include "reproduce/paper.h"

const cardan__paper *cardan__paper_at(int index)
{
  static const cardan__paper *const papers[] = {&cardan__lee, &cardan__johnson, &cardan__huang,
                                                &cardan__fang, &cardan__naudet};
  enum { PAPERS = sizeof papers / sizeof papers[0] };
  return index >= 0 && index < PAPERS ? papers[index] : NULL;
}
