/* SPDX-License-Identifier: Apache-2.0
 * base/fields.h - checks at compile time that a list names every field of a struct.
 *
 * A list is a macro LIST(F) that writes F(field, ..) for each field. It names as many fields as the
 * struct has, each once:
 *   CARDAN__FIELDS_ONCE(LIST(CARDAN__FIELD_MEMBER))
 *     declares a struct of these names: one that is listed twice does not compile;
 *   CARDAN__FIELDS_ALL(type, values)
 *     an initialiser with one value for each listed field, 0 for a number or pointer, {0} for an
 *     array, a struct of its type for a struct: a list that leaves a field out does not compile.
 *     Arrays and structs are to be listed in the order of the struct.
 * Both are statements and cost nothing. */
#pragma once

#pragma GCC diagnostic error "-Wmissing-field-initializers"

#define CARDAN__FIELD_MEMBER(field, ...) char field;
#define CARDAN__FIELDS_ONCE(...) \
  struct {                       \
    __VA_ARGS__                  \
  } listed;                      \
  (void)listed;
#define CARDAN__FIELDS_ALL(type, ...) (void)sizeof((type){__VA_ARGS__});
