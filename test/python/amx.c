/* AMX, as functions in the place of LLVM's intrinsics; test_tiles.py puts calls of them into the
   code of kernels. A thread of its own would need registers of its own: kernels run on one. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint8_t tiles[8][16][64];
static int rowsOf[8], bytesOf[8]; /* a row's; 0 rows: not configured */
static int isConfigured;
int64_t amxProducts; /* so many have been done */

static void require(int holds) {
  if (!holds)
    abort();
}

/* A program uses all tile registers, and leaves them released. */
void amx_ldtilecfg(const uint8_t *content) {
  require(content[0] == 1 && !isConfigured);
  for (int i = 0; i < 8; ++i) {
    bytesOf[i] = content[16 + 2 * i], rowsOf[i] = content[48 + i];
    require(bytesOf[i] > 0 && bytesOf[i] <= 64 && content[17 + 2 * i] == 0);
    require(rowsOf[i] > 0 && rowsOf[i] <= 16);
  }
  isConfigured = 1;
  memset(tiles, 0xcc, sizeof tiles);
}

void amx_tilerelease(void) { isConfigured = 0; }

void amx_tilezero(int8_t tile) {
  require(isConfigured);
  memset(tiles[tile], 0, sizeof tiles[tile]);
}

void amx_tileloadd64(int8_t tile, const uint8_t *from, int64_t stride) {
  require(isConfigured);
  for (int row = 0; row < rowsOf[tile]; ++row)
    memcpy(tiles[tile][row], from + row * stride, bytesOf[tile]);
}

void amx_tilestored64(int8_t tile, uint8_t *to, int64_t stride) {
  require(isConfigured);
  for (int row = 0; row < rowsOf[tile]; ++row)
    memcpy(to + row * stride, tiles[tile][row], bytesOf[tile]);
}

/* Sums and columns are whole; the groups of k are those of a. */
static int groups(int8_t sums, int8_t a, int8_t b) {
  require(isConfigured && bytesOf[a] == 4 * rowsOf[b] && rowsOf[a] == rowsOf[sums]);
  require(rowsOf[sums] == 16 && bytesOf[sums] == 64 && bytesOf[b] == 64);
  return rowsOf[b];
}

static float flushed(float value) { return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value; }

static float fromBF16(const uint8_t *at) {
  uint16_t half;
  memcpy(&half, at, 2);
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, 4);
  return flushed(value);
}

/* Bit by bit: a chain over the even and one over the odd k of the tile, the sum of which is added.
 */
void amx_tdpbf16ps(int8_t sums, int8_t a, int8_t b) {
  int count = groups(sums, a, b);
  ++amxProducts;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float chains[2] = {0, 0}, sum;
      for (int k = 0; k < 2 * count; ++k)
        chains[k % 2] =
            flushed(fmaf(fromBF16(tiles[a][i] + 2 * k),
                         fromBF16(tiles[b][k / 2] + 4 * j + 2 * (k % 2)), chains[k % 2]));
      memcpy(&sum, tiles[sums][i] + 4 * j, 4);
      sum = flushed(flushed(sum) + flushed(chains[0] + chains[1]));
      memcpy(tiles[sums][i] + 4 * j, &sum, 4);
    }
}

#define BYTES(name, type)                                                                          \
  void name(int8_t sums, int8_t a, int8_t b) {                                                     \
    int count = groups(sums, a, b);                                                                \
    ++amxProducts;                                                                                 \
    for (int i = 0; i < 16; ++i)                                                                   \
      for (int j = 0; j < 16; ++j) {                                                               \
        uint32_t sum;                                                                              \
        memcpy(&sum, tiles[sums][i] + 4 * j, 4);                                                   \
        for (int k = 0; k < 4 * count; ++k)                                                        \
          sum += (uint32_t)((type)tiles[a][i][k] * (type)tiles[b][k / 4][4 * j + k % 4]);          \
        memcpy(tiles[sums][i] + 4 * j, &sum, 4);                                                   \
      }                                                                                            \
  }

BYTES(amx_tdpbssd, int8_t)
BYTES(amx_tdpbuud, uint8_t)
