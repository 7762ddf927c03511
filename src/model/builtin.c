// SPDX-License-Identifier: Apache-2.0
#include "model/builtin.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "model/builtin_parts.h"
#include "model/builtin_texts.h"

enum { SIZE_MOST = 1000000 };

/* A model of one size has the text of its file in examples/models; one of many sizes a function
 * that writes the text of a size. The other of the two is NULL. */
typedef struct {
  cardan__builtin info;
  const unsigned char *text;
  size_t length;
  cardan__builtin_writer *write;
} builtin_row;

// clang-format off
#define FIXED(name, text, paper, description) \
  {{(name), (description), 0, 0, 0, (paper)}, text_##text, sizeof text_##text, NULL}
#define SIZED(name, writer, size, low, high, paper, description) \
  {{(name), (description), (size), (low), (high), (paper)}, NULL, 0, cardan__builtin_##writer}
// clang-format on

static const builtin_row table[] = {
    FIXED("pendulum", pendulum, "Johnson & Murphey, Fig. 1",
          "a point mass on a massless rod, from 45 deg"),
    SIZED("pendulum", pendulum, 5, 1, SIZE_MOST, "Johnson & Murphey, VI-A",
          "N links in a plane with a mass at the end of each, the first at 45 deg"),
    SIZED("chain", chain, 10, 1, SIZE_MOST, "Lee et al., Fig. 2a",
          "N hanging box links, hinge axes y, x, y, x .."),
    SIZED("chain-planar", chain_planar, 10, 1, SIZE_MOST, "",
          "the same chain with all hinges about y"),
    SIZED("lee-chain", lee_chain, 10, 1, SIZE_MOST, "Lee et al., Fig. 4",
          "the chain for counting iterations, in a random state"),
    FIXED("closed-chain", closed_chain, "Johnson & Murphey, VI-B, Listing 1",
          "three arms joined to two closed loops"),
    SIZED("scissor", scissor, 5, 1, SIZE_MOST, "Johnson & Murphey, VI-C",
          "a hanging scissor lift of N rows: many loops, one degree of freedom"),
    SIZED("ladder", ladder, 10, 1, SIZE_MOST, "",
          "a hanging ladder of N storeys: a loop and a degree of freedom in each"),
    SIZED("grid", grid, 4, 1, 1000, "", "a hanging net of N by N parallelograms"),
    FIXED("human", human, "Johnson & Murphey, Fig. 2", "a planar human, free in the plane"),
    FIXED("lower-pairs", lower_pairs, "Johnson & Murphey, III-A",
          "each lower pair as a joint beside the same made of transforms"),
    FIXED("screw", screw, "Johnson & Murphey, IV-D5", "a nut running down a screw"),
    FIXED("gear", gear, "Johnson & Murphey, III-A", "two meshing wheels turned by a weight"),
    FIXED("cam", cam, "Johnson & Murphey, III-A",
          "an eccentric disc lifting a follower on a rolling wheel"),
    FIXED("wire", wire, "Johnson & Murphey, IV-D3", "a ball free in space, held by a wire"),
    FIXED("spring", spring, "Johnson & Murphey, IV-C",
          "a ball on a spring, swinging and springing in resonance"),
    FIXED("kepler", kepler, "Johnson & Murphey, IV-C",
          "two masses on an ellipse under their own attraction"),
    SIZED("arm", arm, 5, 1, SIZE_MOST, "Huang & Zhang, 5.3.1",
          "a serial arm of N plane rectangles, floating or pinned"),
    SIZED("bintree", bintree, 3, 1, 19, "Huang & Zhang, 5.3.2",
          "a binary tree of N levels of rectangles, floating or pinned"),
    SIZED("ring", ring, 4, 4, SIZE_MOST, "Huang & Zhang, 5.4.1",
          "a floating closed loop of N rectangles, turning and bending"),
    FIXED("double-pendulum", double_pendulum, "Fang et al., 3",
          "two steel bars, the first released from horizontal"),
    FIXED("slider-crank", slider_crank, "Fang et al., 3 and 3.4",
          "a spatial slider-crank, driven, with friction on request"),
    FIXED("four-link", four_link, "Fang et al., 3",
          "a spatial four-link mechanism driven by its rotor"),
    SIZED("spherical-chain", spherical_chain, 8, 1, SIZE_MOST, "Fang et al., 3.3",
          "N spinning bars on spherical joints, gravity from a random side"),
    FIXED("biped", biped, "Naudet & Lefeber, Fig. 4",
          "a five-link walker with both feet on the ground"),
    SIZED("pinned-chain", pinned_chain, 6, 3, SIZE_MOST, "Naudet & Lefeber, Fig. 3",
          "a chain of N links hanging between two pins"),
    FIXED("fourbar-3d", fourbar_3d, "",
          "a planar four-bar of 3-D hinges: three redundant constraints"),
    FIXED("tumbler", tumbler, "", "a free plate spinning about its middle axis"),
    FIXED("top", top, "", "a heavy symmetric top on a spherical joint"),
    FIXED("humanoid", humanoid, "", "a free base and 30 hinges, 75 kg"),
    SIZED("tree", tree, 1000, 1, SIZE_MOST, "",
          "N bodies in a random tree of revolute, prismatic and spherical joints"),
    FIXED("sleigh", sleigh, "", "Chaplygin's sleigh: a blade that turns round and glides on"),
    FIXED("snakeboard", snakeboard, "", "a rotor and two steered axles on a board without a drive"),
    FIXED("rolling-disc", rolling_disc, "", "a disc rolls on its rim, leaning and nodding"),
    FIXED("ball-table", ball_table, "", "a ball rolls on a turning table"),
    FIXED("car", car, "", "four wheels, Ackermann steering, driven at the rear"),
    FIXED("tyre-car", tyre_car, "", "a car on four tyres with suspension, steered by an input"),
    FIXED("car-trailer", car_trailer, "", "a car with Ackermann steering and its trailer"),
    SIZED("trailer", trailer, 3, 1, 1000, "", "a chain of N trailers that is pulled straight"),
    FIXED("differential-drive", differential_drive, "",
          "a robot on two driven wheels: the difference of their torques turns it"),
    FIXED("segway", segway, "", "a platform on two wheels that a regulator keeps upright"),
    FIXED("roller-racer", roller_racer, "Krishnaprasad & Tsakiris, 2001",
          "a seat and a handlebar on axles: steering to and fro drives it"),
    FIXED("car-stop", car_stop, "", "a car whose wheels roll drives against a stop"),
    FIXED("bicycle", bicycle, "", "the Whipple bicycle of the benchmark, without a rider's hands"),
    FIXED("bouncing-ball", bouncing_ball, "", "three balls fall on a floor, restitution 1, 0.8, 0"),
    FIXED("block-on-incline", block_on_incline, "",
          "two blocks on a slope, friction a thousandth above and below its slope"),
    FIXED("rolling-ball", rolling_ball, "", "two balls with spin slide until they roll"),
    FIXED("rocking-block", rocking_block, "", "a block rocks from edge to edge until it stands"),
    SIZED("stack", stack, 5, 1, 1000, "", "N boxes standing on one another"),
    SIZED("cradle", cradle, 5, 2, 1000, "", "Newton's cradle of N balls"),
    FIXED("coin", coin, "", "a coin rolls on its rim in steady motion, leaning"),
    FIXED("rattleback", rattleback, "", "a stone that turns back when it is spun the wrong way"),
    FIXED("rimless-wheel", rimless_wheel, "", "spokes without a rim walk down a slope"),
    FIXED("hopper", hopper, "", "a body on a springy leg hops on the spot"),
    SIZED("floor-chain", floor_chain, 10, 1, 1000, "", "a chain of N links falls on the floor"),
    SIZED("pile", pile, 10, 1, 1000, "", "N boxes thrown on a heap"),
    FIXED("gripper", gripper, "", "two fingers hold a block by friction, lift and swing it"),
    FIXED("quadruped", quadruped, "",
          "a four-legged robot, dropped, that lands and stands by its servos"),
    FIXED("rope", rope, "", "a ball on a rope that goes slack and taut"),
    FIXED("geneva", geneva, "", "a Geneva drive: a pin turns a slotted wheel by quarters"),
    FIXED("cam-follower", cam_follower, "",
          "an eccentric disc lifts a follower that a spring holds down, until it jumps"),
};

enum { ROWS = (int)(sizeof table / sizeof table[0]) };

int cardan__builtin_count(void)
{
  return ROWS;
}

const cardan__builtin *cardan__builtin_at(int index)
{
  CARDAN_ASSERT(index >= 0 && index < ROWS);
  return &table[index].info;
}

/* The row called name (length bytes), -1 if there is none; of two with one name, the one that takes
 * a size if sized, else the one that does not. */
static int find_row(const char *name, size_t length, bool sized)
{
  int found = -1;
  for (int i = 0; i < ROWS; i++) {
    const cardan__builtin *info = &table[i].info;
    const bool same = strlen(info->name) == length && memcmp(info->name, name, length) == 0;
    if (same && (found < 0 || (info->default_size > 0) == sized)) {
      found = i;
    }
  }
  return found;
}

/* Reports a name that no model has, with the nearest one that a model has. */
static cardan_status unknown_name(const char *name, size_t length, cardan_report *report)
{
  const char *names[ROWS];
  char word[64];
  for (int i = 0; i < ROWS; i++) {
    names[i] = table[i].info.name;
  }
  const int shown =
      length < sizeof word ? (int)length : (int)cardan__utf8_cut(name, sizeof word - 1);
  snprintf(word, sizeof word, "%.*s", shown, name);
  const char *near = (size_t)shown == length ? cardan__nearest(word, names, ROWS) : NULL;
  if (near) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
                       "no built-in model is called '%s'; did you mean '%s'?", word, near);
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
                     "no built-in model is called '%s'; `cardan list` shows them all", word);
}

/* Reads the text after the colon as a size for info.
 * size  out: set on success */
static cardan_status read_size(const cardan__builtin *info, const char *digits, int *size,
                               cardan_report *report)
{
  const size_t length = strlen(digits);
  const int shown = (int)(length <= 32 ? length : cardan__utf8_cut(digits, 32));
  int n = 0;
  if (info->default_size == 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
                       "the model '%s' takes no size; leave out ':%.*s'", info->name, shown,
                       digits);
  }
  if (digits[0] == '\0' || digits[strspn(digits, "0123456789")] != '\0') {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
                       "the size of '%s' is '%.*s', expected a whole number, as in '%s:%d'",
                       info->name, shown, digits, info->name, info->default_size);
  }
  for (const char *c = digits; *c; c++) {
    n = n > SIZE_MOST ? n : 10 * n + (*c - '0');
  }
  if (n < info->size_min || n > info->size_max) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
                       "'%s' has no size %.*s, expected a size from %d to %d", info->name, shown,
                       digits, info->size_min, info->size_max);
  }
  *size = n;
  return CARDAN_OK;
}

cardan_status cardan__builtin_text(const char *spec, cardan__text *out, cardan_report *report)
{
  CARDAN_ASSERT(spec && out);
  const char *colon = strchr(spec, ':');
  const size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
  const int i = find_row(spec, length, colon != NULL);
  if (i < 0) {
    return unknown_name(spec, length, report);
  }
  const builtin_row *row = &table[i];
  int n = row->info.default_size;
  if (colon) {
    const cardan_status status = read_size(&row->info, colon + 1, &n, report);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  if (row->write) {
    row->write(out, n);
  } else {
    cardan__text_add(out, (const char *)row->text, row->length);
  }
  if (out->failed) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0},
                       "no memory for the text of the model '%s'", spec);
  }
  return CARDAN_OK;
}
