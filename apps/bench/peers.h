/* SPDX-License-Identifier: Apache-2.0
 * bench/peers.h - the same models through other libraries, each by a program of its own
 * (bench/peers), which is driven through a pipe: bench/peers/peer.h says how.
 *
 * A model is sent as its bodies, joints and pins, and is the same for both when the energy of a
 * random state is; times of one that differs are not shown. */
#pragma once
#include "bench/bench.h"
#include "bench/program.h"
#include "cardan/model.h"

enum { CARDAN__PEERS = 8, CARDAN__PEER_WAYS = 8 };

/* Something that a peer can do: a call of some kind. */
typedef struct {
  char word[24];  // its name in requests
  char kind[16];  // "forward", "inverse", "step", "solve"
  char label[40]; // "Euler"
  char how[160];
} cardan__peer_way;

typedef struct {
  cardan__program program;
  char name[40]; // "MuJoCo 2.2.2"
  bool coarse;   // works in single precision
  int nway;
  cardan__peer_way way[CARDAN__PEER_WAYS];
} cardan__peer;

typedef struct cardan__peers {
  int n;
  cardan__peer peer[CARDAN__PEERS];
  cardan__bench_table *energies;
} cardan__peers;

/* Starts the programs that are in the folder, and makes the table of energies. */
void cardan__peers_open(cardan__bench *b, cardan__peers *peers);
void cardan__peers_close(cardan__bench *b, cardan__peers *peers);

/* Gives the model to all peers, at a state, and adds a case for each of their ways of that kind.
 * label: for the table of energies; n: calls of a batch. A peer that cannot take the model gets a
 * case that says why. The subjects live in `holders`, of CARDAN__CASES. */
typedef struct {
  cardan__peer *peer;
  const cardan__peer_way *way;
  double dt;
  double seconds; // of the last batch
} cardan__peer_subject;
void cardan__peers_add(cardan__bench *b, const cardan_model *model, const char *label,
                       const double *q, const double *v, const char *kind, double dt, int n,
                       cardan__peer_subject *holders, cardan__bench_cases *cases);

/* The motion from the state given last to time T: seconds, and coordinates at the end (nq). what:
 * step or tolerance. returns CARDAN_ERR_IO with its words when it failed */
cardan_status cardan__peer_solve(cardan__peer *peer, const cardan__peer_way *way, double what,
                                 double T, int nq, double *q, double *seconds,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Scenes: bodies on a floor, or a robot's own file. request: a line, or lines, that peer.h of
 * bench/peers describes. returns false with why, of 200 bytes, when the peer does not take it */
bool cardan__peer_set_scene(cardan__peer *peer, const cardan__text *request, char *why);

/* Times of the steps of a motion, each at its best of several rounds. */
typedef struct {
  double seconds;    // of all steps
  double p99, worst; // of one step [s]
  double overlap;    // deepest after a step [m]
  double contacts;   // largest number
} cardan__peer_times;
bool cardan__peer_play(cardan__peer *peer, double dt, int steps, int rounds,
                       cardan__peer_times *times);
