// SPDX-License-Identifier: Apache-2.0
// The filter of the process that reads results: it can compute, read and answer, and nothing else.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/output.h"
#include "output/sandbox_filter.h"
#include "own_folder.h"
#include "support.h"

static bool refused(long result)
{
  return result < 0 && errno == EPERM;
}

/* What a filtered process may: bit k of its status is set where k was not as it should be; 63: it
 * has no filter. */
static int try_all(int in, int out)
{
  char byte = 0;
  int wrong = 0;
  if (!cardan__sandbox_filter()) {
    return 63;
  }
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  wrong |= refused(child) ? 0 : 1;
  wrong |= refused(open("/dev/null", O_RDONLY)) ? 0 : 2;
  wrong |= refused(socket(AF_INET, SOCK_STREAM, 0)) ? 0 : 4;
  wrong |= refused(execl("/bin/true", "true", (char *)NULL)) && refused(kill(getppid(), 0)) ? 0 : 8;
  void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  wrong |= code == MAP_FAILED && errno == EPERM ? 0 : 16;
  // and what it must be able to do
  char *room = malloc((size_t)8 << 20);
  const bool works = room != NULL && read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1;
  return wrong | (works ? 0 : 32);
}

static void nothing_else(void **state)
{
  int in[2], out[2], how = 0;
  (void)state;
  assert_int_equal(pipe(in), 0);
  assert_int_equal(pipe(out), 0);
  assert_int_equal(write(in[1], "x", 1), 1);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    _exit(try_all(in[0], out[1]));
  }
  assert_int_equal(waitpid(child, &how, 0), child);
  for (int i = 0; i < 2; i++) {
    close(in[i]);
    close(out[i]);
  }
  assert_true(WIFEXITED(how));
  if (WEXITSTATUS(how) == 63) {
    skip(); // this system has none
  }
  assert_int_equal(WEXITSTATUS(how), 0);
}

/* A crash is one: abort ends the process by its signal. */
static void abort_ends_it(void **state)
{
  int how = 0;
  (void)state;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    (void)cardan__sandbox_filter();
    abort();
  }
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how));
  assert_int_equal(WTERMSIG(how), SIGABRT);
}

/* The process that reads a result has it, as far as this system has it. */
static void reader_is_filtered(void **state)
{
  static const char *const columns[] = {"t", "x"};
  static const char text[] = "(system (joint revolute \"a\" (tx 1 (mass 1 1 1 1))))";
  const cardan_options options = cardan_options_defaults();
  const cardan_record record = {
      .model = "m.mbs", .text = text, .length = strlen(text), .options = &options};
  char path[256], line[256], name[64];
  cardan_report report = {.message = ""};
  cardan_table *table = NULL;
  cardan_result *result = NULL;
  const double row[2] = {0, 1};
  int seccomp = -1, how = 0;
  (void)state;
  folder_path(&folder, "r.h5", path);
  assert_int_equal(cardan_table_open(path, columns, 2, &record, NULL, &table, &report), CARDAN_OK);
  assert_int_equal(cardan_table_row(table, row, &report), CARDAN_OK);
  assert_int_equal(cardan_table_close(table, true, &report), CARDAN_OK);
  assert_int_equal(cardan_result_open(path, NULL, &result, &report), CARDAN_OK);
  double there[2] = {9, 9};
  assert_int_equal(cardan_result_rows(result, 0, 1, there, &report), CARDAN_OK);
  assert_memory_equal(there, row, sizeof row);
  long long pid = 0; // of the only child of this process
  snprintf(name, sizeof name, "/proc/self/task/%lld/children", (long long)getpid());
  FILE *status = fopen(name, "r");
  if (status == NULL || fscanf(status, "%lld", &pid) != 1) {
    skip();
  }
  fclose(status);
  snprintf(name, sizeof name, "/proc/%lld/status", pid);
  status = fopen(name, "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    (void)!sscanf(line, "Seccomp: %d", &seccomp);
  }
  if (status != NULL) {
    fclose(status);
  }
  cardan_result_close(result);
  remove(path);
  const pid_t child = fork();
  if (child == 0) {
    _exit(cardan__sandbox_filter() ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &how, 0), child);
  if (WEXITSTATUS(how) == 0) {
    assert_int_equal(seccomp, 2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_else),
                                     cmocka_unit_test(abort_ends_it),
                                     cmocka_unit_test(reader_is_filtered)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
