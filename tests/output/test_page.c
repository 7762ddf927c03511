// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "output/pack.h"
#include "output/page.h"

/* The JSON of one string. */
static void check_string(const char *bytes, size_t length, const char *wanted)
{
  cardan__json json;
  cardan__json_init(&json, NULL);
  cardan__json_bytes(&json, NULL, bytes, length);
  assert_string_equal(json.text.data, wanted);
  cardan__text_free(&json.text);
}

// nothing that could end a script element or a line of a script gets through; UTF-8 does
static void strings_are_safe(void **state)
{
  (void)state;
  check_string("a\"b\\", 4, "\"a\\u0022b\\u005c\"");
  check_string("</script>", 9, "\"\\u003c/script\\u003e\"");
  check_string("<!--&'", 6, "\"\\u003c!--\\u0026\\u0027\"");
  check_string("\n\0\x7f", 3, "\"\\u000a\\u0000\\u007f\"");
  check_string("\xe2\x80\xa8\xe2\x80\xa9", 6, "\"\\u2028\\u2029\"");
  check_string("\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"");
  // cut, overlong, surrogate, beyond Unicode
  check_string("\xf0\x9f", 2, "\"\\ufffd\\ufffd\"");
  check_string("\xc0\xaf", 2, "\"\\ufffd\\ufffd\"");
  check_string("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");
  check_string("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

// RFC 4648, numbers in little-endian order, with and without padding
static void base64_is_right(void **state)
{
  cardan__json json;
  cardan__base64 b;
  (void)state;
  cardan__json_init(&json, NULL);
  cardan__base64_open(&b, &json, NULL);
  cardan__base64_float(&b, 1.0F);  // 00 00 80 3f
  cardan__base64_double(&b, -2.0); // 00 .. 00 c0
  cardan__base64_close(&b);
  assert_string_equal(json.text.data, "\"AACAPwAAAAAAAADA\"");
  cardan__text_free(&json.text);
  cardan__json_init(&json, NULL);
  cardan__base64_open(&b, &json, NULL);
  cardan__base64_float(&b, 1.0F);
  cardan__base64_close(&b);
  assert_string_equal(json.text.data, "\"AACAPw==\"");
  cardan__text_free(&json.text);
}

/* What viewer/src/pack.ts does: number i of an array of 4-byte ones, from its packed bytes. */
static uint32_t *unpacked(const unsigned char *bytes, const cardan__packing *p)
{
  uint32_t *x = calloc(p->count, sizeof *x);
  const size_t n = p->count, stride = (size_t)p->stride;
  assert_non_null(x);
  for (size_t i = 0; i < n; i++) {
    uint32_t z = 0;
    for (size_t plane = 0; plane < 4; plane++) {
      z |= (uint32_t)bytes[plane * n + i] << (8 * plane);
    }
    x[i] = (z >> 1) ^ (0U - (z & 1));
  }
  for (int k = 0; k < p->order; k++) {
    for (size_t i = stride; i < n; i++) {
      x[i] += x[i - stride];
    }
  }
  for (size_t i = 0; i < n; i++) {
    x[i] = x[i] >> 31 ? x[i] ^ 0x7fffffff : x[i];
  }
  return x;
}

/* Packs n numbers and takes them apart again. returns the order of differences that was chosen */
static int pack_and_back(const float *x, size_t n, int stride)
{
  cardan__text block;
  cardan__packing p = {.size = 4, .real = true, .stride = stride, .at = 3};
  cardan__text_init(&block, NULL);
  cardan__text_add(&block, "abc", 3); // of another array
  cardan__text_add(&block, (const char *)x, n * sizeof *x);
  cardan__pack_array(&block, &p);
  assert_int_equal(p.count, n);
  assert_memory_equal(block.data, "abc", 3);
  uint32_t *back = unpacked((const unsigned char *)block.data + 3, &p);
  assert_memory_equal(back, x, n * sizeof *x);
  free(back);
  cardan__text_free(&block);
  return p.order;
}

// every bit comes back, of numbers that are none too; smooth curves lie as differences, noise as it
// is, series beside one another each by itself
static void arrays_are_packed(void **state)
{
  enum { N = 999 };
  static float smooth[N], noise[N], both[N];
  support_rng r = {7};
  (void)state;
  for (int i = 0; i < N; i++) {
    smooth[i] = (float)(5 + sin(0.01 * i));
    noise[i] = (float)support_random_in(&r, -1, 1);
    both[i] = i % 3 == 0 ? (float)(0.001 * i) : i % 3 == 1 ? -1000 + (float)i : 0;
  }
  assert_int_equal(pack_and_back(smooth, N, 1), 2);
  assert_int_equal(pack_and_back(noise, N, 1), 0);
  assert_true(pack_and_back(both, N, 3) > 0);
  noise[3] = (float)NAN;
  noise[4] = -INFINITY;
  noise[5] = -0.0F;
  pack_and_back(noise, N, 1);
  pack_and_back(noise, 1, 6);
}

static const char text[] = "(system \"a</script>b\" (gravity 0 0 -9.81)\n"
                           "  (ry \"q\" (tz -1 (name \"<b>\") (mass 1))))\n";

/* The page of a model without a run. */
static cardan_page page_of(const cardan_model *model)
{
  return (cardan_page){
      .source = "a<b>.mbs", .text = text, .length = sizeof text - 1, .model = model};
}

static void data_has_no_markup(void **state)
{
  cardan_model *model = load_model(text, NULL);
  const cardan_page page = page_of(model);
  char *json = NULL;
  size_t length;
  (void)state;
  assert_int_equal(cardan_page_json(&page, NULL, &json, &length, NULL), CARDAN_OK);
  assert_int_equal(strlen(json), length);
  assert_null(strchr(json, '<'));
  assert_non_null(strstr(json, "\"name\":\"a\\u003c/script\\u003eb\""));
  cardan_free_text(NULL, json);
  cardan_model_destroy(model);
}

/* A mesh that is found is in the data, thinned; of one that is not the page reports it. */
static cardan_status read_mesh(void *user, const char *name, char **data, size_t *size,
                               cardan_report *report)
{
  static char cube[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  (void)user;
  *data = cube;
  *size = sizeof cube - 1;
  return strcmp(name, "there.obj") == 0
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "not in /home/user");
}

static void release_mesh(void *user, char *data)
{
  (void)user;
  (void)data;
}

static void meshes_are_drawn(void **state)
{
  static const char meshes[] = "(system (ry \"q\" (tz -1 (mass 1) (shape mesh \"there.obj\")"
                               " (shape mesh \"gone.stl\") (shape mesh \"there.obj\"))))";
  cardan_model *model = load_model(meshes, NULL);
  const cardan_files files = {.user = NULL, .read = read_mesh, .release = release_mesh};
  cardan_page page = page_of(model);
  char *json = NULL;
  size_t length;
  (void)state;
  page.files = &files;
  assert_int_equal(cardan_page_json(&page, NULL, &json, &length, NULL), CARDAN_OK);
  assert_non_null(strstr(json,
                         "\"meshes\":[{\"file\":\"there.obj\",\"triangles\":4,\"low\":[0,0,0],"
                         "\"high\":[1,1,1],\"vertices\":\""));
  assert_non_null(strstr(json, "{\"file\":\"gone.stl\",\"why\":\"the file was not found\"}"));
  assert_non_null(strstr(json, "\"mesh\":0},{\"kind\":\"mesh\",\"size\":[1,1,1],\"mesh\":1},"
                               "{\"kind\":\"mesh\",\"size\":[1,1,1],\"mesh\":0}"));
  assert_null(strstr(json, "/home/user"));
  cardan_free_text(NULL, json);
  cardan_model_destroy(model);
}

/* Is the joint of that name driven, in the data of a model's page? */
static bool is_driven(const char *json, const char *name)
{
  char key[64];
  snprintf(key, sizeof key, "\"name\":\"%s\",\"kind\"", name);
  const char *joint = strstr(json, key);
  assert_non_null(joint);
  const char *flag = strstr(joint, "\"driven\":");
  assert_non_null(flag);
  return strncmp(flag + strlen("\"driven\":"), "true", 4) == 0;
}

// a joint with a motion is driven, whether its coordinate is prescribed or held by a constraint
static void driven_joints_are_told(void **state)
{
  static const struct {
    const char *model, *driven, *other;
  } list[] = {{"slider-crank", "crank", "x"}, {NULL, "k", "a"}};
  static const char kinematic[] = "(system (joint revolute \"a\" (mass 1 1 1 1))"
                                  " (rz (k \"k\") (mass 1 1 1 1)) (motion \"k\" t))";
  (void)state;
  for (int i = 0; i < 2; i++) {
    cardan_model *model = NULL;
    char *json = NULL;
    size_t length;
    const cardan_status status = list[i].model
                                     ? cardan_model_load(list[i].model, NULL, 0, NULL, &model, NULL)
                                     : cardan_model_from_text(kinematic, strlen(kinematic), "k.mbs",
                                                              NULL, 0, NULL, &model, NULL);
    assert_int_equal(status, CARDAN_OK);
    const cardan_page page = page_of(model);
    assert_int_equal(cardan_page_json(&page, NULL, &json, &length, NULL), CARDAN_OK);
    assert_true(is_driven(json, list[i].driven));
    assert_false(is_driven(json, list[i].other));
    cardan_free_text(NULL, json);
    cardan_model_destroy(model);
  }
}

// with pages a file appears whole; without, one sentence says why there is none
static void pages_are_written(void **state)
{
  cardan_model *model = load_model(text, NULL);
  const cardan_page page = page_of(model);
  cardan_report report = {0};
  char path[64];
  (void)state;
  snprintf(path, sizeof path, "page-%ld.html", (long)getpid());
  if (cardan_has_pages()) {
    assert_int_equal(cardan_page_check(path, &report), CARDAN_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(cardan_page_write(&page, path, NULL, &report), CARDAN_OK);
    assert_int_equal(remove(path), 0);
    assert_int_equal(cardan_page_check("no/such/folder/a.html", &report), CARDAN_ERR_IO);
  } else {
    assert_int_equal(cardan_page_check(path, &report), CARDAN_ERR_UNSUPPORTED);
    assert_int_equal(cardan_page_write(&page, path, NULL, &report), CARDAN_ERR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "Node.js"));
  }
  cardan_model_destroy(model);
}

/* A page with packed data, as it comes, or by the allocator. */
static cardan_status make_page(const cardan_allocator *alloc, void *user)
{
  char *html = NULL;
  size_t length = 0;
  const cardan_status status = cardan_page_html(user, NULL, alloc, &html, &length, NULL);
  cardan_free_text(alloc, html);
  return status;
}

static void pages_without_memory(void **state)
{
  cardan_model *model = load_model(text, NULL);
  cardan_page page = page_of(model);
  (void)state;
  if (cardan_has_pages()) {
    support_fail_each(make_page, &page);
  }
  cardan_model_destroy(model);
}

static cardan_status wrap_data(const cardan_allocator *alloc, void *user)
{
  static const char json[] = "{\"version\":\"wrapped\"}";
  char *html = NULL;
  size_t length = 0;
  (void)user;
  const cardan_status status =
      cardan__page_wrap(json, sizeof json - 1, NULL, alloc, &html, &length, NULL);
  if (status != CARDAN_OK) {
    assert_null(html);
    assert_int_equal(length, 0);
    return status;
  }
  assert_int_equal(strlen(html), length);
  const char *place = strstr(html, "id=\"cardan-data\">{\"version\":\"wrapped\"}</script>");
  assert_non_null(place);
  assert_null(strstr(html, "<!--cardan:data-->"));
  assert_non_null(strstr(place, "</html>"));
  cardan_free_text(alloc, html);
  return CARDAN_OK;
}

// any data takes the place of the marker, and nothing is left out when memory fails
static void data_is_wrapped(void **state)
{
  (void)state;
  if (cardan_has_pages()) {
    support_fail_each(wrap_data, NULL);
  } else {
    assert_int_equal(wrap_data(NULL, NULL), CARDAN_ERR_UNSUPPORTED);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings_are_safe),       cmocka_unit_test(base64_is_right),
      cmocka_unit_test(arrays_are_packed),      cmocka_unit_test(pages_without_memory),
      cmocka_unit_test(data_has_no_markup),     cmocka_unit_test(meshes_are_drawn),
      cmocka_unit_test(driven_joints_are_told), cmocka_unit_test(pages_are_written),
      cmocka_unit_test(data_is_wrapped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
