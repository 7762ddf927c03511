// SPDX-License-Identifier: Apache-2.0
/* hard_places [--command CARDAN] [--sentences] [CLASS | CLASS/NAME ..]
 *
 * Runs the mechanisms of hard.h by all methods through the command line, so that any build of the
 * command can be judged (default: the one of this build), and prints a table for each class. A cell
 * is the largest error against the reference (of q over all rows, relative above 1; for energies:
 * part of the largest kinetic energy), or
 *   stops    exit status 2 or 3, with a sentence        coarse   energy off, but in no single step
 *   says     off, and a warning tells                   WRONG    off, and nothing tells
 *   -        the method does not take the model or the option
 * References are computed by the library that this program is linked with; see judge.h, hard.h.
 * --sentences lists what was said, one line each, and the command to see it. Exit status 1 when
 * something is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "judge.h"

static const judge_method methods[] = {
    {"vi", "--method vi", 2},
    {"svi", "--method svi", 2},
    {"aba", "--method aba", 4},
    {"aba*", "--method aba --integrator dopri5", 0},
    {"hamilton", "--method hamilton", 4},
    {"hamilton*", "--method hamilton --integrator dopri5", 0},
    {"baraff", "--method baraff", 4},
    {"half-impl", "--method half-implicit", 1},
    {"fully-impl", "--method fully-implicit", 1},
    {"rattle", "--method rattle", 2},
};
enum { NMETHOD = sizeof methods / sizeof *methods };

typedef struct {
  const char *command;
  bool sentences;
  test_folder folder;
  int count[HARD_NCLASS][JUDGE_NVERDICT];
} session;

static const char *const verdict_name[JUDGE_NVERDICT] = {"-",    "",      "coarse",
                                                         "says", "stops", "WRONG"};

static void print_head(hard_class class)
{
  printf("\n| %s | reference |", hard_class_name(class));
  for (int m = 0; m < NMETHOD; m++) {
    printf(" %s |", methods[m].name);
  }
  printf("\n|---|---|");
  for (int m = 0; m < NMETHOD; m++) {
    printf("---|");
  }
  printf("\n");
}

static void run_case(session *s, hard_class class, const hard_case *c)
{
  char why[200] = "", sentence[NMETHOD][460];
  table reference = judge_reference(c, why);
  printf("| %s | %s |", c->name, why);
  const bool compared =
      c->reference == HARD_PATH || c->reference == HARD_FREE || c->reference == HARD_TWIN;
  if (compared && reference.rows == 0) {
    printf(" no reference\n");
    return;
  }
  for (int m = 0; m < NMETHOD; m++) {
    const judgement j = judge(s->command, s->folder.path, c, &reference, &methods[m]);
    s->count[class][j.verdict]++;
    *sentence[m] = '\0';
    if (j.verdict == JUDGE_RIGHT && j.error >= 0) {
      printf(" %.0e |", j.error);
    } else if (j.error >= 0) {
      printf(" %s %.2g |", verdict_name[j.verdict], j.error);
    } else {
      printf(" %s |", j.verdict == JUDGE_RIGHT ? "right" : verdict_name[j.verdict]);
    }
    if (j.verdict >= JUDGE_COARSE) {
      snprintf(sentence[m], sizeof sentence[m], "%s %s: %s", verdict_name[j.verdict],
               methods[m].words, j.sentence);
    }
    fflush(stdout);
  }
  printf("\n");
  for (int m = 0; m < NMETHOD && s->sentences; m++) {
    if (*sentence[m] != '\0') {
      printf("    %s\n", sentence[m]);
    }
  }
  table_free(&reference);
}

/* Is the case asked for by one of the words? */
static bool asked(hard_class class, const char *name, char *const *words, int n)
{
  const char *group = hard_class_name(class);
  bool any = false;
  for (int i = 0; i < n; i++) {
    const size_t length = strlen(group);
    if (strncmp(words[i], "--", 2) == 0) {
      i += strcmp(words[i], "--command") == 0;
      continue;
    }
    any = true;
    if (strcmp(words[i], group) == 0 ||
        (strncmp(words[i], group, length) == 0 && words[i][length] == '/' &&
         strcmp(words[i] + length + 1, name) == 0)) {
      return true;
    }
  }
  return !any;
}

static int print_counts(const session *s)
{
  int wrong = 0;
  printf("\n| class | right | coarse | says | stops | WRONG |\n|---|---|---|---|---|---|\n");
  for (int class = 0; class < HARD_NCLASS; class ++) {
    const int *n = s->count[class];
    if (n[1] + n[2] + n[3] + n[4] + n[5] > 0) {
      printf("| %s | %d | %d | %d | %d | %d |\n", hard_class_name((hard_class) class), n[1], n[2],
             n[3], n[4], n[5]);
    }
    wrong += n[JUDGE_WRONG];
  }
  return wrong > 0;
}

int main(int argc, char **argv)
{
  session s = {.command = CARDAN_COMMAND, .folder = folder_make()};
  for (int i = 1; i < argc; i++) {
    s.sentences |= strcmp(argv[i], "--sentences") == 0;
    if (strcmp(argv[i], "--command") == 0 && i + 1 < argc) {
      s.command = argv[i + 1];
    }
  }
  for (int class = 0; class < HARD_NCLASS; class ++) {
    int n = 0;
    bool head = false;
    const hard_case *list = hard_cases((hard_class) class, &n);
    for (int i = 0; i < n; i++) {
      if (asked((hard_class) class, list[i].name, argv + 1, argc - 1)) {
        if (!head) {
          print_head((hard_class) class);
          head = true;
        }
        run_case(&s, (hard_class) class, &list[i]);
      }
    }
  }
  folder_remove(&s.folder);
  return print_counts(&s);
}
