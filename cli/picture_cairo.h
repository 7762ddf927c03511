/* SPDX-License-Identifier: Apache-2.0
 * picture_cairo.h - cairo's calls, each an entry of a table that is filled before the first picture
 * (cardan/lazy_library.h). Code that includes this is written as for cairo itself. */
#pragma once
#include <cairo-svg.h>
#include <cairo.h>

#include "cardan/base.h"

// clang-format off
#define CLI_CAIRO_CALLS(X) \
  X(cairo_arc) X(cairo_close_path) X(cairo_create) X(cairo_destroy) X(cairo_fill)                  \
  X(cairo_fill_preserve) X(cairo_image_surface_create) X(cairo_image_surface_get_data)             \
  X(cairo_image_surface_get_stride) X(cairo_line_to) X(cairo_move_to)                              \
  X(cairo_new_path) X(cairo_paint) X(cairo_select_font_face) X(cairo_set_font_size)                \
  X(cairo_set_line_join) X(cairo_set_line_width) X(cairo_set_source_rgb)                           \
  X(cairo_set_source_rgba) X(cairo_show_text) X(cairo_status) X(cairo_status_to_string)            \
  X(cairo_stroke) X(cairo_surface_destroy) X(cairo_surface_finish) X(cairo_surface_flush)          \
  X(cairo_surface_set_device_scale) X(cairo_surface_status)                                        \
  X(cairo_surface_write_to_png_stream) X(cairo_svg_surface_create_for_stream)                      \
  X(cairo_text_extents)
// clang-format on

typedef struct {
#define CLI_CAIRO_FIELD(name) __typeof__(name) *name##_at;
  CLI_CAIRO_CALLS(CLI_CAIRO_FIELD)
#undef CLI_CAIRO_FIELD
} cli_cairo_calls;
extern cli_cairo_calls cli_cairo;

/* Before any other call of cairo. returns CARDAN_ERR_IO and a sentence where it cannot be loaded */
CARDAN_MUST_USE cardan_status cli_cairo_load(cardan_report *report);

#define cairo_arc (*cli_cairo.cairo_arc_at)
#define cairo_close_path (*cli_cairo.cairo_close_path_at)
#define cairo_create (*cli_cairo.cairo_create_at)
#define cairo_destroy (*cli_cairo.cairo_destroy_at)
#define cairo_fill (*cli_cairo.cairo_fill_at)
#define cairo_fill_preserve (*cli_cairo.cairo_fill_preserve_at)
#define cairo_image_surface_create (*cli_cairo.cairo_image_surface_create_at)
#define cairo_image_surface_get_data (*cli_cairo.cairo_image_surface_get_data_at)
#define cairo_image_surface_get_stride (*cli_cairo.cairo_image_surface_get_stride_at)
#define cairo_line_to (*cli_cairo.cairo_line_to_at)
#define cairo_move_to (*cli_cairo.cairo_move_to_at)
#define cairo_new_path (*cli_cairo.cairo_new_path_at)
#define cairo_paint (*cli_cairo.cairo_paint_at)
#define cairo_select_font_face (*cli_cairo.cairo_select_font_face_at)
#define cairo_set_font_size (*cli_cairo.cairo_set_font_size_at)
#define cairo_set_line_join (*cli_cairo.cairo_set_line_join_at)
#define cairo_set_line_width (*cli_cairo.cairo_set_line_width_at)
#define cairo_set_source_rgb (*cli_cairo.cairo_set_source_rgb_at)
#define cairo_set_source_rgba (*cli_cairo.cairo_set_source_rgba_at)
#define cairo_show_text (*cli_cairo.cairo_show_text_at)
#define cairo_status (*cli_cairo.cairo_status_at)
#define cairo_status_to_string (*cli_cairo.cairo_status_to_string_at)
#define cairo_stroke (*cli_cairo.cairo_stroke_at)
#define cairo_surface_destroy (*cli_cairo.cairo_surface_destroy_at)
#define cairo_surface_finish (*cli_cairo.cairo_surface_finish_at)
#define cairo_surface_flush (*cli_cairo.cairo_surface_flush_at)
#define cairo_surface_set_device_scale (*cli_cairo.cairo_surface_set_device_scale_at)
#define cairo_surface_status (*cli_cairo.cairo_surface_status_at)
#define cairo_surface_write_to_png_stream (*cli_cairo.cairo_surface_write_to_png_stream_at)
#define cairo_svg_surface_create_for_stream (*cli_cairo.cairo_svg_surface_create_for_stream_at)
#define cairo_text_extents (*cli_cairo.cairo_text_extents_at)
