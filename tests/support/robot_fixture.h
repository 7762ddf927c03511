/* SPDX-License-Identifier: Apache-2.0
 * robot_fixture.h - what the tests of robots from other formats share. */
#pragma once
#include "cardan/model.h"
#include "support.h"

/* A text that must be right, in the format of file's ending; else the test fails and says why. */
cardan_model *robot_load(const char *text, const char *file, const cardan_setting *settings, int n);

/* A text that is wrong, and the place and a part of the message that it must get. */
typedef struct {
  const char *text;
  int line, column;
  const char *part;
} robot_wrong;
/* All of them, in the format of file's ending; files: that they may name, NULL: none. */
void robot_wrong_files(const robot_wrong *list, size_t n, const char *file,
                       const cardan_files *files);

/* Files in memory: name, text, name, text .. up to a NULL. */
cardan_files robot_files(char **pairs);

/* Reads the text with every allocation failing once; files as above. returns how many there are */
long robot_no_memory(const char *text, const char *file, const cardan_files *files);

/* Is the origin of a frame there in the world, at the start? */
void robot_assert_at(const cardan_model *model, const char *frame, double x, double y, double z);

/* The pair of two named solids, in any order; NULL: they do not touch. */
const cardan_pair *robot_pair(const cardan_model *model, const char *a, const char *b);
