// SPDX-License-Identifier: Apache-2.0
#include "sweep/bytes.h"

#include <math.h>
#include <string.h>

static const char header_magic[8] = "CARDANJ1";
static const uint32_t record_magic = 0x31524a43; // "CJR1"

/* Places in a record. */
enum { LENGTH = 4, NUMBER = 8, STATUS = 16, MESSAGE = 20, VALUES = 24, CHECKSUM = 4 };

/* Four bits at a time: the remainder of each of 16 nibbles. */
uint32_t cardan__crc32c(uint32_t crc, const unsigned char *bytes, size_t n)
{
  static const uint32_t nibble[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                      0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                      0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                      0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
  crc = ~crc;
  for (size_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ nibble[crc & 15];
    crc = crc >> 4 ^ nibble[crc & 15];
  }
  return ~crc;
}

static void put32(unsigned char *to, uint32_t x)
{
  for (int i = 0; i < 4; i++) {
    to[i] = (unsigned char)(x >> 8 * i);
  }
}

static void put64(unsigned char *to, uint64_t x)
{
  put32(to, (uint32_t)x);
  put32(to + 4, (uint32_t)(x >> 32));
}

static uint32_t get32(const unsigned char *from)
{
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
         (uint32_t)from[3] << 24;
}

static uint64_t get64(const unsigned char *from)
{
  return (uint64_t)get32(from) | (uint64_t)get32(from + 4) << 32;
}

size_t cardan__header_put(unsigned char *to, uint64_t digest, int nvalue)
{
  memcpy(to, header_magic, sizeof header_magic);
  put64(to + 8, digest);
  put32(to + 16, (uint32_t)nvalue);
  put32(to + 20, cardan__crc32c(0, to, 20));
  return CARDAN__HEADER_SIZE;
}

bool cardan__header_get(const unsigned char *from, uint64_t *digest, int *nvalue)
{
  *digest = get64(from + 8);
  *nvalue = (int)get32(from + 16);
  return memcmp(from, header_magic, sizeof header_magic) == 0 &&
         get32(from + 20) == cardan__crc32c(0, from, 20);
}

size_t cardan__record_size(int nvalue, size_t message)
{
  return VALUES + (size_t)nvalue * sizeof(double) + message + CHECKSUM;
}

size_t cardan__record_put(unsigned char *to, const cardan__case *one, int nvalue)
{
  const size_t message = strlen(one->message), size = cardan__record_size(nvalue, message);
  put32(to, record_magic);
  put32(to + LENGTH, (uint32_t)(size - NUMBER - CHECKSUM));
  put64(to + NUMBER, (uint64_t)one->number);
  put32(to + STATUS, (uint32_t) - (int)one->status);
  put32(to + MESSAGE, (uint32_t)message);
  unsigned char *at = to + VALUES;
  for (int k = 0; k < nvalue; k++, at += sizeof(double)) {
    uint64_t bits = 0x7ff8000000000000U; // of the NaNs one, wherever it comes from
    if (!isnan(one->value[k])) {
      memcpy(&bits, &one->value[k], sizeof bits);
    }
    put64(at, bits);
  }
  memcpy(at, one->message, message);
  put32(at + message, cardan__crc32c(0, to + LENGTH, size - LENGTH - CHECKSUM));
  return size;
}

size_t cardan__record_claim(const unsigned char *from, int nvalue)
{
  const size_t size = (size_t)get32(from + LENGTH) + NUMBER + CHECKSUM;
  const size_t least = cardan__record_size(nvalue, 0);
  const bool good = get32(from) == record_magic && size >= least &&
                    size < least + sizeof((cardan__case *)0)->message;
  return good ? size : 0;
}

int64_t cardan__record_number(const unsigned char *from, size_t size, int nvalue)
{
  const bool good =
      get32(from + size - CHECKSUM) == cardan__crc32c(0, from + LENGTH, size - LENGTH - CHECKSUM) &&
      get32(from + STATUS) < CARDAN_SWEEP_STATUSES &&
      cardan__record_size(nvalue, get32(from + MESSAGE)) == size &&
      get64(from + NUMBER) <= INT64_MAX;
  return good ? (int64_t)get64(from + NUMBER) : -1;
}

void cardan__record_get(const unsigned char *from, int nvalue, cardan__case *out)
{
  const size_t message = get32(from + MESSAGE);
  const unsigned char *at = from + VALUES;
  out->number = (int64_t)get64(from + NUMBER);
  out->status = (cardan_status) - (int)get32(from + STATUS);
  for (int k = 0; k < nvalue; k++, at += sizeof(double)) {
    const uint64_t bits = get64(at);
    memcpy(&out->value[k], &bits, sizeof bits);
  }
  memcpy(out->message, at, message);
  out->message[message] = '\0';
}
