// SPDX-License-Identifier: Apache-2.0
// XML as an enemy writes it: bounded, or refused with a place, and never slow.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/spec.h"
#include "formats/xml.h"
#include "support.h"

static cardan_status read_bytes(const char *text, size_t length, cardan_report *report, char *name,
                                size_t size)
{
  cardan__arena arena;
  cardan__xml *root = NULL;
  *report = (cardan_report){.message = ""};
  cardan__arena_init(&arena, NULL);
  const cardan_status status = cardan__xml_read(text, length, &arena, &root, report);
  const char *value = root != NULL ? cardan__xml_get(root, "a") : NULL;
  snprintf(name, size, "%s", value != NULL ? value : "");
  assert_true((status == CARDAN_OK) == (root != NULL));
  assert_true(status == CARDAN_OK || (report->message[0] != '\0' && report->pos.line >= 1));
  cardan__arena_free(&arena);
  return status;
}

#define BYTES(text) text, sizeof text - 1

// what an encoding has behind it is UTF-8 here
static void encodings(void **state)
{
  static const struct {
    const char *text;
    size_t length;
  } good[] = {
      {BYTES("<r a='\xC3\xA9'/>")},
      {BYTES("\xEF\xBB\xBF<r a='\xC3\xA9'/>")},
      {BYTES("<?xml version='1.0' encoding='ISO-8859-1'?><r a='\xE9'/>")},
      {BYTES("\xFF\xFE<\0r\0 \0a\0=\0'\0\xE9\0'\0/\0>\0")},
      {BYTES("\xFE\xFF\0<\0r\0 \0a\0=\0'\0\xE9\0'\0/\0>")},
      {BYTES("<r a='&#233;'/>")},
  };
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    cardan_report report;
    char value[16];
    if (read_bytes(good[i].text, good[i].length, &report, value, sizeof value) != CARDAN_OK) {
      fail_msg("%zu: %s", i, report.message);
    }
    assert_string_equal(value, "\xC3\xA9");
  }
}

static void refused(void **state)
{
  static const struct {
    const char *text;
    size_t length;
  } bad[] = {
      {BYTES("<r a='\xE9'/>")},                                               // not UTF-8
      {BYTES("<?xml version='1.0' encoding='x-made-up'?><r a='\xE9'/>")},     // nor is this
      {BYTES("<r a='1' a='2'/>")},                                            // twice
      {BYTES("<r a='1\0002'/>")},                                             // a zero byte
      {BYTES("<r>\0</r>")},                                                   //
      {BYTES("<r a='&#0;'/>")},                                               //
      {BYTES("<r a='&b;'/>")},                                                // not declared
      {BYTES("<!DOCTYPE r [<!ENTITY b 'c'>]><r a='&b;'/>")},                  // of its own
      {BYTES("<!DOCTYPE r [<!ENTITY b SYSTEM '/etc/passwd'>]><r a='&b;'/>")}, // outside
      {BYTES("<!DOCTYPE r [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><r/>")},
      {BYTES("<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;&a;'><!ENTITY c "
             "'&b;&b;&b;&b;'>]><r>&c;</r>")}, // a bomb
      {BYTES("<r/><r/>")},
      {BYTES("<r>")},
      {BYTES("")},
      {BYTES("\0")},
      {BYTES("\xFF\xFE<")},
      {BYTES("<r a='<'/>")},
      {BYTES("<r><![CDATA[")},
      {BYTES("<!-- -- --><r/>")},
      {BYTES("<!--")}, // comments and declarations that nothing follows, or that do not end
      {BYTES("<!-->")},
      {BYTES("-->")},
      {BYTES("<!-- a --> <!-- b -->\n")},
      {BYTES("<r><!-- </r>")},
      {BYTES("<r/>-->")},
      {BYTES("<?xml?>")},
      {BYTES("<?xml version='1.0'")},
      {BYTES("<!-- a -->\n<?xml version='1.0'?>\n")},
      {BYTES("<!-- a -->\n<?xml version='1.0'?>\n-->")},
      {BYTES("<?xml version='1.0'?><?xml version='1.0'?><r/>")},
      {BYTES("<!DOCTYPE r [<!-- a -->")},
      {BYTES("<!DOCTYPE r [<!ATTLIST r a CDATA 'b'>]>")},
  };
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cardan_report report;
    char value[16];
    if (read_bytes(bad[i].text, bad[i].length, &report, value, sizeof value) != CARDAN_ERR_SYNTAX) {
      fail_msg("%zu was read", i);
    }
  }
}

/* head, n times each, tail, as one text to be freed; %d in each is the count. */
static char *repeat(const char *head, const char *each, int n, const char *tail, size_t *length)
{
  const size_t most = strlen(head) + (size_t)n * (strlen(each) + 16) + strlen(tail) + 1;
  char *text = malloc(most);
  assert_non_null(text);
  size_t used = (size_t)snprintf(text, most, "%s", head);
  for (int i = 0; i < n; i++) {
    const char *mark = strchr(each, '#');
    const int before = mark != NULL ? (int)(mark - each) : (int)strlen(each);
    used += mark != NULL
                ? (size_t)snprintf(text + used, most - used, "%.*s%d%s", before, each, i, mark + 1)
                : (size_t)snprintf(text + used, most - used, "%s", each);
  }
  used += (size_t)snprintf(text + used, most - used, "%s", tail);
  *length = used;
  return text;
}

static void expect_repeat(const char *head, const char *each, int n, const char *tail,
                          cardan_status status)
{
  cardan_report report;
  char value[16];
  size_t length;
  char *text = repeat(head, each, n, tail, &length);
  assert_int_equal(read_bytes(text, length, &report, value, sizeof value), status);
  free(text);
}

// many of everything takes time in proportion, or is refused; a quadratic reader would not end
static void many(void **state)
{
  (void)state;
  expect_repeat("<r ", "a#='1' ", 50000, "/>", CARDAN_OK);
  expect_repeat("<r>", "<e/>", 200000, "</r>", CARDAN_OK);
  expect_repeat("<r>", "<e>", 499, "", CARDAN_ERR_SYNTAX); // not closed
  expect_repeat("", "<e>", 501, "", CARDAN_ERR_SYNTAX);    // too deep
  expect_repeat("<r>", "<!-- a comment -->text", 100000, "</r>", CARDAN_OK);
  expect_repeat("<r a='", "0 ", 1000000, "'/>", CARDAN_OK);
}

// the readers themselves: what is looked up by name is not searched for each time
static void many_names(void **state)
{
  static const char *const each[] = {
      "<material name='m#'><color rgba='0 0 1 1'/></material>"
      "<link><visual><geometry><sphere radius='1'/></geometry><material name='none'/></visual>"
      "</link>",
      "<joint name='j#'/>", "<transmission><joint name='j#'/></transmission>", "<link name='l#'/>"};
  (void)state;
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    size_t length;
    char *text = repeat("<robot name='r'>", each[i], 20000, "</robot>", &length);
    cardan_spec *spec = NULL;
    cardan_report report = {.message = ""};
    assert_int_not_equal(cardan_spec_read(text, length, "r.urdf", NULL, 0, NULL, &spec, &report),
                         CARDAN_OK);
    assert_true(report.message[0] != '\0' && report.pos.line == 1);
    free(text);
  }
}

/* text with the n-th @ replaced by name, the others by letters, to be freed; NULL: it has fewer */
static char *with_name(const char *text, int n, const char *name)
{
  char *out = calloc(1, strlen(text) + strlen(name) + 1);
  size_t used = 0;
  int met = 0;
  assert_non_null(out);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '@' && met == n) {
      memcpy(out + used, name, strlen(name));
      used += strlen(name);
    } else {
      out[used++] = *c != '@' ? *c : (char)('a' + met);
    }
    met += *c == '@';
  }
  if (met <= n) {
    free(out);
    return NULL;
  }
  return out;
}

// a name that no model can have is refused where it stands, the first one of a text too
static void names(void **state)
{
  static const struct {
    const char *file, *text;
  } given[] = {
      {"a.xml", "\n<mujoco model='@'><worldbody><body name='@'><joint name='@'/><geom name='@' "
                "size='1'/><site name='@'/></body></worldbody><tendon><fixed name='@'/></tendon>"
                "<keyframe><key name='@'/></keyframe></mujoco>"},
      {"a.urdf", "\n<robot name='@'><link name='@'/></robot>"},
      {"a.sdf", "\n<sdf version='1.7'><model name='@'><link name='@'/></model></sdf>"},
      {"a.sdf", "\n<sdf version='1.7'><world name='@'><model name='@'><link name='l'/></model>"
                "</world></sdf>"},
  };
  char large[10002];
  memset(large, 'n', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  const char *const bad[] = {"\x7F", "n&#10;", large};
  int count = 0;
  (void)state;
  for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
      char *text;
      for (int n = 0; (text = with_name(given[i].text, n, bad[k])) != NULL; n++) {
        cardan_spec *spec = NULL;
        cardan_report report = {.message = ""};
        const cardan_status status =
            cardan_spec_read(text, strlen(text), given[i].file, NULL, 0, NULL, &spec, &report);
        if (status != CARDAN_OK && (report.message[0] == '\0' || report.pos.line != 2)) {
          fail_msg("%s, name %d: \"%s\" at line %d", given[i].file, n, report.message,
                   report.pos.line);
        }
        assert_true((status == CARDAN_OK) == (spec != NULL));
        count += status != CARDAN_OK;
        cardan_spec_destroy(spec);
        free(text);
      }
    }
  }
  assert_true(count >= 3 * 4); // the roots' own at least
}

static cardan_status read_one(const cardan_allocator *allocator, void *user)
{
  cardan__arena arena;
  cardan__xml *root = NULL;
  cardan_report report = {.message = ""};
  (void)user;
  cardan__arena_init(&arena, allocator);
  const cardan_status status = cardan__xml_read(BYTES("<r/>"), &arena, &root, &report);
  assert_true((status == CARDAN_OK) == (root != NULL));
  assert_true(status == CARDAN_OK || report.message[0] != '\0');
  cardan__arena_free(&arena);
  return status;
}

// expat ends an empty element though its start was refused
static void memory(void **state)
{
  (void)state;
  assert_true(support_fail_each(read_one, NULL) > 0);
}

static void numbers(void **state)
{
  double value[3] = {7, 7, 7};
  (void)state;
  assert_int_equal(cardan__xml_numbers(" 1\t2\n3 ", value, 3), 3);
  assert_near(value[2], 3, 0);
  assert_int_equal(cardan__xml_numbers("1 2 3 4", value, 3), 4);
  assert_int_equal(cardan__xml_numbers("", value, 3), 0);
  assert_int_equal(cardan__xml_numbers("1e308", value, 3), 1);
  assert_int_equal(cardan__xml_numbers("1e-320", value, 3), 1); // a small number, not nothing
  static const char *const bad[] = {"1e400", "-1e400", "nan", "inf",   "0x10",
                                    "1,5",   "1e",     "--1", "1 2 x", "\xC3\xA9"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (cardan__xml_numbers(bad[i], value, 3) != -1) {
      fail_msg("%s was read", bad[i]);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(encodings),  cmocka_unit_test(refused), cmocka_unit_test(many),
      cmocka_unit_test(many_names), cmocka_unit_test(names),   cmocka_unit_test(memory),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
