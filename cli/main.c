// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // setenv, MAP_ANONYMOUS
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cardan/describe.h"
#include "cardan/linalg.h"
#include "cli.h"
#include "help.h"
#include "interrupt.h"
#include "say.h"

static const cli_command *const commands[] = {
    &cli_run,        &cli_batch,   &cli_sweep,     &cli_compare,  &cli_check, &cli_list,
    &cli_make,       &cli_convert, &cli_linearize, &cli_matrices, &cli_modes, &cli_statics,
    &cli_kinematics, &cli_view,    &cli_reproduce, &cli_bench};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int unknown_command(const char *word)
{
  const char *names[COMMANDS];
  for (int i = 0; i < COMMANDS; i++) {
    names[i] = commands[i]->name;
  }
  const char *near = cardan_nearest(word, names, COMMANDS);
  if (near) {
    cli_error("there is no command \"%s\"; did you mean \"%s\"?", word, near);
  } else {
    cli_error("there is no command \"%s\"; cardan --help lists them", word);
  }
  return CLI_USAGE;
}

static const cli_command *find(const char *word)
{
  const cli_command *found = NULL;
  for (int i = 0; i < COMMANDS; i++) {
    found = strcmp(word, commands[i]->name) == 0 ? commands[i] : found;
  }
  return found;
}

/* cardan help, cardan help COMMAND, cardan help --man. */
static int help(const char *word)
{
  if (strcmp(word, "--man") == 0) {
    cli_help_man(commands, COMMANDS);
    return cli_finish_output(CLI_DONE);
  }
  if (word[0] == '\0' || word[0] == '-' || strcmp(word, "help") == 0) {
    cli_help_all(commands, COMMANDS);
    return cli_finish_output(CLI_DONE);
  }
  if (find(word) == NULL) {
    return unknown_command(word);
  }
  cli_help(find(word));
  return cli_finish_output(CLI_DONE);
}

/* Is there a limit on addresses or data? */
static bool is_limited(void)
{
  struct rlimit most;
  return (getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY) ||
         (getrlimit(RLIMIT_DATA, &most) == 0 && most.rlim_cur != RLIM_INFINITY);
}

/* OpenBLAS starts its threads before main; where addresses are limited one that gets no memory
 * spins for ever as the process ends. So the command is begun again with one thread, which is all
 * that it uses. Elsewhere that would cost a start for nothing. */
static void begin_with_one_thread(char **argv)
{
  const char *threads = getenv("OPENBLAS_NUM_THREADS");
  if (is_limited() && (threads == NULL || strcmp(threads, "1") != 0) &&
      setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) {
    execv("/proc/self/exe", argv);
  }
}

/* The buffer that OpenBLAS takes in one piece, and tries to get for ever: where there is no room
 * for it the command ends. */
static void find_room_for_blas(void)
{
  const size_t room = (size_t)144 << 20;
  void *piece = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (piece == MAP_FAILED) {
    cli_error("the limit on memory (ulimit -v, ulimit -d) leaves no room for the 128 MB that "
              "OpenBLAS takes; raise it by as much");
    exit(CLI_USAGE);
  }
  munmap(piece, room);
}

int main(int argc, char **argv)
{
  begin_with_one_thread(argv);
  cardan_blas_before_use(is_limited() ? find_room_for_blas : NULL);
  cli_interrupt_ready();
  cli_begin();
  const char *word = argc > 1 ? argv[1] : "";
  if (find(word) != NULL) {
    return cli_command_run(find(word), argc - 2, argv + 2, NULL);
  }
  if (strcmp(word, "--version") == 0) {
    printf("cardan %s, %s\n", cardan_version(), cardan_cpu_level());
    return cli_finish_output(CLI_DONE);
  }
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    return help(argc > 2 ? argv[2] : "");
  }
  if (word[0] == '\0') {
    cli_error("which command? cardan --help lists them");
    return CLI_USAGE;
  }
  return unknown_command(word);
}
