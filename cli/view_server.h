/* SPDX-License-Identifier: Apache-2.0
 * view_server.h - a page and its data on loopback, for whoever knows the token.
 *
 *   GET /TOKEN/                  the page
 *   GET /TOKEN/data?after=N      its data once its version is not N: 200 with the header
 *   Cardan-Version,
 *                                or 204 when nothing changed for a while
 *   GET /TOKEN/set?name=N&value=X
 *                                a wish: the number N of the model as X; reset=1: none any more */
#pragma once
#include "cardan/base.h"

typedef struct view_server view_server;

enum { VIEW_URL_SIZE = 128, VIEW_NAME_SIZE = 128 };

/* The number `name` of the model is to have this value; an empty name: all as the text has them. */
typedef struct {
  char name[VIEW_NAME_SIZE];
  double value;
} view_wish;

/* Begins to listen on 127.0.0.1; port 0: any that is free.
 * returns CARDAN_ERR_IO and a sentence: the port is in use, say */
cardan_status view_server_start(int port, view_server **out, cardan_report *report);
/* Ends all connections. NULL is fine. */
void view_server_stop(view_server *server);

/* The address to open; and the one that the page of the next version asks for news. */
const char *view_server_url(const view_server *server);
void view_server_live(view_server *server, char live[VIEW_URL_SIZE]);

/* A new version of the page. Both texts become the server's, which frees them with
 * cardan_free_text. Pages that wait are reported. */
void view_server_show(view_server *server, char *html, size_t html_length, char *json,
                      size_t json_length);

/* Waits for a wish, for at most so long. returns whether there is one */
bool view_server_wait(view_server *server, long nanoseconds);
/* Takes the oldest wish. returns false when there is none */
bool view_server_take(view_server *server, view_wish *wish);
