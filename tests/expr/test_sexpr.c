// SPDX-License-Identifier: Apache-2.0
// The reader of S-expressions: what a text becomes, and where each mistake is reported.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/sexpr.h"
#include "support.h"

// reads a text that is right
static cardan__sexpr read_text(const char *text)
{
  cardan__sexpr tree;
  cardan_report report = {0};

  if (cardan__sexpr_read(&tree, text, strlen(text), NULL, &report) != CARDAN_OK) {
    fail_msg("%d:%d: %s", report.pos.line, report.pos.column, report.message);
  }
  return tree;
}

// node i of `whole` and those in it, and node j of `parts`
static void expect_same_form(const cardan__sexpr *whole, int i, const cardan__sexpr *parts, int j)
{
  const int end = whole->nodes[i].kind == CARDAN__SEXPR_LIST ? whole->nodes[i].text : i + 1;

  assert_int_equal(parts->nnode - j, end - i);
  for (; i < end; i++, j++) {
    const cardan__sexpr_node *a = &whole->nodes[i], *b = &parts->nodes[j];
    assert_true(a->kind == b->kind && a->count == b->count && a->pos.line == b->pos.line &&
                a->pos.column == b->pos.column && a->number == b->number);
    assert_string_equal(cardan__sexpr_text(whole, i), cardan__sexpr_text(parts, j));
  }
}

// a text read in parts gives the children of the whole one, or fails with the same words
static void expect_same_in_parts(const char *bytes, size_t length)
{
  cardan__sexpr whole, parts;
  cardan__sexpr_reader *reader;
  cardan_report report = {0}, again = {0};
  const cardan_status status = cardan__sexpr_read(&whole, bytes, length, NULL, &report);
  int child = 0, expected = status == CARDAN_OK ? cardan__sexpr_first(&whole, 0) : -1;
  cardan_status end = cardan__sexpr_open(&parts, bytes, length, NULL, &again, &reader);

  while (end == CARDAN_OK && child >= 0) {
    end = cardan__sexpr_next(reader, &child);
    if (status == CARDAN_OK) {
      assert_int_equal(end, CARDAN_OK);
      assert_true((child < 0) == (expected < 0));
    }
    if (status == CARDAN_OK && child >= 0) {
      assert_int_equal(parts.nodes[child].next, -1);
      expect_same_form(&whole, expected, &parts, child);
      expected = whole.nodes[expected].next;
    }
  }
  assert_int_equal(end, status);
  assert_int_equal(again.pos.line, report.pos.line);
  assert_int_equal(again.pos.column, report.pos.column);
  assert_string_equal(again.message, report.message);
  cardan__sexpr_close(reader);
  cardan__sexpr_free(&whole);
}

// reads bytes that are wrong at line, column, with `part` in the message
static void expect_fail(const char *bytes, size_t length, int line, int column, const char *part)
{
  cardan__sexpr tree;
  cardan_report report = {0};

  assert_int_equal(cardan__sexpr_read(&tree, bytes, length, NULL, &report), CARDAN_ERR_SYNTAX);
  assert_null(tree.nodes);
  assert_null(tree.text);
  if (report.pos.line != line || report.pos.column != column || !strstr(report.message, part)) {
    fail_msg("%d:%d: %s\nexpected %d:%d: .. %s ..", report.pos.line, report.pos.column,
             report.message, line, column, part);
  }
  expect_same_in_parts(bytes, length);
}

static void expect_error(const char *text, int line, int column, const char *part)
{
  expect_fail(text, strlen(text), line, column, part);
}

static void expect_node(const cardan__sexpr *tree, int node, int kind, const char *text, int line,
                        int column)
{
  assert_true(node >= 0 && node < tree->nnode);
  assert_int_equal(tree->nodes[node].kind, kind);
  assert_string_equal(cardan__sexpr_text(tree, node), text);
  assert_int_equal(tree->nodes[node].pos.line, line);
  assert_int_equal(tree->nodes[node].pos.column, column);
}

static void nodes(void **state)
{
  cardan__sexpr tree =
      read_text("; a comment (\"\n (System \"a b\"\n\t(gravity 0 0 -9.81)();x\n)\n");

  (void)state;
  assert_int_equal(sizeof(cardan__sexpr_node), 32);
  assert_int_equal(tree.nnode, 9);
  expect_node(&tree, 0, CARDAN__SEXPR_LIST, "", 2, 2);
  assert_int_equal(tree.nodes[0].count, 4);
  assert_int_equal(tree.nodes[0].next, -1);
  assert_int_equal(tree.nodes[0].text, 9);
  expect_node(&tree, 1, CARDAN__SEXPR_SYMBOL, "System", 2, 3);
  expect_node(&tree, 2, CARDAN__SEXPR_STRING, "a b", 2, 10);
  assert_int_equal(tree.nodes[2].count, 3);
  expect_node(&tree, 3, CARDAN__SEXPR_LIST, "", 3, 2);
  assert_int_equal(tree.nodes[3].text, 8);
  expect_node(&tree, 4, CARDAN__SEXPR_SYMBOL, "gravity", 3, 3);
  expect_node(&tree, 6, CARDAN__SEXPR_NUMBER, "0", 3, 13);
  cardan__sexpr_free(&tree);
  assert_null(tree.nodes);
}

static void walking(void **state)
{
  cardan__sexpr tree = read_text("(a (b 1) \"a\" 2 ())");

  (void)state;
  assert_int_equal(cardan__sexpr_first(&tree, 0), 1);
  assert_int_equal(cardan__sexpr_first(&tree, 1), -1);
  assert_int_equal(cardan__sexpr_child(&tree, 0, 0), 1);
  assert_int_equal(cardan__sexpr_child(&tree, 0, 2), 5);
  assert_int_equal(tree.nodes[2].next, 5);
  assert_int_equal(cardan__sexpr_child(&tree, 0, 4), 7);
  assert_int_equal(cardan__sexpr_first(&tree, 7), -1);
  assert_int_equal(cardan__sexpr_child(&tree, 0, 5), -1);
  assert_true(cardan__sexpr_is(&tree, 1, "A"));
  assert_false(cardan__sexpr_is(&tree, 1, "ab"));
  assert_false(cardan__sexpr_is(&tree, 1, ""));
  assert_false(cardan__sexpr_is(&tree, 5, "a")); // a string is no symbol
  assert_false(cardan__sexpr_is(&tree, 0, "a"));
  assert_false(cardan__sexpr_is(&tree, -1, "a"));
  assert_true(cardan__sexpr_is_form(&tree, 0, "A"));
  assert_true(cardan__sexpr_is_form(&tree, 2, "b"));
  assert_false(cardan__sexpr_is_form(&tree, 7, "b"));
  assert_false(cardan__sexpr_is_form(&tree, 1, "a"));
  cardan__sexpr_free(&tree);
}

static void words(void **state)
{
  // words end at parentheses, quotes and comments as well as at blanks
  cardan__sexpr tree = read_text("(a(b)c\"d\"\"e\"- + -x <= .5 -.5 +3 5. 1e5;\n1E-2;)\n)");
  static const double numbers[] = {0.5, -0.5, 3.0, 5.0, 1e5, 1e-2};
  int n = 0;

  (void)state;
  for (int i = 0; i < tree.nnode; i++) {
    if (tree.nodes[i].kind == CARDAN__SEXPR_NUMBER) {
      assert_true(tree.nodes[i].number == numbers[n++]);
    }
  }
  assert_int_equal(n, 6);
  assert_int_equal(tree.nodes[0].count, 15);
  cardan__sexpr_free(&tree);

  tree = read_text("-2.5");
  assert_int_equal(tree.nnode, 1);
  assert_true(tree.nodes[0].number == -2.5);
  cardan__sexpr_free(&tree);
}

static void escapes(void **state)
{
  cardan__sexpr tree =
      read_text("(\"a\\\"b\\\\c\\nd\\te\" \"\" \"(;)\" \"\xc3\xa4 \xf0\x9f\x98\x80\" z)");
  cardan__text text;

  (void)state;
  expect_node(&tree, 1, CARDAN__SEXPR_STRING, "a\"b\\c\nd\te", 1, 2);
  expect_node(&tree, 2, CARDAN__SEXPR_STRING, "", 1, 18);
  expect_node(&tree, 3, CARDAN__SEXPR_STRING, "(;)", 1, 21);
  expect_node(&tree, 4, CARDAN__SEXPR_STRING, "\xc3\xa4 \xf0\x9f\x98\x80", 1, 27);
  expect_node(&tree, 5, CARDAN__SEXPR_SYMBOL, "z", 1, 33); // three characters, seven bytes
  cardan__text_init(&text, NULL);
  cardan__sexpr_quote(&text, cardan__sexpr_text(&tree, 1));
  assert_string_equal(text.data, "\"a\\\"b\\\\c\\nd\\te\"");
  cardan__text_free(&text);
  cardan__sexpr_free(&tree);
}

static void line_ends(void **state)
{
  static const char *const texts[] = {"(a ;\xff\n\n b)", "(a ;\xff\r\n\r\n b)", "(a ;\xff\r\r b)",
                                      "\xef\xbb\xbf(a ;\xff\n\n b)"};

  (void)state;
  for (int i = 0; i < 4; i++) {
    cardan__sexpr tree = read_text(texts[i]);
    expect_node(&tree, 0, CARDAN__SEXPR_LIST, "", 1, 1);
    expect_node(&tree, 2, CARDAN__SEXPR_SYMBOL, "b", 3, 2);
    cardan__sexpr_free(&tree);
  }
}

static void describing(void **state)
{
  cardan__sexpr tree =
      read_text("(a \"b\" 1e5 () (\"c\") "
                "\"0123456789012345678901234567890123456789012345678901234567890\")");
  char buffer[CARDAN__DESCRIBE_SIZE];
  static const char *const expected[] = {"the list (a ..)", "the symbol \"a\"",  "the string \"b\"",
                                         "the number 1e5",  "the empty list ()", "the list (c ..)"};

  (void)state;
  for (int i = 0; i < 6; i++) {
    assert_string_equal(cardan__sexpr_describe(&tree, i, buffer), expected[i]);
  }
  assert_string_equal(cardan__sexpr_describe(&tree, -1, buffer), "nothing");
  assert_string_equal(
      cardan__sexpr_describe(&tree, 7, buffer),
      "the string \"012345678901234567890123456789012345678901234567890123456789..\"");
  cardan__sexpr_free(&tree);
}

static void character_errors(void **state)
{
  (void)state;
  expect_fail("(a\n \0)", 6, 2, 2, "NUL byte");
  expect_fail("(a \"x\0\")", 8, 1, 6, "NUL byte");
  expect_fail("(a ;x\0\n)", 8, 1, 6, "NUL byte");
  expect_error("(a \x07)", 1, 4, "control character 0x07");
  expect_error("(a b\x7f)", 1, 5, "control character 0x7f");
  expect_error("(a \"\t\")", 1, 5, "control character 0x09");
  expect_error("(1, 2)", 1, 3, "found \",\"; expected blanks");
  expect_error("(a 'b)", 1, 4, "double quotes");
  expect_error("(a `b)", 1, 4, "double quotes");
  expect_error("(a [b])", 1, 4, "found \"[\", which has no meaning");
  expect_error("(a #t)", 1, 4, "found \"#\", which has no meaning");
  expect_error("(a \xc3\xa4 \xff)", 1, 6, "byte 0xff, which is not UTF-8");
  expect_error("(a \"\xc3\")", 1, 5, "byte 0xc3, which is not UTF-8");
  expect_error("(a \xc0\x80)", 1, 4, "not UTF-8"); // too long for its code
  expect_error("(a \xe0\x80\x80)", 1, 4, "not UTF-8");
  expect_error("(a \xed\xa0\x80)", 1, 4, "not UTF-8"); // half of a UTF-16 pair
  expect_error("(a \xf4\x90\x80\x80)", 1, 4, "not UTF-8");
  expect_error("(a\xc2\xa0"
               "1)",
               1, 3, "U+00A0");
  expect_error("(a \xe2\x88\x92"
               "1)",
               1, 4, "U+2212");
  expect_error("(a \xe2\x80\x9cx)", 1, 4, "U+201C");
}

static void word_errors(void **state)
{
  (void)state;
  expect_error("(a 1e400)", 1, 4, "the number 1e400 is not finite");
  expect_error("(a NaN)", 1, 4, "the number NaN is not finite");
  expect_error("(a\n  -inf)", 2, 3, "the number -inf is not finite");
  expect_error("(a +Infinity)", 1, 4, "is not finite");
  expect_error("(a 1e5x)", 1, 4, "found \"1e5x\", which starts as a number but is none");
  expect_error("(a -1.2.3)", 1, 4, "starts as a number");
  expect_error("(a 0x10)", 1, 4, "starts as a number");
  expect_error("(a \"b)\n)", 1, 4, "not closed before the end of the line");
  expect_error("(a \"b)", 1, 4, "not closed before the end of the text");
  expect_error("(a \"b\\", 1, 6, "before a character that needs none");
  expect_error("(a \"b\\d\")", 1, 6, "before a character that needs none");
}

static void shape_errors(void **state)
{
  (void)state;
  expect_error("", 1, 1, "the text is empty");
  expect_error(" \n ; only this\n", 3, 1, "the text is empty");
  expect_error(")", 1, 1, "found \")\" without a \"(\"");
  expect_error("(a))", 1, 4, "found \")\" without a \"(\"");
  expect_error("(a)\n (b)", 2, 2,
               "is more text after the only form, which ended at line 1, column 3");
  expect_error("a b", 1, 3, "is more text after the only form, which ended at line 1, column 1");
  expect_error("(a)\n\"", 2, 1, "is more text after the only form");
  expect_error("(system\n  (a 1", 2, 3,
               "\"(a\" is not closed at the end of the text: 2 \")\" missing");
  expect_error("(", 1, 1, "\"(\" is not closed at the end of the text: 1 \")\" missing");
}

// Listing 1 of Johnson and Murphey, Scalable Variational Integrators, as printed: the frame O lacks
// the parenthesis that ends the subtree of (tx -1.5 ..)
static const char listing1[] = "(mechanical-system (gravity 0 0 -9.81)\n"
                               "  (ry \"J\" (Name \"J\")\n"
                               "    (tz -0.5 (Name \"I\") (Mass 1))\n"
                               "    (tz -1.0\n"
                               "      (ry \"H\" (Name \"H\")\n"
                               "        (tz -1.0 (Name \"G\") (Mass 1))\n"
                               "        (tz -2.0 (Name \"O2\")))))\n"
                               "  (tx -1.5\n"
                               "    (ry \"K\" (Name \"K\")\n"
                               "      (tz -1.0 (Name \"L\") (Mass 1))\n"
                               "      (tz -2.0\n"
                               "        (ry \"M\" (Name \"M\")\n"
                               "          (tz -0.5 (Name \"N\") (Mass 1))\n"
                               "          (tz -1.0 (Name \"O\")))))\n"
                               "  (tx 1.5\n"
                               "    (ry \"A\" (Name \"A\")\n"
                               "      (tz -1.0 (Name \"B\") (Mass 1))\n"
                               "      (tz -2.0\n"
                               "        (ry \"C\" (Name \"C\")\n"
                               "          (tz -0.375 (Name \"D\") (Mass 1))\n"
                               "          (tz -0.75\n"
                               "            (ry \"E\" (Name \"E\")\n"
                               "              (tz -0.5 (Name \"F\") (Mass 1))\n"
                               "              (tz -1.0 (Name \"G2\"))))))))\n"
                               "  (point-constraint \"G\" \"G2\" (1 0 0))\n"
                               "  (point-constraint \"G\" \"G2\" (0 0 1))\n"
                               "  (point-constraint \"O\" \"O2\" (1 0 0))\n"
                               "  (point-constraint \"O\" \"O2\" (0 0 1)))\n";

// the text with `drop` bytes after the first `after` replaced by `insert`
static char *edited(const char *text, const char *after, size_t drop, const char *insert)
{
  const size_t size = strlen(text) + strlen(insert) + 1;
  const char *at = strstr(text, after);
  char *result = malloc(size);

  assert_non_null(at);
  assert_non_null(result);
  at += strlen(after);
  snprintf(result, size, "%.*s%s%s", (int)(at - text), text, insert, at + drop);
  return result;
}

static void printed_listing(void **state)
{
  cardan__sexpr tree;
  cardan_report report = {0};
  char *text = edited(listing1, "(Name \"O\")", 0, ")");

  (void)state;
  expect_error(listing1, 14, 34, "\"(tx\" of line 8, column 3 is still open, and line 15");
  assert_int_equal(cardan__sexpr_read(&tree, text, strlen(text), NULL, &report), CARDAN_OK);
  cardan__sexpr_free(&tree);
  free(text);
}

// one parenthesis less or more anywhere else is found on its own line
static void wrong_parentheses(void **state)
{
  static const struct {
    const char *after;
    size_t drop;
    const char *insert;
    int line, column;
    const char *part;
  } cases[] = {
      {"(Name \"I\") (Mass 1)", 1, "", 3, 33, "probably missing here: \"(tz\" of line 3, column 5"},
      {"(Name \"G\") (Mass", 4, "\n 1)", 7, 4,
       "probably missing here: \"(tz\" of line 6, column 9"},
      {"(Name \"O2\")", 1, "", 7, 32, "probably missing here: \"(ry\" of line 2, column 3"},
      {"(Name \"I\") (Mass 1)", 0, ")", 3, 34, "probably too many here: \"(ry\" of line 2"},
      {"(Name \"D\") (Mass 1)", 0, ")", 20, 42, "probably too many here: \"(ry\" of line 19"},
      {"\"O2\" (0 0 1))", 0, ")", 28, 39, "without a \"(\""},
      {"\"O2\" (0 0 1))", 1, "", 1, 1, "\"(mechanical-system\" is not closed"},
  };
  char *whole = edited(listing1, "(Name \"O\")", 0, ")");

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *text = edited(whole, cases[i].after, cases[i].drop, cases[i].insert);
    expect_error(text, cases[i].line, cases[i].column, cases[i].part);
    free(text);
  }
  free(whole);
  // a text that is not indented gives no guesses
  expect_error("(system\n(a\n(b 1)\n(c 2)\n", 2, 1, "\"(a\" is not closed");
}

static void nesting(void **state)
{
  enum { SIZE = 1 << 20, DEPTH = CARDAN__SEXPR_MAX_DEPTH };
  char *text = malloc(SIZE);
  cardan__sexpr tree;

  (void)state;
  assert_non_null(text);
  memset(text, '(', SIZE);
  expect_fail(text, SIZE, 1, DEPTH + 1, "deeper than 10000 levels");
  memset(text + DEPTH, ')', DEPTH);
  assert_int_equal(cardan__sexpr_read(&tree, text, 2 * DEPTH, NULL, NULL), CARDAN_OK);
  assert_int_equal(tree.nnode, DEPTH);
  cardan__sexpr_free(&tree);
  expect_fail(text, 2 * DEPTH - 1, 1, 1, "not closed");
  free(text);
}

// the same question as the reader's, answered without it: is the text one balanced list of words?
static bool is_one_list(const char *text, int n)
{
  int depth = 0;

  for (int i = 0; i < n; i++) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth <= 0 && i < n - 1) {
      return false;
    }
  }
  return n > 1 && depth == 0;
}

static void random_texts(void **state)
{
  support_rng rng = {3};
  char text[64];

  (void)state;
  for (int i = 0; i < 20000; i++) {
    cardan__sexpr tree;
    const int n = 1 + (int)(support_random(&rng) % (i % 2 ? 8 : 63));
    for (int k = 0; k < n; k++) {
      text[k] = "()a\n"[support_random(&rng) % 4];
    }
    text[0] = '(';
    text[n - 1] = ')';
    const bool good = cardan__sexpr_read(&tree, text, (size_t)n, NULL, NULL) == CARDAN_OK;
    assert_true(good == is_one_list(text, n));
    cardan__sexpr_free(&tree);
    expect_same_in_parts(text, (size_t)n);
  }
}

static void random_bytes(void **state)
{
  support_rng rng = {4};
  char text[256];

  (void)state;
  for (int i = 0; i < 20000; i++) {
    cardan__sexpr tree;
    cardan_report report = {0};
    const int n = support_random_int(&rng, 0, 255);
    for (int k = 0; k < n; k++) {
      const uint64_t r = support_random(&rng);
      text[k] = i % 2 ? (char)(r >> 8) : "()\"\\;a1.-e \n\r\t\xc3\xa4"[(r >> 8) % 16];
    }
    if (cardan__sexpr_read(&tree, text, (size_t)n, NULL, &report) == CARDAN_OK) {
      cardan__sexpr_free(&tree);
    } else {
      assert_true(report.pos.line >= 1 && report.pos.column >= 1 && report.message[0]);
    }
    expect_same_in_parts(text, (size_t)n);
  }
}

static void in_parts(void **state)
{
  static const char *const texts[] = {"word",
                                      "()",
                                      "(a)",
                                      "((a b) c (d (e)) f)",
                                      "(1 2 (3 \"x\"))",
                                      "; c\n(system \"n\" ; d\n  (a 1)\n  (b (c 2)) (d))\n; e\n"};
  char *text = edited(listing1, "(Name \"O\")", 0, ")");

  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    expect_same_in_parts(texts[i], strlen(texts[i]));
  }
  expect_same_in_parts(text, strlen(text));
  free(text);
}

static cardan_status read_listing(const cardan_allocator *alloc, void *user)
{
  cardan__sexpr tree;
  const cardan_status status = cardan__sexpr_read(&tree, user, strlen(user), alloc, NULL);

  cardan__sexpr_free(&tree);
  return status;
}

static cardan_status read_listing_in_parts(const cardan_allocator *alloc, void *user)
{
  cardan__sexpr tree;
  cardan__sexpr_reader *reader;
  int child = 0;
  cardan_status status = cardan__sexpr_open(&tree, user, strlen(user), alloc, NULL, &reader);

  while (status == CARDAN_OK && child >= 0) {
    status = cardan__sexpr_next(reader, &child);
  }
  cardan__sexpr_close(reader);
  return status;
}

static void no_memory(void **state)
{
  char *text = edited(listing1, "(Name \"O\")", 0, ")");

  (void)state;
  assert_true(support_fail_each(read_listing, text) >= 3);
  assert_true(support_fail_each(read_listing_in_parts, text) >= 4);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes),
      cmocka_unit_test(walking),
      cmocka_unit_test(words),
      cmocka_unit_test(escapes),
      cmocka_unit_test(line_ends),
      cmocka_unit_test(describing),
      cmocka_unit_test(character_errors),
      cmocka_unit_test(word_errors),
      cmocka_unit_test(shape_errors),
      cmocka_unit_test(printed_listing),
      cmocka_unit_test(wrong_parentheses),
      cmocka_unit_test(nesting),
      cmocka_unit_test(in_parts),
      cmocka_unit_test(random_texts),
      cmocka_unit_test(random_bytes),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
