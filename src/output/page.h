/* SPDX-License-Identifier: Apache-2.0
 * output/page.h - the parts of a page. */
#pragma once
#include "cardan/page.h"
#include "cardan/symbols.h"
#include "model/names.h"
#include "output/json.h"

/* The page as viewer/ builds it, without its data; cardan__page_length is 0 in a library
 * without. */
extern const unsigned char cardan__page_bytes[];
extern const size_t cardan__page_length;

/* "model": what is needed to draw it, and to move it from its coordinates. */
void cardan__page_model(cardan__json *json, const cardan_page *page);
/* "symbols" of the model: joints, ties and skeletons. */
/* film: that the arrows are of */
void cardan__page_symbols(cardan__json *json, const cardan_symbols *symbols,
                          const cardan_film *film);
/* Numbers of the model's mesh files, from 0 in the order of its shapes (page_mesh.c); to be freed.
 * returns false without memory */
bool cardan__page_mesh_numbers(const cardan_model *model, cardan__names *numbers);
/* Number of the hull of a shape, behind those of the files. */
int cardan__page_hull(const cardan_model *model, int shape);
int cardan__page_field(const cardan_model *model, int shape); // behind the hulls
/* "meshes" of the model by these numbers, where it has any. */
void cardan__page_meshes(cardan__json *json, const cardan_model *model, const cardan_files *files,
                         const cardan__names *numbers);
/* "runs": facts, samples and extremes of each. */
void cardan__page_runs(cardan__json *json, const cardan_page *page);

/* Options of a run as "options", those that its method has. */
void cardan__page_options(cardan__json *json, const cardan_options *options);
/* Numbers by name, as a list of pairs. */
void cardan__page_settings(cardan__json *json, const char *key, const cardan_setting *setting,
                           int n);
/* The data of a page of runs, or of one within another page. live: as cardan_page_html. */
void cardan__page_data(cardan__json *json, const char *key, const cardan_page *page,
                       const char *live);

/* The page with its data in place: JSON as cardan__json writes it, in which no '<' opens a tag.
 * block  of the JSON: both are packed (output/pack.h); NULL: the JSON goes in as it is
 * text, length  out: the page, from the allocator; NULL and 0 on failure
 * returns CARDAN_ERR_UNSUPPORTED in a library without pages, CARDAN_ERR_MEMORY */
cardan_status cardan__page_wrap(const char *json, size_t json_length, const cardan__text *block,
                                const cardan_allocator *allocator, char **text, size_t *length,
                                cardan_report *report) CARDAN_MUST_USE;
