/* SPDX-License-Identifier: Apache-2.0
 * gif_library.h - giflib's calls, each an entry of a table that is filled before the first film
 * (cardan/lazy_library.h). Code that includes this is written as for giflib itself. */
#pragma once
#include <gif_lib.h>

#include "cardan/base.h"

// clang-format off
#define CLI_GIF_CALLS(X) \
  X(EGifCloseFile) X(EGifGCBToExtension) X(EGifOpen) X(EGifPutExtension) X(EGifPutExtensionBlock)  \
  X(EGifPutExtensionLeader) X(EGifPutExtensionTrailer) X(EGifPutImageDesc) X(EGifPutLine)          \
  X(EGifPutScreenDesc) X(EGifSetGifVersion) X(GifFreeMapObject) X(GifMakeMapObject)
// clang-format on

typedef struct {
#define CLI_GIF_FIELD(name) __typeof__(name) *name##_at;
  CLI_GIF_CALLS(CLI_GIF_FIELD)
#undef CLI_GIF_FIELD
} cli_gif_calls;
extern cli_gif_calls cli_giflib;

#define EGifCloseFile (*cli_giflib.EGifCloseFile_at)
#define EGifGCBToExtension (*cli_giflib.EGifGCBToExtension_at)
#define EGifOpen (*cli_giflib.EGifOpen_at)
#define EGifPutExtension (*cli_giflib.EGifPutExtension_at)
#define EGifPutExtensionBlock (*cli_giflib.EGifPutExtensionBlock_at)
#define EGifPutExtensionLeader (*cli_giflib.EGifPutExtensionLeader_at)
#define EGifPutExtensionTrailer (*cli_giflib.EGifPutExtensionTrailer_at)
#define EGifPutImageDesc (*cli_giflib.EGifPutImageDesc_at)
#define EGifPutLine (*cli_giflib.EGifPutLine_at)
#define EGifPutScreenDesc (*cli_giflib.EGifPutScreenDesc_at)
#define EGifSetGifVersion (*cli_giflib.EGifSetGifVersion_at)
#define GifFreeMapObject (*cli_giflib.GifFreeMapObject_at)
#define GifMakeMapObject (*cli_giflib.GifMakeMapObject_at)
