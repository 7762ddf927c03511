/* SPDX-License-Identifier: Apache-2.0
 * reproduce/write.h - an outcome as text: pictures, data, words. Failures of memory stick in the
 * text. */
#pragma once
#include "base/text.h"
#include "reproduce/paper.h"

/* An item that was made, and what its files are to say of it. */
typedef struct {
  const cardan__paper *paper;
  const cardan__item *item;
  const cardan__outcome *out;
  bool quick;
  double seconds; // that it took
} cardan__made;

/* One object: texts, verdict, plots, tables, claims. */
void cardan__made_json(const cardan__made *made, cardan__text *text);
/* Lines paper,item,kind,name,series,whose,x,y: every point, every number of a table, every claim.
 */
void cardan__made_csv(const cardan__made *made, cardan__text *text);
#define CARDAN__MADE_CSV_HEAD "paper,item,kind,name,series,whose,x,y\n"
/* A section with its figures (reproduction/PAPER-ITEM[-NAME].svg), tables and numbers; and its row
 * in the table of all items. */
void cardan__made_markdown(const cardan__made *made, cardan__text *text);
void cardan__made_markdown_row(const cardan__made *made, cardan__text *text);
#define CARDAN__MADE_MARKDOWN_HEAD "| paper | item | verdict | in short |\n|---|---|---|---|\n"

/* One figure as a picture, an SVG document for light and dark pages: ours as lines, with markers
 * where a curve has few points, theirs as markers alone, in the colour of our curve of the same
 * label. Points that are not finite, or not positive on a logarithmic axis, are left out and break
 * the line. The same bytes for the same figure, in any locale. */
void cardan__plot_svg(const cardan__plot *plot, cardan__text *text);

/* A paper: the data of its page around the objects of its items (commas between them), and the
 * head and the end of its sections. */
void cardan__paper_json(const cardan__paper *paper, bool quick, const char *items,
                        cardan__text *text);
void cardan__paper_markdown_head(const cardan__paper *paper, cardan__text *text);
void cardan__paper_markdown_errata(const cardan__paper *paper, cardan__text *text);

/* "PAPER-ITEM", or "PAPER-ITEM-NAME" for a plot with a name: of files, without an ending. */
enum { CARDAN__FILE_NAME = 96 };
void cardan__made_name(const cardan__made *made, const char *plot, char name[CARDAN__FILE_NAME]);
/* "cardan reproduce lee" with what was given. */
void cardan__made_command(const cardan__made *made, char command[CARDAN__FILE_NAME]);
