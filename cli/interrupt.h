/* SPDX-License-Identifier: Apache-2.0
 * interrupt.h - Ctrl-C while a simulation runs: stop after the step, keep what is there. */
#pragma once

/* From here on SIGINT and SIGTERM are noted; a second one of the same kind ends the process. */
void cli_interrupt_begin(void);
/* The signal that came, 0: none. */
int cli_interrupted(void);
