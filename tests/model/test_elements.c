// SPDX-License-Identifier: Apache-2.0
#include "model/elements.h"

#include <string.h>

#include "forces/kind.h"
#include "support.h"

/* A kind without a descriptor does not link; here: a descriptor has all that its kind needs. */

static const cardan__argument *last_argument(const cardan__element *element)
{
  const cardan__argument *last = NULL;
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    if (element->argument[i].kind != CARDAN__ARG_NONE) {
      // no gaps: an argument behind a gap would never be read in its place
      assert_true(i == 0 || last == &element->argument[i - 1]);
      last = &element->argument[i];
    }
  }
  return last;
}

// the example of a message begins with the word; lists, directions and options say what they are
static void descriptors_are_whole(void **state)
{
  (void)state;
  for (int k = 0; k < CARDAN_NELEMENT_KIND; k++) {
    const cardan_element_kind kind = (cardan_element_kind)k;
    const cardan__element *element = cardan__element_of(kind);
    const char *word = cardan__element_word(kind);
    assert_true(element->usage[0] == '(' && strncmp(element->usage + 1, word, strlen(word)) == 0);
    assert_non_null(last_argument(element));
    for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
      const cardan__argument *arg = &element->argument[i];
      const bool named =
          arg->kind == CARDAN__ARG_EXPR_LIST || arg->kind == CARDAN__ARG_VALUE_LIST ||
          arg->kind == CARDAN__ARG_DIRECTION || arg->kind == CARDAN__ARG_FRAME_OPTION ||
          arg->kind == CARDAN__ARG_VALUE_OPTION || arg->kind == CARDAN__ARG_SHARE_OPTION;
      assert_true(!named || arg->what != NULL);
    }
    assert_true((cardan__element_exprs(element) > 0) == (element->leaves != 0));
    // between two frames, or (behind those) on coordinates
    assert_true(element->draw == CARDAN__DRAW_NOT ||
                cardan__element_joins_frames(element) == (element->draw < CARDAN__DRAW_DRIVE));
    const bool force = k >= CARDAN_NCONSTRAINT_KIND + CARDAN_NBOUND_KIND;
    assert_true(force == (element->rows == NULL && element->nrow == 0));
    assert_true(force == (element->force != NULL));
    assert_true(cardan__is_bound(kind) == (element->settle_bounds != NULL));
  }
}

// what the flags of a force promise to the methods, its functions do
static void forces_keep_their_promise(void **state)
{
  (void)state;
  for (int k = CARDAN_NCONSTRAINT_KIND + CARDAN_NBOUND_KIND; k < CARDAN_NELEMENT_KIND; k++) {
    const int flags = cardan__element_of((cardan_element_kind)k)->flags;
    const cardan__force_kind *force = cardan__force_kind_of((cardan_element_kind)k);
    assert_true(((flags & CARDAN_FORCE_POTENTIAL) != 0) == (force->energy != NULL));
    assert_true(((flags & CARDAN_FORCE_FRICTION) != 0) == (force->apply == NULL));
    const bool known = force->apply != NULL && !(flags & CARDAN_FORCE_PROGRAM);
    assert_true(known == (force->slope != NULL));
    assert_true((force->channel != NULL) == (force->direction != NULL));
    assert_true((force->channel != NULL) == (force->gradient != NULL));
    assert_true(force->energy == NULL || force->channel == NULL);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptors_are_whole),
      cmocka_unit_test(forces_keep_their_promise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
