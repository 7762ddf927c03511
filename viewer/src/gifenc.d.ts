// SPDX-License-Identifier: Apache-2.0
// What of gifenc is used here: it comes without types.
declare module "gifenc" {
  type Palette = number[][]; // red, green and blue of each colour
  type Format = "rgb565" | "rgb444";
  export function quantize(rgba: Uint8ClampedArray, colors: number, options: { format: Format }): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette, format: Format): Uint8Array;
  /** repeat 0: for ever; delay: of a frame [ms]; the palette of the first frame serves all that have none */
  export function GIFEncoder(): {
    writeFrame(pixels: Uint8Array, width: number, height: number, options: { palette?: Palette; delay: number; repeat?: number }): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  };
}
