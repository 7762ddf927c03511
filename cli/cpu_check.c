// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cpu_needs.h"

/* Does this processor have the instructions that the command was compiled with? Asked before main
 * by code that is compiled for every processor of the kind: the first other instruction would end
 * the command by SIGILL, with no message. */

#if defined __x86_64__ && defined __GNUC__

static void say(const char *text)
{
  (void)!write(STDERR_FILENO, text, strlen(text));
}

__attribute__((constructor(101))) static void check(void)
{
  __builtin_cpu_init();
#define NAME(macro, name) name,
#define HAS(macro, name) __builtin_cpu_supports(name) != 0,
  static const char *const names[] = {CPU_FEATURES(NAME) ""};
  const bool has[] = {CPU_FEATURES(HAS) true};
  for (unsigned i = 0; i < sizeof has / sizeof *has - 1; i++) {
    if (cpu_needs[i] && !has[i]) {
      say("cardan: this build is for a processor with ");
      say(names[i]);
      say(", which this one does not have: build it here, or for every processor (cmake --preset "
          "packaged)\n");
      _exit(1);
    }
  }
}

#endif
