/* SPDX-License-Identifier: Apache-2.0
 * interrupt.h - Ctrl-C, SIGTERM and SIGHUP: every command ends within a second, with a message.
 *
 *   ready    nothing is there to be kept: a signal ends the command at once
 *   begin    a loop polls cli_interrupted after each step, and ends in good order. Where that
 *            takes too long, inside a long step, the command is ended as it is
 *   end      files are written and closed: a signal is noted
 *   leave    all is done: a signal ends the command at once, whatever libraries do at its end
 * A second Ctrl-C ends the command at once, whenever it comes. SIGHUP that was ignored when the
 * command was started (nohup) stays so. */
#pragma once
#include <stdbool.h>

/* Needs nothing; the first thing that a program does. */
void cli_interrupt_ready(void);
/* A file that is to go when the command is ended before `begin`: there is nothing in it yet. */
void cli_interrupt_drop(const char *path);
/* Signals wait while a file is made that is to be dropped. */
void cli_interrupt_hold(bool hold);
/* left  the message when the command had to be ended inside a step: what there is of its
 *       output, a sentence that continues from "stopped by a signal inside a step: ". NULL: it is
 *       waited for the step */
void cli_interrupt_begin(const char *left);
void cli_interrupt_end(void);
void cli_interrupt_leave(void);
/* The signal that came, 0: none; and where that number is, for cardan_sim_stop. */
int cli_interrupted(void);
const volatile int *cli_interrupt_flag(void);
