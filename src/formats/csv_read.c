// SPDX-License-Identifier: Apache-2.0
#include "formats/csv_read.h"

#include <string.h>

#include "expr/number.h"

cardan__csv cardan__csv_begin(const char *text, size_t length, cardan_report *report)
{
  static const char mark[] = "\xEF\xBB\xBF";
  cardan__csv r = {.text = text, .end = text + length, .pos = {1, 1}, .report = report};
  r.text += length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  return r;
}

cardan_status cardan__csv_wrong(const cardan__csv *r, const char *what,
                                const cardan__csv_part *part, const char *expected)
{
  const size_t length = part == NULL ? 0 : part->length < 60 ? part->length : 60;
  return cardan_fail(r->report, CARDAN_ERR_SYNTAX, r->pos, "found %s%s%.*s%s; expected %s", what,
                     part ? " \"" : "", (int)length, part ? part->text : "", part ? "\"" : "",
                     expected);
}

bool cardan__csv_line_end(const cardan__csv *r)
{
  return r->text == r->end || *r->text == '\n' ||
         (*r->text == '\r' && (r->text + 1 == r->end || r->text[1] == '\n'));
}

bool cardan__csv_next_line(cardan__csv *r)
{
  r->text += r->text < r->end && *r->text == '\r';
  r->text += r->text < r->end && *r->text == '\n';
  r->pos = (cardan_pos){r->pos.line + 1, 1};
  return r->text < r->end;
}

void cardan__csv_pass(cardan__csv *r, size_t n)
{
  r->text += n;
  r->pos.column += (int)n;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static void pass_blanks(cardan__csv *r)
{
  while (!cardan__csv_line_end(r) && is_blank(*r->text)) {
    cardan__csv_pass(r, 1);
  }
}

cardan_status cardan__csv_take(cardan__csv *r, cardan__csv_part *out)
{
  pass_blanks(r);
  *out = (cardan__csv_part){.text = r->text, .pos = r->pos};
  const char quote = r->text < r->end && *r->text == '"' ? '"' : ',';
  if (quote == '"') {
    cardan__csv_pass(r, 1);
    out->text = r->text;
  }
  while (!cardan__csv_line_end(r) && *r->text != quote) {
    cardan__csv_pass(r, 1);
  }
  out->length = (size_t)(r->text - out->text);
  if (quote == ',') {
    while (out->length > 0 && is_blank(out->text[out->length - 1])) {
      out->length--;
    }
    return CARDAN_OK;
  }
  if (cardan__csv_line_end(r)) {
    return cardan__csv_wrong(r, "the end of the line in a name", NULL, "a closing quote");
  }
  cardan__csv_pass(r, 1);
  pass_blanks(r);
  return cardan__csv_line_end(r) || *r->text == ','
             ? CARDAN_OK
             : cardan__csv_wrong(r, "more after a closing quote", NULL,
                                 "a comma or the end of the line");
}

cardan_status cardan__csv_number(cardan__csv *r, double *value)
{
  cardan__csv_part part;
  const cardan_status status = cardan__csv_take(r, &part);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_pos behind = r->pos;
  const cardan__number_result result = cardan__number_read(part.text, part.length, value);
  r->pos = part.pos;
  if (part.length == 0) {
    return cardan__csv_wrong(r, "an empty field", NULL, "a number");
  }
  if (result != CARDAN__NUMBER_OK) {
    const bool large = result == CARDAN__NUMBER_OVERFLOW;
    return cardan__csv_wrong(r, large ? "the number" : "the field", &part,
                             large ? "a finite one" : "a number");
  }
  r->pos = behind;
  return CARDAN_OK;
}

cardan_status cardan__csv_next(cardan__csv *r, int k, int n, double *value)
{
  if (k > 0 && cardan__csv_line_end(r)) {
    return cardan_fail(r->report, CARDAN_ERR_SYNTAX, r->pos,
                       "found %d fields; expected %d, as the header has", k, n);
  }
  cardan__csv_pass(r, k > 0);
  return cardan__csv_number(r, value);
}

cardan_status cardan__csv_row_end(const cardan__csv *r, int n)
{
  return cardan__csv_line_end(r)
             ? CARDAN_OK
             : cardan_fail(r->report, CARDAN_ERR_SYNTAX, r->pos,
                           "found more than %d fields; expected as many as the header has", n);
}

size_t cardan__csv_lines(const cardan__csv *r)
{
  size_t n = 1;
  for (const char *c = r->text; c < r->end; c++) {
    n += *c == '\n';
  }
  return n;
}
