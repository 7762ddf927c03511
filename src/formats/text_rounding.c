// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "expr/units.h"
#include "formats/text_rounding.h"

/* What the numbers of a text are rounded to. A number of FEW significant digits or less was meant
 * as it is, one of MANY or more is a double written out; of the others, the finest last digit
 * counts for closing loops, the coarsest for what is redundant. Zeros at the end are no digits:
 * writing a model and reading it gives the same answer. Masses, forces, colours, contacts and
 * values to start from do not decide whether loops close, nor do parameters, which may change;
 * ratios of gears and numbers in equations are what they are. */

enum { FEW = 3, MANY = 15 };

static bool is_number_end(char c)
{
  return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The unit of the last digit of a rounded number; 0: it is not one. */
static double last_digit(const char *text)
{
  int digits = 0, zeros = 0, decimals = 0, exponent = 0;
  bool point = false;
  const char *c = text;
  for (; !is_number_end(*c) && *c != 'e' && *c != 'E'; c++) {
    if (*c == '.') {
      point = true;
    } else if (*c >= '0' && *c <= '9') {
      decimals += point;
      digits += digits > 0 || *c != '0';
      zeros = *c == '0' ? zeros + 1 : 0;
    }
  }
  if (!is_number_end(*c)) {
    const bool negative = c[1] == '-';
    for (c += 1 + (c[1] == '-' || c[1] == '+'); !is_number_end(*c) && exponent < 1000; c++) {
      exponent = 10 * exponent + (*c - '0');
    }
    exponent = negative ? -exponent : exponent;
  }
  digits -= zeros < digits ? zeros : digits;
  return digits > FEW && digits < MANY ? pow(10.0, exponent - decimals + zeros) : 0.0;
}

static void count(cardan_spec *spec, const char *numbers, double of)
{
  for (const char *c = numbers; *c != '\0'; c += *c != '\0') {
    const double unit = is_number_end(*c) ? 0.0 : of * last_digit(c);
    if (unit > 0.0) {
      spec->rounding = spec->rounding == 0.0 || unit < spec->rounding ? unit : spec->rounding;
      spec->coarsest = fmax(spec->coarsest, unit);
    }
    while (!is_number_end(*c)) {
      c++;
    }
  }
}

void cardan__digits_of(cardan_spec *spec, const char *numbers, double of)
{
  count(spec, numbers, of);
  spec->says_rounding = true; // what is made of such numbers has other digits
}

/* Most lists differ from a word by the length alone. */
#define WORD(text)              \
  {                             \
    text, (int)sizeof(text) - 1 \
  }

static bool is_aside(const cardan__sexpr *tree, int node)
{
  static const struct {
    const char *text;
    int length;
  } words[] = {
      WORD("mass"),         WORD("shape"),    WORD("gravity"),        WORD("initial"),
      WORD("simulate"),     WORD("input"),    WORD("actuator"),       WORD("output"),
      WORD("parameter"),    WORD("keyframe"), WORD("armature"),       WORD("limit"),
      WORD("spring"),       WORD("damper"),   WORD("joint-spring"),   WORD("torsion-spring"),
      WORD("dry-friction"), WORD("torque"),   WORD("potential"),      WORD("friction"),
      WORD("damping"),      WORD("wrench"),   WORD("newton-gravity"), WORD("equation"),
      WORD("motion"),       WORD("gear"),     WORD("screw"),          WORD("solid"),
      WORD("material"),     WORD("contact"),  WORD("stop"),           WORD("rope"),
      WORD("inequality"),   WORD("table")};
  const int head = cardan__sexpr_first(tree, node); // -1 of what is no list
  bool aside = false;
  for (size_t k = 0; head >= 0 && !aside && k < sizeof words / sizeof *words; k++) {
    aside =
        tree->nodes[head].count == words[k].length && cardan__sexpr_is(tree, head, words[k].text);
  }
  return aside;
}

/* The unit of the number at a node, which stands behind its word: (mm 12.34). Degrees count as
 * radians, as they always did. */
static double unit_of(const cardan__sexpr *tree, int node)
{
  const bool word = node > 1 && tree->nodes[node - 1].kind == CARDAN__SEXPR_SYMBOL &&
                    cardan__sexpr_first(tree, node - 2) == node - 1;
  const cardan__unit *unit = word ? cardan__unit_of(cardan__sexpr_text(tree, node - 1)) : NULL;
  if (!unit || cardan__same_word(unit->word, "deg")) {
    return 1.0;
  }
  return unit->divides ? 1.0 / unit->factor : unit->factor;
}

void cardan__digits_of_mbs(cardan_spec *spec, const cardan__sexpr *tree, int item)
{
  for (int i = item; i < tree->nnode && !spec->says_rounding;) {
    if (is_aside(tree, i)) {
      i = tree->nodes[i].text; // the node after its last descendant
      continue;
    }
    if (cardan__sexpr_is_form(tree, i, "repeat")) {
      const int first = cardan__sexpr_child(tree, i, 4); // behind the index and its ends
      i = first >= 0 ? first : tree->nodes[i].text;
      continue;
    }
    if (tree->nodes[i].kind == CARDAN__SEXPR_NUMBER) {
      count(spec, cardan__sexpr_text(tree, i), unit_of(tree, i));
    }
    i++;
  }
}
