// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // wait4, environ
#include "bench/program.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern char **environ;

static cardan_status cannot_start(const char *path, int error, cardan_report *report)
{
  const char *name = strrchr(path, '/');
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0}, "%.100s cannot be started: %s",
                     name != NULL ? name + 1 : path, strerror(error));
}

/* Starts a program, words[0]; in, out: what its standard input and output become, -1: nothing. */
static int start(const char *const *words, int in, int out, pid_t *pid)
{
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) {
    return error;
  }
  error = in >= 0
              ? posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO)
              : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (error == 0) {
    error = out >= 0 ? posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO)
                     : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                                        O_WRONLY, 0);
  }
  if (error == 0) {
    error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  if (error == 0 && words[0] != NULL) {
    char *argv[16] = {NULL};
    for (int i = 0; i < 15 && words[i] != NULL; i++) {
      memcpy(&argv[i], &words[i], sizeof argv[i]); // posix_spawn takes char *, and leaves them
    }
    error = posix_spawn(pid, words[0], &actions, NULL, argv, environ);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static double seconds_of(struct timeval t)
{
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

cardan_status cardan__program_run(const char *const *words, cardan__program_time *time,
                                  cardan_report *report)
{
  pid_t pid = 0;
  int ended = 0;
  struct rusage used = {0};
  *time = (cardan__program_time){HUGE_VAL, HUGE_VAL};
  const double begin = cardan__seconds();
  const int error = start(words, -1, -1, &pid);
  if (error != 0) {
    return cannot_start(words[0], error, report);
  }
  while (wait4(pid, &ended, 0, &used) < 0 && errno == EINTR) {
  }
  *time = (cardan__program_time){cardan__seconds() - begin,
                                 seconds_of(used.ru_utime) + seconds_of(used.ru_stime)};
  return WIFEXITED(ended) && WEXITSTATUS(ended) == 0
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0}, "%s %s failed",
                           strrchr(words[0], '/') != NULL ? strrchr(words[0], '/') + 1 : words[0],
                           words[1] != NULL ? words[1] : "");
}

static void close_both(int pipe[2])
{
  for (int k = 0; k < 2; k++) {
    if (pipe[k] >= 0) {
      close(pipe[k]);
      pipe[k] = -1;
    }
  }
}

/* A pipe whose ends no other program inherits. */
static bool make_pipe(int ends[2])
{
  if (pipe(ends) != 0) {
    return false;
  }
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

cardan_status cardan__program_open(const char *path, cardan__program *program,
                                   cardan_report *report)
{
  int in[2] = {-1, -1}, out[2] = {-1, -1}, error = 0;
  const char *const words[] = {path, NULL};
  *program = (cardan__program){.pid = 0};
  if (!make_pipe(in) || !make_pipe(out)) {
    error = errno;
  }
  if (error == 0) {
    error = start(words, in[0], out[1], &program->pid);
  }
  if (error == 0) {
    program->to = fdopen(in[1], "w");
    program->from = fdopen(out[0], "r");
    in[1] = program->to != NULL ? -1 : in[1];
    out[0] = program->from != NULL ? -1 : out[0];
  }
  close_both(in);
  close_both(out);
  if (error == 0 && (program->to == NULL || program->from == NULL)) {
    cardan__program_close(program);
    return CARDAN_ERR_MEMORY;
  }
  return error == 0 ? CARDAN_OK : cannot_start(path, error, report);
}

void cardan__program_close(cardan__program *program)
{
  if (program->to != NULL) {
    fclose(program->to);
  }
  if (program->from != NULL) {
    fclose(program->from);
  }
  if (program->pid > 0) {
    int ended;
    while (waitpid(program->pid, &ended, 0) < 0 && errno == EINTR) {
    }
  }
  *program = (cardan__program){.pid = 0};
}
