// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // realpath
#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cardan/output.h"
#include "cli.h"
#include "say.h"

enum { MOST_FILES = 32, LABEL = 64, PATH = 4096 };

typedef struct {
  char label[LABEL]; // "--out"; of a word ""
  const char *path;
  bool standard; // the standard output
  bool there;    // there is a file of that name, which info is of
  bool regular;  // and it is one that keeps what is written
  struct stat info;
  char *folder;     // its folder without links and dots; NULL: there is none
  const char *name; // in that folder
} file;

typedef struct {
  file reads[MOST_FILES], writes[MOST_FILES];
  int nread, nwrite;
} files;

static bool is_standard(const char *path)
{
  return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static bool is_read(const char *option)
{
  static const char *const list[] = {"before", "input", "motion", "plan", "vary-file"};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    if (strcmp(option, list[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* The folder that holds the path, by its own name. */
static char *real_folder(const char *path)
{
  char folder[PATH];
  const char *slash = strrchr(path, '/');
  const size_t n = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  if (n >= sizeof folder) {
    return NULL;
  }
  snprintf(folder, sizeof folder, "%.*s", (int)n, path);
  return realpath(n > 0 ? folder : ".", NULL);
}

static void look_at(file *f, const char *option, const char *path)
{
  const char *slash = strrchr(path, '/');
  *f = (file){.path = path, .name = slash != NULL ? slash + 1 : path};
  snprintf(f->label, sizeof f->label, "%s%.60s", option[0] != '\0' ? "--" : "", option);
  f->standard = is_standard(path);
  f->there = !f->standard && stat(path, &f->info) == 0;
  f->regular = f->there && S_ISREG(f->info.st_mode);
  f->folder = f->standard ? NULL : real_folder(path);
}

/* The files of the options: of a repeated option the last one counts. */
static void list_options(const cli_command *command, const cli_args *args, files *all)
{
  for (const cli_option *o = command->option; o != NULL && o->name != NULL; o++) {
    const bool is_file = o->value != NULL && strncmp(o->value, "FILE", 4) == 0;
    const char *path = is_file ? cli_args_value(args, o->name) : NULL;
    if (path == NULL) {
      continue;
    }
    if (is_read(o->name) && all->nread < MOST_FILES) {
      look_at(&all->reads[all->nread++], o->name, path);
    } else if (!is_read(o->name) && all->nwrite < MOST_FILES) {
      look_at(&all->writes[all->nwrite++], o->name, path);
    }
  }
}

/* A word with a slash or a dot in it is a file: a model, a result, or a case of a sweep, r.h5#17.
 * text: memory for its path without the number. */
static void list_words(const cli_command *command, const cli_args *args, files *all, char *text)
{
  for (int i = 0; i < args->nword; i++) {
    const char *word = args->word[i];
    if (i + 1 == command->target) {
      look_at(&all->writes[all->nwrite++], "", word);
    } else if (strpbrk(word, "/.") != NULL && strlen(word) < PATH) {
      struct stat info;
      char *hash = stat(word, &info) != 0 ? strrchr(strcpy(text, word), '#') : NULL;
      if (hash != NULL) {
        *hash = '\0';
      }
      look_at(&all->reads[all->nread++], "", hash != NULL ? text : word);
      text += PATH;
    }
  }
}

/* One file by two names? Files that are not there yet are compared by folder and name. What
 * is written to a pipe, a terminal or a device goes by. */
static bool is_same(const file *a, const file *b)
{
  if (a->standard || b->standard) {
    return a->standard && b->standard;
  }
  if (a->there && b->there) {
    return a->regular && a->info.st_dev == b->info.st_dev && a->info.st_ino == b->info.st_ino;
  }
  return !a->there && !b->there && a->folder != NULL && b->folder != NULL &&
         strcmp(a->folder, b->folder) == 0 && strcmp(a->name, b->name) == 0;
}

static int check_reads(const cli_args *args, const file *to, const file *from)
{
  const char *gap = to->label[0] != '\0' ? " " : "";
  if (!from->there || !is_same(to, from)) {
    return CLI_DONE;
  }
  if (from->label[0] != '\0') {
    cli_error("%s%s%.200s is the file that %s reads, expected another", to->label, gap, to->path,
              from->label);
    return CLI_USAGE;
  }
  if (to->label[0] != '\0') {
    cli_error("%s %.200s is the model itself, expected another file", to->label, to->path);
    return CLI_USAGE;
  }
  if (cli_args_value(args, "force") == NULL) {
    cli_error("%.200s is the model itself: expected another file, or --force to write over it",
              to->path);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

static int check_one(const cli_args *args, const files *all, int k)
{
  cardan_report report = {0};
  const file *to = &all->writes[k];
  for (int i = 0; i < all->nread; i++) {
    const int exit = check_reads(args, to, &all->reads[i]);
    if (exit != CLI_DONE) {
      return exit;
    }
  }
  for (int i = 0; i < k; i++) {
    if (is_same(&all->writes[i], to)) {
      cli_error("%s and %s are both %.200s, expected two names", all->writes[i].label, to->label,
                to->path);
      return CLI_USAGE;
    }
  }
  const cardan_status status = cardan_write_check(to->path, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

int cli_outputs_check(const cli_command *command, cli_args *args)
{
  files all = {.nread = 0};
  char *text = malloc((size_t)CLI_WORDS * PATH);
  int exit = CLI_DONE;
  if (text == NULL) {
    cli_error("out of memory");
    return CLI_STOPPED;
  }
  list_words(command, args, &all, text);
  list_options(command, args, &all);
  for (int k = 0; k < all.nwrite && exit == CLI_DONE; k++) {
    exit = check_one(args, &all, k);
    if (args->nwrite < CLI_WORDS) {
      args->write[args->nwrite++] = all.writes[k].path;
    }
  }
  for (int i = 0; i < MOST_FILES; i++) {
    free(all.reads[i].folder);
    free(all.writes[i].folder);
  }
  free(text);
  return exit;
}

void cli_wrote(const char *path, int exit, bool quiet)
{
  if (exit == CLI_DONE && !quiet && !is_standard(path)) {
    fprintf(stderr, "wrote %s\n", path);
  }
}
