// SPDX-License-Identifier: Apache-2.0
/* hard_places [--command CARDAN] [--before CARDAN] [--sentences] [CLASS | CLASS/NAME ..]
 *
 * Runs the mechanisms of hard.h by all methods through the command line, so that any build of the
 * command can be judged (default: the one of this build), and prints a table for each class. A cell
 * is the largest error against the reference (of q over all rows, relative above 1; for energies:
 * part of the largest kinetic energy), or
 *   stops    exit status 2 or 3, with a sentence        coarse   energy off, but in no single step
 *   warns    off, with a warning                        WRONG    off, without a warning
 *   -        the method does not take the model or the option
 * References are computed by the library that this program is linked with; see judge.h, hard.h.
 * --before judges an older build beside it: "stops -> 4e-11". --sentences lists what was reported,
 * one line each. Methods of order 1 take an eighth of the step where motions are compared; a * is
 * dopri5 at a relative tolerance of 1e-8. Exit status 1 when something is wrong. */
#define _DEFAULT_SOURCE // realpath
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "judge.h"

static const judge_method methods[] = {
    {"vi", "--method vi", 2},
    {"vi 4", "--method vi --order 4", 4},
    {"svi", "--method svi", 2},
    {"aba", "--method aba", 4},
    {"aba*", "--method aba --integrator dopri5", 0},
    {"hamilton", "--method hamilton", 4},
    {"hamilton*", "--method hamilton --integrator dopri5", 0},
    {"baraff", "--method baraff", 4},
    {"baraff*", "--method baraff --integrator dopri5", 0},
    {"half-impl", "--method half-implicit", 1},
    {"fully-impl", "--method fully-implicit", 1},
    {"rattle", "--method rattle", 2},
};
enum { NMETHOD = sizeof methods / sizeof *methods };

typedef struct {
  char *command, *before;
  bool sentences;
  test_folder folder;
  int count[2][HARD_NCLASS][JUDGE_NVERDICT]; // now, before
} session;

static const char *const verdict_name[JUDGE_NVERDICT] = {"-",     "",      "coarse",
                                                         "warns", "stops", "WRONG"};

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

static void cell(const judgement *j, char text[32])
{
  if (j->error < 0 || isnan(j->error)) {
    snprintf(text, 32, "%s", j->verdict == JUDGE_RIGHT ? "right" : verdict_name[j->verdict]);
  } else if (j->verdict == JUDGE_RIGHT) {
    snprintf(text, 32, "%.0e", j->error);
  } else {
    snprintf(text, 32, "%s %.2g", verdict_name[j->verdict], j->error);
  }
}

/* What it is now, and before, where that was another thing. */
static void print_cell(session *s, hard_class class, const hard_case *c, const table *reference,
                       int m, const char *now)
{
  char then[32] = "";
  if (s->before != NULL) {
    const judgement j = judge(s->before, s->folder.path, c, reference, &methods[m]);
    cell(&j, then);
    s->count[1][class][j.verdict]++;
  }
  // figures that are small both times say the same
  const bool same = *then == '\0' || strcmp(then, now) == 0 ||
                    (strspn(then, "0123456789.e-+") == strlen(then) &&
                     strspn(now, "0123456789.e-+") == strlen(now));
  if (same) {
    printf(" %s |", now);
  } else {
    printf(" %s -> %s |", then, now);
  }
  fflush(stdout);
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
    char now[32];
    cell(&j, now);
    s->count[0][class][j.verdict]++;
    *sentence[m] = '\0';
    if (j.verdict >= JUDGE_COARSE) {
      snprintf(sentence[m], sizeof sentence[m], "%s %s: %s", verdict_name[j.verdict],
               methods[m].words, j.sentence);
    }
    print_cell(s, class, c, &reference, m, now);
  }
  printf("\n");
  for (int m = 0; m < NMETHOD && s->sentences; m++) {
    if (*sentence[m] != '\0') {
      printf("    %s\n", sentence[m]);
    }
  }
  table_free(&reference);
}

/* Is the case requested by one of the words? */
static bool asked(hard_class class, const char *name, char *const *words, int n)
{
  const char *group = hard_class_name(class);
  bool any = false;
  for (int i = 0; i < n; i++) {
    const size_t length = strlen(group);
    if (strncmp(words[i], "--", 2) == 0) {
      i += strcmp(words[i], "--sentences") != 0;
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
  printf("\n| class | right | coarse | warns | stops | WRONG |\n|---|---|---|---|---|---|\n");
  for (int class = 0; class < HARD_NCLASS; class ++) {
    const int *n = s->count[0][class], *b = s->count[1][class];
    if (n[1] + n[2] + n[3] + n[4] + n[5] > 0) {
      printf("| %s |", hard_class_name((hard_class) class));
      for (int k = JUDGE_RIGHT; k < JUDGE_NVERDICT; k++) {
        if (s->before != NULL) {
          printf(" %d -> %d |", b[k], n[k]);
        } else {
          printf(" %d |", n[k]);
        }
      }
      printf("\n");
    }
    wrong += n[JUDGE_WRONG];
  }
  return wrong > 0;
}

int main(int argc, char **argv)
{
  session s = {.command = realpath(CARDAN_COMMAND, NULL), .folder = folder_make()};
  for (int i = 1; i < argc; i++) {
    s.sentences |= strcmp(argv[i], "--sentences") == 0;
    if (strcmp(argv[i], "--command") == 0 && i + 1 < argc) {
      free(s.command);
      s.command = realpath(argv[i + 1], NULL);
    }
    if (strcmp(argv[i], "--before") == 0 && i + 1 < argc) {
      free(s.before);
      s.before = realpath(argv[i + 1], NULL);
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
  const int status = print_counts(&s);
  folder_remove(&s.folder);
  free(s.command);
  free(s.before);
  return status;
}
