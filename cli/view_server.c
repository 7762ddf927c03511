// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // getrandom, sockets
#include "view_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cardan/lazy_library.h"
#include "cardan/load.h"

enum {
  TOKEN_BYTES = 16,
  CONNECTIONS = 256,  // more than may stay: one that was ended counts until its thread has seen it
  WISHES = 64,        // that wait to be taken
  IDLE = 32,          // of them may say nothing that they may ask
  QUIET_SECONDS = 60, // an idle connection is closed
  WAIT_SECONDS = 20   // the longest that a question for news stays open
};

/* libmicrohttpd's calls that are used here, from when a server first starts. */
// clang-format off
#define MHD_CALLS(X) \
  X(add_response_header) X(create_response_from_buffer) X(destroy_response)            \
  X(get_connection_info) X(lookup_connection_value) X(queue_response)                  \
  X(start_daemon) X(stop_daemon)
// clang-format on
static struct {
#define FIELD(name) __typeof__(MHD_##name) *(name);
  MHD_CALLS(FIELD)
#undef FIELD
} mhd;

static cardan_status load_mhd(cardan_report *report)
{
#define ENTRY(name) {"MHD_" #name, &mhd.name},
  static const cardan_lazy_library_symbol symbol[] = {MHD_CALLS(ENTRY)};
#undef ENTRY
  return cardan_lazy_library_load(CARDAN_MICROHTTPD_LIBRARY, symbol,
                                  sizeof symbol / sizeof symbol[0], report);
}

/* A connection; asked: it knew the token. */
typedef struct {
  int fd; // -1: none
  bool asked;
  unsigned long number; // in the order in which they came
} view_caller;

struct view_server {
  struct MHD_Daemon *daemon;
  char token[2 * TOKEN_BYTES + 1];
  char url[VIEW_URL_SIZE], host[2][32]; // host: names that a browser may call it by
  pthread_mutex_t lock;                 // guards what follows
  pthread_cond_t changed;
  bool ending;
  view_caller caller[CONNECTIONS];
  unsigned long callers; // that have come so far
  unsigned version;      // 0: nothing to show yet
  char *html, *json;
  size_t html_length, json_length;
  pthread_cond_t wished;
  view_wish wish[WISHES]; // in the order they came, one for each name
  int nwish;
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
                              const char *body, size_t length, unsigned version)
{
  struct MHD_Response *response =
      mhd.create_response_from_buffer(length, (void *)body, MHD_RESPMEM_MUST_COPY);
  char number[16];
  snprintf(number, sizeof number, "%u", version);
  if (!response) {
    return MHD_NO;
  }
  mhd.add_response_header(response, "Content-Type", type);
  mhd.add_response_header(response, "Cache-Control", "no-store");
  mhd.add_response_header(response, "X-Content-Type-Options", "nosniff");
  mhd.add_response_header(response, "Referrer-Policy", "no-referrer");
  mhd.add_response_header(response, "Cardan-Version", number);
  const enum MHD_Result result = mhd.queue_response(connection, status, response);
  mhd.destroy_response(response);
  return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
  return answer(connection, status, "text/plain; charset=utf-8", why, strlen(why), 0);
}

/* Waits until there is a version other than `after`. The lock is held. */
static void wait_for_news(view_server *server, unsigned after)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += WAIT_SECONDS;
  while (!server->ending && server->version == after) {
    if (pthread_cond_timedwait(&server->changed, &server->lock, &until) != 0) {
      break;
    }
  }
}

static enum MHD_Result answer_data(view_server *server, struct MHD_Connection *connection)
{
  const char *text = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "after");
  const unsigned after = text ? (unsigned)strtoul(text, NULL, 10) : 0;
  pthread_mutex_lock(&server->lock);
  wait_for_news(server, after);
  const bool news = server->version != after && server->json;
  const enum MHD_Result result =
      news ? answer(connection, MHD_HTTP_OK, "application/json", server->json, server->json_length,
                    server->version)
           : answer(connection, MHD_HTTP_NO_CONTENT, "text/plain", "", 0, server->version);
  pthread_mutex_unlock(&server->lock);
  return result;
}

/* Keeps a wish; of one name the last. A reset makes all before it void. The lock is held.
 * returns false when there are too many */
static bool keep_wish(view_server *server, const view_wish *wish)
{
  int i = 0;
  if (wish->name[0] == '\0') {
    server->nwish = 0;
  }
  while (i < server->nwish && strcmp(server->wish[i].name, wish->name) != 0) {
    i++;
  }
  if (i == WISHES) {
    return false;
  }
  server->wish[i] = *wish;
  server->nwish = i == server->nwish ? i + 1 : server->nwish;
  pthread_cond_broadcast(&server->wished);
  return true;
}

static enum MHD_Result answer_set(view_server *server, struct MHD_Connection *connection)
{
  const char *name = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "name");
  const char *text = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "value");
  const bool reset =
      mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "reset") != NULL;
  char *end = NULL;
  view_wish wish = {.value = text ? strtod(text, &end) : 0};
  const bool number = text && end != text && *end == '\0' && isfinite(wish.value);
  if (!reset && (!name || !name[0] || strlen(name) >= sizeof wish.name || !number)) {
    return refuse(connection, MHD_HTTP_BAD_REQUEST, "expected name=NAME&value=NUMBER\n");
  }
  snprintf(wish.name, sizeof wish.name, "%s", reset ? "" : name);
  pthread_mutex_lock(&server->lock);
  const bool kept = keep_wish(server, &wish);
  pthread_mutex_unlock(&server->lock);
  return kept ? answer(connection, MHD_HTTP_NO_CONTENT, "text/plain", "", 0, 0)
              : refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many at once\n");
}

static enum MHD_Result answer_page(view_server *server, struct MHD_Connection *connection)
{
  pthread_mutex_lock(&server->lock);
  const enum MHD_Result result = answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
                                        server->html, server->html_length, server->version);
  pthread_mutex_unlock(&server->lock);
  return result;
}

/* Ends the oldest of the connections that have not requested anything they may see, where there are
 * more of those than may stay: whoever opens many and says nothing must not keep others out. The
 * lock is held, and a connection is taken from the list before its socket is closed. */
static void end_idle(view_server *server)
{
  view_caller *oldest = NULL;
  int idle = 0;
  for (int i = 0; i < CONNECTIONS; i++) {
    view_caller *c = &server->caller[i];
    if (c->fd >= 0 && !c->asked) {
      idle++;
      oldest = oldest == NULL || c->number < oldest->number ? c : oldest;
    }
  }
  if (idle > IDLE) {
    shutdown(oldest->fd, SHUT_RDWR); // its thread sees the end, and closes it
    oldest->asked = true;            // once
  }
}

/* A connection begins, or ends. */
static void note_caller(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode code)
{
  view_server *server = user;
  const union MHD_ConnectionInfo *info =
      mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  pthread_mutex_lock(&server->lock);
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    view_caller *gone = *context;
    if (gone != NULL) {
      *gone = (view_caller){.fd = -1};
    }
  } else if (info != NULL) {
    for (int i = 0; i < CONNECTIONS && *context == NULL; i++) {
      view_caller *c = &server->caller[i];
      if (c->fd < 0) {
        *c = (view_caller){.fd = info->connect_fd, .number = server->callers++};
        *context = c;
      }
    }
    end_idle(server);
  }
  pthread_mutex_unlock(&server->lock);
}

/* It knows the token: it may stay while it is quiet. */
static void mark_caller(view_server *server, struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
      mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  view_caller *caller = info != NULL ? info->socket_context : NULL;
  if (caller != NULL) {
    pthread_mutex_lock(&server->lock);
    caller->asked = true;
    pthread_mutex_unlock(&server->lock);
  }
}

/* Is the request for this server by a name of its own? Another site's name that was made to point
 * here must not get through. */
static bool right_host(const view_server *server, struct MHD_Connection *connection)
{
  const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
  return host && (strcmp(host, server->host[0]) == 0 || strcmp(host, server->host[1]) == 0);
}

// NOLINTBEGIN(readability-non-const-parameter): the library fixes these types
static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
  view_server *server = user;
  const size_t length = strlen(server->token);
  // NOLINTEND(readability-non-const-parameter)
  (void)version;
  (void)upload;
  (void)upload_size;
  (void)state;
  if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
    return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
  }
  if (!right_host(server, connection)) {
    return refuse(connection, MHD_HTTP_FORBIDDEN, "not by this name\n");
  }
  if (url[0] != '/' || strncmp(url + 1, server->token, length) != 0) {
    return refuse(connection, MHD_HTTP_NOT_FOUND, "the address lacks its token\n");
  }
  const char *rest = url + 1 + length;
  mark_caller(server, connection);
  if (strcmp(rest, "/") == 0) {
    return answer_page(server, connection);
  }
  if (strcmp(rest, "/data") == 0) {
    return answer_data(server, connection);
  }
  if (strcmp(rest, "/set") == 0) {
    return answer_set(server, connection);
  }
  return refuse(connection, MHD_HTTP_NOT_FOUND, "there is nothing here\n");
}

static cardan_status failed(const char *what, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot %s: %s", what,
                     strerror(errno));
}

/* A socket that listens on loopback; its port is put into *port. -1 and a sentence on failure. */
static int listen_on(int *port, cardan_report *report)
{
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  socklen_t size = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd >= 0) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(fd, CONNECTIONS) != 0 || getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
    if (errno == EADDRINUSE) {
      cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                  "port %d is in use: give another with --port, or none for one that is free",
                  *port);
    } else {
      failed("listen on 127.0.0.1", report);
    }
    if (fd >= 0) {
      close(fd);
    }
    return -1;
  }
  *port = ntohs(address.sin_port);
  return fd;
}

static bool make_token(char token[2 * TOKEN_BYTES + 1])
{
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
    return false;
  }
  for (int i = 0; i < TOKEN_BYTES; i++) {
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  }
  return true;
}

cardan_status view_server_start(int port, view_server **out, cardan_report *report)
{
  *out = NULL;
  if (load_mhd(report) != CARDAN_OK) {
    return CARDAN_ERR_IO;
  }
  view_server *server = calloc(1, sizeof *server);
  if (!server || !make_token(server->token)) {
    free(server);
    return failed("make a token", report);
  }
  const int fd = listen_on(&port, report);
  if (fd < 0) {
    free(server);
    return CARDAN_ERR_IO;
  }
  snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/%s/", port, server->token);
  snprintf(server->host[0], sizeof server->host[0], "127.0.0.1:%d", port);
  snprintf(server->host[1], sizeof server->host[1], "localhost:%d", port);
  pthread_mutex_init(&server->lock, NULL);
  pthread_condattr_t clock; // monotonic: it is never set back
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&server->changed, &clock);
  pthread_cond_init(&server->wished, &clock);
  pthread_condattr_destroy(&clock);
  for (int i = 0; i < CONNECTIONS; i++) {
    server->caller[i].fd = -1;
  }
  server->daemon = mhd.start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, handle,
      server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
      MHD_OPTION_NOTIFY_CONNECTION, note_caller, server, MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)QUIET_SECONDS, MHD_OPTION_END);
  if (!server->daemon) {
    const cardan_status status = failed("start the server", report);
    close(fd);
    view_server_stop(server);
    return status;
  }
  *out = server;
  return CARDAN_OK;
}

void view_server_stop(view_server *server)
{
  if (!server) {
    return;
  }
  pthread_mutex_lock(&server->lock);
  server->ending = true;
  pthread_cond_broadcast(&server->changed);
  pthread_mutex_unlock(&server->lock);
  if (server->daemon) {
    mhd.stop_daemon(server->daemon);
  }
  cardan_free_text(NULL, server->html);
  cardan_free_text(NULL, server->json);
  pthread_cond_destroy(&server->changed);
  pthread_cond_destroy(&server->wished);
  pthread_mutex_destroy(&server->lock);
  free(server);
}

const char *view_server_url(const view_server *server)
{
  return server->url;
}

void view_server_live(view_server *server, char live[VIEW_URL_SIZE])
{
  pthread_mutex_lock(&server->lock);
  snprintf(live, VIEW_URL_SIZE, "/%s/data?after=%u", server->token, server->version + 1);
  pthread_mutex_unlock(&server->lock);
}

void view_server_show(view_server *server, char *html, size_t html_length, char *json,
                      size_t json_length)
{
  pthread_mutex_lock(&server->lock);
  cardan_free_text(NULL, server->html);
  cardan_free_text(NULL, server->json);
  server->html = html;
  server->html_length = html_length;
  server->json = json;
  server->json_length = json_length;
  server->version++;
  pthread_cond_broadcast(&server->changed);
  pthread_mutex_unlock(&server->lock);
}

bool view_server_wait(view_server *server, long nanoseconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const long sum = until.tv_nsec + nanoseconds;
  until.tv_sec += sum / 1000000000;
  until.tv_nsec = sum % 1000000000;
  pthread_mutex_lock(&server->lock);
  if (server->nwish == 0) {
    pthread_cond_timedwait(&server->wished, &server->lock, &until);
  }
  const bool any = server->nwish > 0;
  pthread_mutex_unlock(&server->lock);
  return any;
}

bool view_server_take(view_server *server, view_wish *wish)
{
  pthread_mutex_lock(&server->lock);
  const bool any = server->nwish > 0;
  if (any) {
    *wish = server->wish[0];
    server->nwish--;
    memmove(server->wish, server->wish + 1, (size_t)server->nwish * sizeof *wish);
  }
  pthread_mutex_unlock(&server->lock);
  return any;
}
