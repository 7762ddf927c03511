// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // st_mtim, nanosleep
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cardan/output.h"
#include "cli.h"
#include "interrupt.h"
#include "options.h"
#include "say.h"
#include "source.h"
#include "view_page.h"
#include "view_server.h"

/* cardan view: a model or a result in the browser, again whenever the file changes. */

static const long look_every = 150000000; // [ns]

/* What tells one state of a file from another; editors write new files or the same one. */
typedef struct {
  bool there;
  struct timespec time;
  off_t size;
  ino_t inode;
} file_state;

/* A pipe of that name is no file that is saved: reading it would wait for its writer. */
static file_state look_at(const char *path)
{
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
    return (file_state){.there = false};
  }
  return (file_state){.there = true, .time = st.st_mtim, .size = st.st_size, .inode = st.st_ino};
}

static bool same(const file_state *a, const file_state *b)
{
  return a->there == b->there && a->time.tv_sec == b->time.tv_sec &&
         a->time.tv_nsec == b->time.tv_nsec && a->size == b->size && a->inode == b->inode;
}

/* A page that leads to the address, for a browser to be started with: command lines can be read by
 * every user of the machine, this file by this one alone. path: out. false: there is none */
static bool write_way(const char *url, char *path, size_t size)
{
  const char *const folders[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
  int fd = -1;
  for (int i = 0; i < 3 && fd < 0; i++) {
    const int length = folders[i] != NULL && folders[i][0] == '/'
                           ? snprintf(path, size, "%s/cardan-view-XXXXXX.html", folders[i])
                           : -1;
    fd = length > 0 && (size_t)length < size ? mkstemps(path, 5) : -1; // for the user alone
  }
  if (fd < 0) {
    path[0] = '\0';
    return false;
  }
  const bool good = dprintf(fd,
                            "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" "
                            "content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0;"
                            "url=%s\"><title>cardan view</title><a href=\"%s\">cardan view</a>\n",
                            url, url) > 0;
  return close(fd) == 0 && good;
}

/* Starts a browser with a file. $BROWSER, else xdg-open. returns its process, -1 after saying that
 * there is none */
static pid_t open_browser(const char *file)
{
  const char *given = getenv("BROWSER");
  const char *program = given && given[0] ? given : "xdg-open";
  int pipes[2];
  if (pipe(pipes) != 0) {
    return -1;
  }
  fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) {
    // its own words are not ours
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execlp(program, program, file, (char *)NULL);
    const int error = errno;
    (void)!write(pipes[1], &error, sizeof error);
    _exit(127);
  }
  close(pipes[1]);
  int error = 0;
  const bool missing = child < 0 || read(pipes[0], &error, sizeof error) > 0;
  close(pipes[0]);
  if (missing) {
    cli_warning("no browser was started (%s: %s): open the address yourself", program,
                strerror(child < 0 ? errno : error));
    if (child > 0) {
      waitpid(child, NULL, 0);
    }
    return -1;
  }
  return child;
}

/* Reports it when the browser's starter gave up. */
static void watch_browser(pid_t *browser)
{
  int status;
  if (*browser > 0 && waitpid(*browser, &status, WNOHANG) == *browser) {
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      cli_warning("the browser could not be started: open the address yourself");
    }
    *browser = -1;
  }
}

/* Builds the page again. fault: out, what is wrong with the file. */
static cardan_status show(view_server *server, const view_file *file, cardan_report *fault)
{
  char live[VIEW_URL_SIZE];
  char *html = NULL, *json = NULL;
  size_t html_length, json_length;
  view_server_live(server, live);
  const cardan_status status =
      cli_view_page(file, live, &html, &html_length, &json, &json_length, fault);
  if (status == CARDAN_OK) {
    view_server_show(server, html, html_length, json, json_length);
  }
  return status;
}

static void say_fault(const cardan_report *fault)
{
  if (fault->message[0]) {
    cli_load_failed(CARDAN_ERR_MODEL, fault);
  }
}

/* The page again after a save or a wish. A saved text with a fault is read without wishes, too: it
 * may no longer define a number that was wished for. */
static void show_again(view_server *server, view_file *file, bool saved)
{
  cardan_report fault = {0};
  if (show(server, file, &fault) != CARDAN_OK) {
    return;
  }
  if (saved && fault.message[0] && file->wishes.n > 0) {
    cardan_report other = {0};
    cli_pairs none = {0}, wishes = file->wishes;
    file->wishes = none;
    if (show(server, file, &other) == CARDAN_OK && !other.message[0]) {
      cli_pairs_free(&wishes);
      return;
    }
    file->wishes = wishes;
  }
  say_fault(&fault);
}

/* Takes what the page's sliders ask for. */
static void take_wishes(view_server *server, view_file *file)
{
  view_wish wish;
  while (view_server_take(server, &wish)) {
    if (wish.name[0] == '\0') {
      cli_pairs_free(&file->wishes);
      file->wishes = (cli_pairs){0};
    } else if (!cli_pairs_set(&file->wishes, wish.name, wish.value)) {
      cli_error("out of memory");
    }
  }
}

/* Serves until a signal comes. */
static int serve(view_server *server, view_file *file, bool open)
{
  cardan_report fault = {0};
  file_state seen = look_at(file->path);
  if (show(server, file, &fault) != CARDAN_OK) {
    cli_error("%s", fault.message);
    return CLI_USAGE;
  }
  say_fault(&fault);
  printf("%s\n", view_server_url(server));
  fflush(stdout);
  fprintf(stderr, "showing %s; Ctrl-C ends it\n", file->path);
  char way[512] = "";
  pid_t browser = -1;
  if (open && !write_way(view_server_url(server), way, sizeof way)) {
    cli_warning("no browser was started (%s): open the address yourself", strerror(errno));
  } else if (open) {
    browser = open_browser(way);
  }
  cli_interrupt_begin("the page is no longer shown");
  while (!cli_interrupted()) {
    const bool wished = view_server_wait(server, look_every);
    watch_browser(&browser);
    const file_state now = look_at(file->path);
    const bool saved = now.there && !same(&now, &seen);
    if (wished) {
      take_wishes(server, file);
    }
    if (saved || wished) {
      seen = now.there ? now : seen;
      show_again(server, file, saved);
    }
  }
  if (way[0]) {
    unlink(way);
  }
  return CLI_DONE;
}

/* What the command line says, and whether there is anything to show. */
static int prepare(const cli_args *args, view_file *file, int *port)
{
  cardan_report report = {0};
  cardan_options scratch = cardan_options_defaults();
  const char *text = cli_args_value(args, "port");
  char *end = NULL;
  const long number = text ? strtol(text, &end, 10) : 0;
  if (text && (end == text || *end != '\0' || number < 0 || number > 65535)) {
    cli_error("--port is \"%s\", expected a number from 0 to 65535", text);
    return CLI_USAGE;
  }
  *port = (int)number;
  if (!cli_settings_read(args, &file->settings)) {
    return CLI_USAGE;
  }
  if (cli_options_apply(args, &scratch, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  const size_t length = strlen(file->path);
  if (length > 4 && strcmp(file->path + length - 4, ".csv") == 0) {
    cli_error("%s is a table without its model: write the result as FILE.h5 to view it",
              file->path);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

/* A result that cannot be read will not get better, unlike a model that is being written. */
static int check_source(const char *path, const cli_args *args)
{
  cli_source source;
  const bool result = cardan_is_result(path);
  const bool there = access(path, F_OK) == 0;
  if (there && !result) {
    return CLI_DONE;
  }
  const int exit = cli_source_open(&source, path, args);
  cli_source_close(&source);
  return exit;
}

static int view(const cli_args *args)
{
  view_file file = {.path = args->word[0], .args = args};
  view_server *server = NULL;
  cardan_report report = {0};
  int port;
  int exit = prepare(args, &file, &port);
  if (exit == CLI_DONE) {
    exit = check_source(file.path, args);
  }
  if (exit == CLI_DONE && cli_view_refused(&file, &report)) {
    cli_error("%s", report.message);
    exit = CLI_USAGE;
  }
  if (exit == CLI_DONE && view_server_start(port, &server, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    exit = CLI_USAGE;
  }
  if (exit == CLI_DONE) {
    exit = serve(server, &file, cli_args_value(args, "no-open") == NULL);
  }
  view_server_stop(server);
  cli_pairs_free(&file.settings);
  cli_pairs_free(&file.wishes);
  return exit;
}

static const cli_option options[] = {
    {"port", "N", "port on 127.0.0.1 [any that is free]"},
    {"no-open", NULL, "print the address, and leave opening it to you"},
    CLI_SETTING_OPTIONS,
    {NULL, NULL, NULL},
};

const cli_command cli_view = {
    .name = "view",
    .words = "FILE",
    .nword = 1,
    .help = "open a result or a model in the browser; follows the file as it changes",
    .text =
        "FILE is a model file, the name of a built-in model, the result (.h5) of a run or a "
        "sweep,\n"
        "or a case of a sweep by its number (.h5#17). A model or a case is run with its own\n"
        "options, those given here over them, for at most a second. Whenever the file is saved the "
        "page is updated; what is wrong with it appears\n"
        "on the page, at its line. The address is for this machine alone and holds a token that\n"
        "cannot be guessed.\n"
        "The browser is $BROWSER, or what xdg-open finds.\n"
        "\n"
        "examples\n"
        "  cardan view arm.mbs\n"
        "  cardan view run.h5\n"
        "  cardan view closed-chain --no-open --port 8080\n",
    .option = options,
    .simulates = true,
    .run = view,
};
