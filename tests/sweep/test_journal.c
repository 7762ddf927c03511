// SPDX-License-Identifier: Apache-2.0
// What journals keep of cases: whole records come back to the bit, anything else never comes back.
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sweep/bytes.h"
#include "sweep/journal.h"
#include "sweep/merge.h"
#include "sweep/share.h"
#include "sweep/streams.h"
#include "sweep/sweep_recipe.h"
#include "sweep_fixture.h"

enum { VALUES = 3, CASES = 6, DIGEST = 77 };

static const cardan_allocator system_memory;
static test_folder folder;

/* Case i of a made-up sweep; tag: of its first value. */
static cardan__case make_case(int64_t number, cardan_status status, double tag, double *value)
{
  cardan__case one = {.number = number, .status = status, .value = value};
  value[0] = tag;
  value[1] = number % 2 == 0 ? -(double)NAN : -0.0;
  value[2] = 1e300 / (double)(number + 1);
  if (status != CARDAN_OK) {
    snprintf(one.message, sizeof one.message, "case %lld: \"no\" ü", (long long)number);
  }
  return one;
}

/* A journal of the numbers first, first + step, .. */
static void write_journal(char path[256], int first, int step, int n, uint64_t digest)
{
  cardan__part journal;
  double value[VALUES];
  assert_int_equal(cardan__part_create(&journal, folder.path, digest, VALUES, &system_memory, NULL),
                   CARDAN_OK);
  snprintf(path, 256, "%s", journal.path);
  for (int i = 0; i < n; i++) {
    const int64_t number = first + (int64_t)i * step;
    const cardan__case one = make_case(number, (cardan_status)(-(int)(number % 3)), 0.5, value);
    assert_int_equal(cardan__part_add(&journal, &one, 0, NULL), CARDAN_OK);
  }
  assert_int_equal(cardan__part_close(&journal, NULL), CARDAN_OK);
}

/* Records of a journal: how many are good; each is compared. room: of the reader's buffer. */
static int read_journal(const char *path, size_t room, bool *torn)
{
  cardan__part_reader reader;
  double value[VALUES], expected[VALUES];
  cardan__case one = {.value = value};
  int n = 0;
  assert_int_equal(
      cardan__part_open(&reader, path, DIGEST, VALUES, 1000, room, &system_memory, NULL),
      CARDAN_OK);
  for (; reader.number >= 0; n++) {
    assert_int_equal(reader.number, n);
    cardan__part_case(&reader, &one);
    const cardan__case same = make_case(n, (cardan_status)(-(n % 3)), 0.5, expected);
    assert_int_equal(one.status, same.status);
    assert_string_equal(one.message, same.message);
    for (int k = 0; k < VALUES; k++) {
      assert_true(isnan(expected[k])
                      ? isnan(value[k])
                      : value[k] == expected[k] && !signbit(value[k]) == !signbit(expected[k]));
    }
    assert_int_equal(cardan__part_next(&reader, NULL), CARDAN_OK);
  }
  *torn = reader.torn;
  cardan__part_done(&reader);
  return n;
}

/* A new file: some file systems wait for the disk where an old one is written over. */
static void put_file(const char *path, const char *bytes, size_t length)
{
  unlink(path);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

// RFC 3720, B.4: the checksum of digits, and of 32 zeros, ones
static void checksum(void **state)
{
  unsigned char zeros[32] = {0}, ones[32];
  (void)state;
  memset(ones, 0xff, sizeof ones);
  assert_int_equal(cardan__crc32c(0, (const unsigned char *)"123456789", 9), 0xe3069283);
  assert_int_equal(cardan__crc32c(0, zeros, sizeof zeros), 0x8a9136aa);
  assert_int_equal(cardan__crc32c(0, ones, sizeof ones), 0x62a8ab43);
}

// a journal cut anywhere has the records before the cut, and says that it broke off
static void cut_anywhere(void **state)
{
  char path[256];
  size_t length;
  bool torn;
  (void)state;
  write_journal(path, 0, 1, CASES, DIGEST);
  char *bytes = folder_read(path, &length);
  assert_int_equal(read_journal(path, 0, &torn), CASES);
  assert_false(torn);
  size_t end = CARDAN__HEADER_SIZE; // of the records that are whole
  int whole = 0;
  for (size_t cut = 0; cut < length; cut++) {
    const size_t size = cut >= CARDAN__HEADER_SIZE && whole < CASES
                            ? cardan__record_claim((unsigned char *)bytes + end, VALUES)
                            : 0;
    if (size > 0 && cut == end + size) {
      end = cut;
      whole++;
    }
    put_file(path, bytes, cut);
    assert_int_equal(read_journal(path, cut % 2 == 0 ? 0 : 4096, &torn), whole);
    assert_int_equal(torn, cut < CARDAN__HEADER_SIZE || cut != end);
  }
  assert_int_equal(whole, CASES - 1);
  free(bytes);
  assert_int_equal(unlink(path), 0);
}

// a byte that is another: the records before it, and none after
static void flipped_anywhere(void **state)
{
  char path[256];
  size_t length;
  bool torn;
  (void)state;
  write_journal(path, 0, 1, CASES, DIGEST);
  char *bytes = folder_read(path, &length);
  size_t end = CARDAN__HEADER_SIZE;
  int before = 0;
  for (size_t at = CARDAN__HEADER_SIZE; at < length; at++) {
    const size_t size = cardan__record_claim((unsigned char *)bytes + end, VALUES);
    if (at == end + size) {
      end = at;
      before++;
    }
    bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
    put_file(path, bytes, length);
    bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
    assert_int_equal(read_journal(path, 0, &torn), before);
    assert_true(torn);
  }
  assert_int_equal(before, CASES - 1);
  free(bytes);
  assert_int_equal(unlink(path), 0);
}

/* Some bytes of a text become others, and it is cut somewhere. returns its new length */
static size_t spoil(support_rng *rng, char *bytes, size_t length)
{
  for (int i = support_random_int(rng, 0, 8); i >= 0; i--) {
    const int at = support_random_int(rng, 0, (int)length - 1);
    const int digit = '0' + support_random_int(rng, 0, 9); // of a length, often
    bytes[at] = (char)(i % 2 == 0 ? digit : support_random_int(rng, 0, 255));
  }
  return (size_t)support_random_int(rng, (int)length / 2, (int)length);
}

// whatever a file has, reading it ends: with the records before the first that is none
static void spoilt(void **state)
{
  char path[256];
  size_t length;
  bool torn;
  support_rng rng = {5};
  (void)state;
  write_journal(path, 0, 1, CASES, DIGEST);
  char *bytes = folder_read(path, &length), *copy = malloc(length);
  assert_non_null(copy);
  for (int i = 0; i < 300; i++) {
    const size_t records = length - CARDAN__HEADER_SIZE;
    memcpy(copy, bytes, length);
    const size_t left = spoil(&rng, copy + CARDAN__HEADER_SIZE, records);
    put_file(path, copy, CARDAN__HEADER_SIZE + left);
    assert_true(read_journal(path, 0, &torn) <= CASES);
  }
  free(copy);
  free(bytes);
  assert_int_equal(unlink(path), 0);
}

// another sweep's journal is not read at all; its name is reported
static void of_another_sweep(void **state)
{
  char path[256];
  cardan__part_reader reader;
  cardan_report report = {0};
  (void)state;
  write_journal(path, 0, 1, CASES, DIGEST + 1);
  assert_int_equal(
      cardan__part_open(&reader, path, DIGEST, VALUES, 1000, 0, &system_memory, &report),
      CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, path));
  assert_int_equal(unlink(path), 0);
}

// every case is in one shard, in ascending order, whatever their numbers
static void shares(void **state)
{
  (void)state;
  for (int64_t count = 0; count < 300; count += 1 + count / 20) {
    for (int shards = 1; shards < 20; shards++) {
      int64_t sum = 0;
      for (int k = 0; k < shards; k++) {
        const cardan__share s = cardan__share_of(count, k, shards);
        int64_t last = -1;
        for (int64_t j = 0; j < s.cases; j++) {
          const int64_t number = cardan__share_number(&s, j);
          assert_true(number > last && number < count);
          assert_int_equal(cardan__share_shard(count, shards, number), k);
          last = number;
        }
        sum += s.cases;
      }
      assert_int_equal(sum, count);
    }
  }
}

/* ---- several journals as one stream ---- */

static const char plan_of_three[] = "(plan (range \"q.a\" 0 1 (count 1000))\n"
                                    "  (collect (end \"q.a\") (max energy) drift))";

/* All cases of the folder's journals, which are 0 .. n - 1. */
static cardan_status walk(int64_t *n, double *sum, cardan_report *report)
{
  cardan_sweep *sweep = sweep_make(sweep_pendulum, plan_of_three, 1);
  const cardan__folder where = {.path = folder.path, .digest = DIGEST};
  cardan__streams streams;
  *n = 0;
  *sum = 0;
  cardan_status status = cardan__streams_open(&streams, sweep, &where, report);
  assert_int_equal(status, CARDAN_OK);
  while ((status = cardan__streams_next(&streams, report)) == CARDAN_OK &&
         streams.one.number >= 0) {
    assert_int_equal(streams.one.number, *n);
    *sum += streams.one.value[0];
    ++*n;
  }
  cardan__streams_close(&streams);
  cardan_sweep_destroy(sweep);
  return status;
}

/* A journal of one case. */
static void write_one(char path[256], int64_t number, cardan_status status, double tag)
{
  cardan__part journal;
  double value[VALUES];
  const cardan__case one = make_case(number, status, tag, value);
  assert_int_equal(cardan__part_create(&journal, folder.path, DIGEST, VALUES, &system_memory, NULL),
                   CARDAN_OK);
  snprintf(path, 256, "%s", journal.path);
  assert_int_equal(cardan__part_add(&journal, &one, 0, NULL), CARDAN_OK);
  assert_int_equal(cardan__part_close(&journal, NULL), CARDAN_OK);
}

// journals with every k-th case, and one that has some of them again, are one ascending stream
static void one_stream(void **state)
{
  char path[8][256];
  int64_t n;
  double sum;
  (void)state;
  for (int k = 0; k < 7; k++) {
    write_journal(path[k], k, 7, 30, DIGEST);
  }
  write_journal(path[7], 3, 5, 20, DIGEST);
  assert_int_equal(walk(&n, &sum, NULL), CARDAN_OK);
  assert_int_equal(n, 210);
  for (int k = 0; k < 8; k++) {
    assert_int_equal(unlink(path[k]), 0);
  }
}

// as many journals as a sweep has after hundreds of restarts, by a process with few files
static void many_journals(void **state)
{
  enum { JOURNALS = 300 };
  unsigned char bytes[CARDAN__HEADER_SIZE + 256];
  char path[256], name[64];
  double value[VALUES], sum;
  int64_t n;
  struct rlimit before, few;
  (void)state;
  for (int k = 0; k < JOURNALS; k++) {
    const cardan__case one = make_case(JOURNALS - 1 - k, CARDAN_OK, 1, value);
    const size_t header = cardan__header_put(bytes, DIGEST, VALUES);
    snprintf(name, sizeof name, "part-x-1-%d.bin", k);
    put_file(folder_path(&folder, name, path), (const char *)bytes,
             header + cardan__record_put(bytes + header, &one, VALUES));
  }
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  few = before;
  few.rlim_cur = 32;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  assert_int_equal(walk(&n, &sum, NULL), CARDAN_OK);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_true(n == JOURNALS && sum == JOURNALS);
  for (int k = 0; k < JOURNALS; k++) {
    snprintf(name, sizeof name, "part-x-1-%d.bin", k);
    assert_int_equal(unlink(folder_path(&folder, name, path)), 0);
  }
}

// a case with two results is an error, unless one of them was only too slow
static void two_results(void **state)
{
  char a[256], b[256];
  int64_t n;
  double sum;
  cardan_report report = {0};
  (void)state;
  for (int slow = 0; slow < 2; slow++) {
    write_one(a, 0, slow ? CARDAN_ERR_STOPPED : CARDAN_OK, 1);
    write_one(b, 0, CARDAN_OK, 2);
    if (slow) {
      assert_int_equal(walk(&n, &sum, NULL), CARDAN_OK);
      assert_true(n == 1 && sum == 2);
    } else {
      assert_int_equal(walk(&n, &sum, &report), CARDAN_ERR_IO);
      assert_non_null(strstr(report.message, "case 0 was done twice"));
    }
    assert_int_equal(unlink(a), 0);
    assert_int_equal(unlink(b), 0);
  }
}

/* ---- recipes ---- */

static cardan_sweep *sweep_with(const char *text, const char *plan, double dt, double setting)
{
  cardan_sweep *sweep;
  cardan_options options = cardan_options_defaults();
  const cardan_setting settings[] = {{"M", setting}}, initial[] = {{"v.a", 0.1}, {"q.a", -1 / 3.0}};
  options.dt = dt;
  const cardan_record base = {.model = "swing.mbs",
                              .text = text,
                              .length = strlen(text),
                              .options = &options,
                              .setting = settings,
                              .nsetting = 1,
                              .initial = initial,
                              .ninitial = 2,
                              .note = "a note"};
  assert_int_equal(cardan_sweep_create(&base, plan, strlen(plan), "plan", NULL, &sweep, NULL),
                   CARDAN_OK);
  return sweep;
}

// a recipe reads back to a sweep with the same recipe; cut anywhere it is none
static void recipe_round_trip(void **state)
{
  cardan_sweep *sweep = sweep_with(sweep_pendulum, plan_of_three, 1 / 3.0, 1e-7), *again;
  cardan__text text, same;
  (void)state;
  assert_int_equal(cardan__recipe_write(sweep, &text, NULL), CARDAN_OK);
  assert_int_equal(cardan__recipe_read(text.data, text.length, "x", NULL, &again, NULL), CARDAN_OK);
  assert_int_equal(cardan__recipe_write(again, &same, NULL), CARDAN_OK);
  assert_int_equal(same.length, text.length);
  assert_memory_equal(same.data, text.data, text.length);
  assert_int_equal(cardan__recipe_compare(&text, same.data, same.length, true, "x", NULL),
                   CARDAN_OK);
  cardan_sweep_destroy(again);
  for (size_t cut = 0; cut < text.length; cut++) {
    assert_int_not_equal(cardan__recipe_compare(&text, text.data, cut, true, "x", NULL), CARDAN_OK);
    if (cut % 16 == 0 &&
        cardan__recipe_read(text.data, cut, "x", NULL, &again, NULL) == CARDAN_OK) {
      // between two entries it is one of fewer options
      cardan_sweep_destroy(again);
    }
  }
  cardan__text_free(&text);
  cardan__text_free(&same);
  cardan_sweep_destroy(sweep);
}

// a recipe that was changed is another, or none; reading it ends
static void recipe_spoilt(void **state)
{
  cardan_sweep *sweep = sweep_with(sweep_pendulum, plan_of_three, 0.01, 1), *again;
  cardan__text text;
  support_rng rng = {7};
  (void)state;
  assert_int_equal(cardan__recipe_write(sweep, &text, NULL), CARDAN_OK);
  char *copy = malloc(text.length);
  assert_non_null(copy);
  for (int i = 0; i < 300; i++) {
    memcpy(copy, text.data, text.length);
    const size_t left = spoil(&rng, copy, text.length);
    const bool same = left == text.length && memcmp(copy, text.data, left) == 0;
    assert_int_equal(cardan__recipe_compare(&text, copy, left, true, "x", NULL) == CARDAN_OK, same);
    if (cardan__recipe_read(copy, left, "x", NULL, &again, NULL) == CARDAN_OK) {
      cardan_sweep_destroy(again);
    }
  }
  free(copy);
  cardan__text_free(&text);
  cardan_sweep_destroy(sweep);
}

// no sentence about a file that someone changed has a byte that a terminal obeys, or half a letter
static void recipe_of_bytes(void **state)
{
  cardan_sweep *sweep = sweep_with(sweep_pendulum, plan_of_three, 0.01, 1);
  cardan__text ours, theirs;
  (void)state;
  assert_int_equal(cardan__recipe_write(sweep, &ours, NULL), CARDAN_OK);
  assert_int_equal(cardan__recipe_write(sweep, &theirs, NULL), CARDAN_OK);
  for (size_t i = 0; i < theirs.length; i++) {
    static const char bytes[] = {'\033', '\177', '\n', '\345'};
    const char was = theirs.data[i];
    cardan_report report = {0};
    theirs.data[i] = bytes[i % 4] != was ? bytes[i % 4] : '\r';
    assert_int_equal(
        cardan__recipe_compare(&ours, theirs.data, theirs.length, true, "r.parts", &report),
        CARDAN_ERR_ARGUMENT);
    for (const char *c = report.message; *c != '\0'; c++) {
      assert_true(*c >= ' ' && *c < 0x7f);
    }
    theirs.data[i] = was;
  }
  cardan__text_add(&theirs, "\033[2J", 4);
  assert_int_equal(cardan__recipe_compare(&ours, theirs.data, theirs.length, true, "r", NULL),
                   CARDAN_ERR_ARGUMENT);
  cardan__text_free(&ours);
  cardan__text_free(&theirs);
  cardan_sweep_destroy(sweep);
}

static void expect_difference(const char *text, const char *plan, double dt, double setting,
                              const char *words)
{
  cardan_sweep *a = sweep_with(sweep_pendulum, plan_of_three, 0.01, 1);
  cardan_sweep *b = sweep_with(text, plan, dt, setting);
  cardan_report report = {0};
  cardan__text ours, theirs;
  assert_int_equal(cardan__recipe_write(a, &ours, NULL), CARDAN_OK);
  assert_int_equal(cardan__recipe_write(b, &theirs, NULL), CARDAN_OK);
  assert_int_equal(
      cardan__recipe_compare(&ours, theirs.data, theirs.length, true, "r.parts", &report),
      CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, words));
  assert_non_null(strstr(report.message, "r.parts is of another sweep"));
  cardan__text_free(&ours);
  cardan__text_free(&theirs);
  cardan_sweep_destroy(a);
  cardan_sweep_destroy(b);
}

// what two sweeps differ by is reported in words
static void recipe_differences(void **state)
{
  static const char other_model[] =
      "(system \"swing\" (parameter M 1) (ry \"a\" (tz -1 (mass M))))";
  static const char other_plan[] = "(plan (range \"q.a\" 0 1 (count 999)) (collect drift))";
  (void)state;
  expect_difference(other_model, plan_of_three, 0.01, 1, "the model's text differs");
  expect_difference(sweep_pendulum, other_plan, 0.01, 1, "the plan differs");
  expect_difference(sweep_pendulum, plan_of_three, 0.02, 1, "there option dt is 0.02, here 0.01");
  expect_difference(sweep_pendulum, plan_of_three, 0.01, 2, "there setting M is 2, here 1");
}

static int open_folder(void **state)
{
  (void)state;
  folder = folder_make();
  return 0;
}

/* Is it in the list? */
static bool has(const cardan__keep *keep, int64_t number)
{
  bool found = false;
  for (int i = 0; i < keep->n; i++) {
    found = found || keep->list[i].number == number;
  }
  return found;
}

// of many cases the worst: failed ones first, then by the measure, those without one last, and of
// equals the first ones; by counting how many are worse than each
static void worst(void **state)
{
  enum { MANY = 300 };
  support_rng rng = {5};
  (void)state;
  for (int trial = 0; trial < 40; trial++) {
    cardan__keep keep = {.most = support_random_int(&rng, 1, 40)};
    double rank[MANY];
    const int failures = support_random_int(&rng, 0, 60);
    for (int i = 0; i < MANY; i++) {
      const double measure = trial % 2 ? i : support_random_int(&rng, -9, 9);
      const bool failed = i % 5 == 0 && i < 5 * failures, none = i % 7 == 0;
      const double row = none ? (double)NAN : measure;
      const cardan__case one = {.number = i, .status = failed ? CARDAN_ERR_JUMP : CARDAN_OK};
      rank[i] = failed ? 1e6 : none ? -1e6 : measure;
      assert_int_equal(cardan__keep_add(&keep, &system_memory, &one, &row, NULL), CARDAN_OK);
    }
    assert_int_equal(keep.n, keep.most);
    for (int i = 0; i < MANY; i++) {
      int worse = 0;
      for (int k = 0; k < MANY; k++) {
        worse += rank[k] > rank[i] || (rank[k] == rank[i] && k < i);
      }
      assert_int_equal(has(&keep, i), worse < keep.most);
    }
    free(keep.list);
  }
}

static int close_folder(void **state)
{
  (void)state;
  folder_remove(&folder);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checksum),
      cmocka_unit_test(cut_anywhere),
      cmocka_unit_test(flipped_anywhere),
      cmocka_unit_test(of_another_sweep),
      cmocka_unit_test(shares),
      cmocka_unit_test(one_stream),
      cmocka_unit_test(many_journals),
      cmocka_unit_test(two_results),
      cmocka_unit_test(recipe_round_trip),
      cmocka_unit_test(recipe_of_bytes),
      cmocka_unit_test(recipe_differences),
      cmocka_unit_test(spoilt),
      cmocka_unit_test(recipe_spoilt),
      cmocka_unit_test(worst),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
