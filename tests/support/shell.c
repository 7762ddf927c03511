// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE
#include "shell.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

test_folder shell_folder;

/* Of the last outcome. */
static char *last_out, *last_err;

int shell_open(void **state)
{
  (void)state;
  shell_folder = folder_make();
  setenv("CARDAN", CARDAN_COMMAND, 1);
  return 0;
}

int shell_close(void **state)
{
  (void)state;
  free(last_out);
  free(last_err);
  folder_remove(&shell_folder);
  return 0;
}

static void redirect(const char *name, int to)
{
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(fd, to);
  close(fd);
}

outcome shell(const char *line)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (chdir(shell_folder.path) == 0) {
      redirect(".out", STDOUT_FILENO);
      redirect(".err", STDERR_FILENO);
      execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    }
    _exit(126);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  free(last_out);
  free(last_err);
  last_out = shell_read(".out");
  last_err = shell_read(".err");
  return (outcome){.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                   .out = last_out,
                   .err = last_err};
}

outcome shell_expect(int status, const char *line)
{
  const outcome o = shell(line);
  if (o.status != status) {
    fail_msg("%s: exit status %d, expected %d\n%s%s", line, o.status, status, o.out, o.err);
  }
  return o;
}

void shell_refused(int status, const char *line, const char *text)
{
  const outcome o = shell_expect(status, line);
  const char *newline = strchr(o.err, '\n');
  if (!strstr(o.err, text) || !newline || newline[1] != '\0') {
    fail_msg("%s: found \"%s\", expected one line with \"%s\"", line, o.err, text);
  }
}

char *shell_read(const char *name)
{
  char path[256];
  return folder_read(folder_path(&shell_folder, name, path), NULL);
}

void shell_write(const char *name, const char *text)
{
  char path[256];
  folder_write(folder_path(&shell_folder, name, path), text);
}
