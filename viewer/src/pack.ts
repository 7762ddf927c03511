// SPDX-License-Identifier: Apache-2.0
// Data as src/output/pack.c makes it small: bytes deflated and in base64, arrays of numbers in a block.

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

async function inflate(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

let block = new Uint8Array(0);

/** The JSON of a page: as it is, or packed, with a block that its arrays are in. */
export async function unpack(text: string): Promise<string> {
  if (text.startsWith("{")) {
    return text;
  }
  const [json, arrays] = text.split(",");
  block = await inflate(arrays);
  return new TextDecoder().decode(await inflate(json));
}

/** Numbers of 2 or 4 bytes: planes together, zigzag and differences undone, signs as IEEE numbers have them. */
function narrow(at: number, count: number, size: number, real: boolean, stride: number, order: number): Int32Array<ArrayBuffer> {
  const x = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    let z = 0;
    for (let plane = 0; plane < size; plane++) {
      z |= block[at + plane * count + i] << (8 * plane);
    }
    x[i] = (z >>> 1) ^ -(z & 1);
  }
  for (let k = 0; k < order; k++) {
    for (let i = stride; i < count; i++) {
      x[i] += x[i - stride]; // modulo 2^32
    }
  }
  return real ? x.map((v) => v ^ ((v >> 31) & 0x7fffffff)) : x;
}

/** Numbers of 8 bytes: times, and numbers of cases. */
function wide(at: number, count: number, stride: number, order: number): BigInt64Array<ArrayBuffer> {
  const x = new BigInt64Array(count);
  const bytes = new Uint8Array(8);
  const word = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    for (let plane = 0; plane < 8; plane++) {
      bytes[plane] = block[at + plane * count + i];
    }
    const z = word.getBigUint64(0, true);
    x[i] = (z >> 1n) ^ -(z & 1n);
  }
  for (let k = 0; k < order; k++) {
    for (let i = stride; i < count; i++) {
      x[i] += x[i - stride]; // modulo 2^64
    }
  }
  return x.map((v) => (v < 0n ? v ^ 0x7fffffffffffffffn : v));
}

/** The bytes of an array: of base64, or of "@SIZE REAL STRIDE ORDER AT COUNT" from the block. */
export function decode(text: string): ArrayBuffer {
  if (!text.startsWith("@")) {
    return bytesOf(text).buffer;
  }
  const [size, real, stride, order, at, count] = text.slice(1).split(" ").map(Number);
  if (size === 8) {
    return wide(at, count, stride, order).buffer;
  }
  const x = narrow(at, count, size, real === 1, stride, order);
  return size === 4 ? x.buffer : Uint16Array.from(x).buffer;
}
