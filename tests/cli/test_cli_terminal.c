// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // posix_openpt, usleep
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell.h"

/* What a person at a terminal sees, and Ctrl-C. */

/* Starts `cardan run pendulum`, far too long, with its standard error on a terminal.
 * returns the process; *terminal is the other side of the terminal */
static pid_t start(const char *out, bool quiet, int *terminal)
{
  *terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (*terminal < 0 || grantpt(*terminal) != 0 || unlockpt(*terminal) != 0) {
    print_message("this machine has no pseudo-terminals (/dev/pts): nothing to test\n");
    skip();
  }
  const char *name = ptsname(*terminal);
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(name, O_RDWR | O_NOCTTY), null = open("/dev/null", O_WRONLY);
    dup2(fd, STDERR_FILENO);
    dup2(null, STDOUT_FILENO);
    execl(CARDAN_COMMAND, "cardan", "run", "pendulum", "--dt", "1e-6", "--time", "1e6", "--every",
          "1000", "--out", out, quiet ? "--quiet" : (char *)NULL, (char *)NULL);
    _exit(126);
  }
  return child;
}

static int wait_for(pid_t child)
{
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Waits until a run has written to its table. */
static void wait_for_rows(const char *partial)
{
  for (bool begun = false; !begun;) {
    char *table = shell_read(partial);
    begun = table != NULL && table[0] != '\0';
    free(table);
    usleep(10000);
  }
}

// the bar comes with a time left; Ctrl-C then ends the run with its rows kept and status 130
static void bar_and_interrupt(void **state)
{
  char path[256], text[4096] = "";
  int terminal;
  size_t length = 0;
  (void)state;
  const pid_t child = start(folder_path(&shell_folder, "a.csv", path), false, &terminal);
  while (!strstr(text, "left")) {
    const ssize_t n = read(terminal, text + length, sizeof text - 1 - length);
    assert_true(n > 0);
    length += (size_t)n;
    text[length] = '\0';
  }
  assert_non_null(strchr(text, '%'));
  assert_int_equal(folder_count(&shell_folder), 1); // under another name so far
  assert_null(shell_read("a.csv"));
  kill(child, SIGINT);
  assert_int_equal(wait_for(child), 130);
  close(terminal);
  char *table = shell_read("a.csv");
  assert_non_null(table);
  assert_int_equal(strncmp(table, "t,q.theta", 9), 0);
  assert_true(table[strlen(table) - 1] == '\n');
  free(table);
  assert_int_equal(folder_count(&shell_folder), 1);
}

// no bar in a pipe, and none with --quiet
static void no_bar(void **state)
{
  char path[256], text[256] = "";
  int terminal;
  (void)state;
  // a bar would be there 1 s after the start of the run
  const outcome o =
      shell("$CARDAN run pendulum --dt 1e-6 --time 1e6 --every 1000 --out n.csv & p=$!; "
            "until test -s n.partial.csv; do sleep 0.01; done; sleep 1.2; kill -TERM $p; wait $p");
  assert_null(strchr(o.err, '\r'));
  assert_null(strstr(o.err, "left"));
  assert_non_null(strstr(o.err, "stopped"));
  const pid_t child = start(folder_path(&shell_folder, "b.csv", path), true, &terminal);
  wait_for_rows("b.partial.csv");
  usleep(1200000);
  kill(child, SIGTERM);
  kill(child, SIGTERM);
  const int status = wait_for(child);
  assert_int_equal(status, 128 + SIGTERM);
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  const ssize_t n = read(terminal, text, sizeof text - 1);
  assert_true(n <= 0 || strncmp(text, "cardan: stopped", 15) == 0);
  close(terminal);
  char *table = shell_read("b.csv"); // the second signal loses no rows
  assert_non_null(table);
  free(table);
}

// a terminal that closes keeps the rows, too
static void hang_up(void **state)
{
  (void)state;
  const outcome o =
      shell("$CARDAN run pendulum --dt 1e-6 --time 1e6 --every 1000 --quiet --out c.csv & p=$!; "
            "until test -s c.partial.csv; do sleep 0.01; done; kill -HUP $p; wait $p");
  assert_int_equal(o.status, 128 + SIGHUP);
  assert_non_null(strstr(o.err, "stopped by a signal at t ="));
  char *table = shell_read("c.csv");
  assert_non_null(table);
  free(table);
}

// while a model is read there is nothing to keep: at once, with a message; nohup is heeded
static void loading(void **state)
{
  (void)state;
  outcome o = shell("mkfifo m.mbs; $CARDAN check m.mbs & p=$!; exec 3>m.mbs; kill $p; wait $p");
  assert_int_equal(o.status, 128 + SIGTERM);
  assert_string_equal(o.err, "cardan: stopped by a signal; no file was written\n");
  o = shell("trap '' HUP; $CARDAN run pendulum --dt 1e-5 --time 2 --quiet & p=$!; sleep 0.1; "
            "kill -HUP $p; wait $p");
  assert_int_equal(o.status, 0);
}

// t begins at --begin, and the run is as long as without
static void begins(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN run pendulum --begin 5 --time 0.02 --quiet --out - | "
                                    "cut -d, -f1 | tr '\\n' ' '");
  assert_string_equal(o.out, "t 5 5.0099999999999998 5.0199999999999996 ");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bar_and_interrupt), cmocka_unit_test(no_bar), cmocka_unit_test(hang_up),
      cmocka_unit_test(loading),           cmocka_unit_test(begins),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
