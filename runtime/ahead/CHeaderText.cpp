//===- CHeaderText.cpp - what headers of compiled kernels share -----------===//

#include "CHeader.h"

// Support/IntegerRange.h in C, without integers of 128 bits: what does not fit 64 is not known.
const char *const tritium::runtime::cHeaderRanges = R"(#ifndef TRITIUM_AHEAD_RANGES
#define TRITIUM_AHEAD_RANGES
/* Bounds of a signed integer over all programs of a grid; not known where it may wrap. */
typedef struct tritium_range {
  int64_t low, high;
  int known;
} tritium_range;

static inline tritium_range tritium_range_unknown(void) {
  tritium_range r;
  r.low = r.high = 0;
  r.known = 0;
  return r;
}
/* The bounds, where they fit an integer of that many bits. */
static inline tritium_range tritium_range_of(int64_t low, int64_t high, unsigned bits) {
  tritium_range r;
  int64_t most = bits >= 64 ? INT64_MAX : bits <= 1 ? 1 : ((int64_t)1 << (bits - 1)) - 1;
  int64_t least = bits == 1 ? -1 : -most - 1;
  r.low = low;
  r.high = high;
  r.known = low >= least && high <= most;
  return r;
}
static inline tritium_range tritium_range_fit(tritium_range x, unsigned bits) {
  return x.known ? tritium_range_of(x.low, x.high, bits) : x;
}
/* The low bits of an argument, with their sign. */
static inline tritium_range tritium_range_argument(uint64_t slot, unsigned bits) {
  uint64_t sign = (uint64_t)1 << (bits >= 64 ? 63 : bits - 1);
  int64_t value = (int64_t)((((slot & (2 * sign - 1)) ^ sign) - sign));
  return tritium_range_of(value, value, bits);
}
static inline int tritium_add(int64_t x, int64_t y, int64_t *sum) {
  if (y > 0 ? x > INT64_MAX - y : x < INT64_MIN - y)
    return 0;
  *sum = x + y;
  return 1;
}
static inline int tritium_subtract(int64_t x, int64_t y, int64_t *difference) {
  if (y < 0 ? x > INT64_MAX + y : x < INT64_MIN + y)
    return 0;
  *difference = x - y;
  return 1;
}
static inline int tritium_multiply(int64_t x, int64_t y, int64_t *product) {
  int64_t p = (int64_t)((uint64_t)x * (uint64_t)y);
  if ((x == -1 && y == INT64_MIN) || (y == -1 && x == INT64_MIN) || (y != 0 && p / y != x))
    return 0;
  *product = p;
  return 1;
}
static inline tritium_range tritium_range_sum(tritium_range x, tritium_range y) {
  int64_t low, high;
  if (!x.known || !y.known || !tritium_add(x.low, y.low, &low) ||
      !tritium_add(x.high, y.high, &high))
    return tritium_range_unknown();
  return tritium_range_of(low, high, 64);
}
static inline tritium_range tritium_range_difference(tritium_range x, tritium_range y) {
  int64_t low, high;
  if (!x.known || !y.known || !tritium_subtract(x.low, y.high, &low) ||
      !tritium_subtract(x.high, y.low, &high))
    return tritium_range_unknown();
  return tritium_range_of(low, high, 64);
}
static inline tritium_range tritium_range_product(tritium_range x, tritium_range y) {
  int64_t p[4], low, high;
  int i;
  if (!x.known || !y.known || !tritium_multiply(x.low, y.low, &p[0]) ||
      !tritium_multiply(x.low, y.high, &p[1]) || !tritium_multiply(x.high, y.low, &p[2]) ||
      !tritium_multiply(x.high, y.high, &p[3]))
    return tritium_range_unknown();
  low = high = p[0];
  for (i = 1; i < 4; ++i) {
    low = p[i] < low ? p[i] : low;
    high = p[i] > high ? p[i] : high;
  }
  return tritium_range_of(low, high, 64);
}
/* Rounded towards zero. By zero, the quotient is zero. */
static inline tritium_range tritium_range_quotient(tritium_range x, tritium_range y) {
  int64_t least, low, high;
  if (!x.known || !y.known || y.low < 0 || y.high == 0)
    return tritium_range_unknown();
  least = y.low > 1 ? y.low : 1;
  low = x.low / (x.low < 0 ? least : y.high);
  high = x.high / (x.high < 0 ? y.high : least);
  if (y.low == 0) {
    low = low < 0 ? low : 0;
    high = high > 0 ? high : 0;
  }
  return tritium_range_of(low, high, 64);
}
/* With the sign of x; by zero, all of it. */
static inline tritium_range tritium_range_remainder(tritium_range x, tritium_range y) {
  int64_t low, high;
  if (!x.known || !y.known)
    return tritium_range_unknown();
  if (y.low <= 0)
    return tritium_range_of(x.low < 0 ? x.low : 0, x.high > 0 ? x.high : 0, 64);
  if (x.low >= 0 && x.high < y.low)
    return x;
  if (x.low == x.high && y.low == y.high)
    return tritium_range_of(x.low % y.low, x.low % y.low, 64);
  low = x.low >= 0 ? 0 : x.low > 1 - y.high ? x.low : 1 - y.high;
  high = x.high <= 0 ? 0 : x.high < y.high - 1 ? x.high : y.high - 1;
  return tritium_range_of(low, high, 64);
}
static inline tritium_range tritium_range_minimum(tritium_range x, tritium_range y) {
  if (!x.known || !y.known)
    return tritium_range_unknown();
  return tritium_range_of(x.low < y.low ? x.low : y.low, x.high < y.high ? x.high : y.high, 64);
}
static inline tritium_range tritium_range_maximum(tritium_range x, tritium_range y) {
  if (!x.known || !y.known)
    return tritium_range_unknown();
  return tritium_range_of(x.low > y.low ? x.low : y.low, x.high > y.high ? x.high : y.high, 64);
}
/* The index of a loop; not known if it might count down. */
static inline tritium_range tritium_range_loop(tritium_range lower, tritium_range upper,
                                               tritium_range step) {
  int64_t last;
  if (!lower.known || !upper.known || !step.known || step.low <= 0)
    return tritium_range_unknown();
  last = upper.high > lower.low ? upper.high - 1 : lower.low;
  return tritium_range_of(lower.low, last, 64);
}
/* Whether [x, x + x_bytes) and [y, y + y_bytes) meet; SIZE_MAX bytes: all memory. */
static inline int tritium_overlap(uint64_t x, size_t x_bytes, uint64_t y, size_t y_bytes) {
  if (x_bytes == 0 || y_bytes == 0)
    return 0;
  if (x_bytes == SIZE_MAX || y_bytes == SIZE_MAX)
    return 1;
  return x <= y ? y - x < x_bytes : x - y < y_bytes;
}
#endif /* TRITIUM_AHEAD_RANGES */
)";

const char *const tritium::runtime::cHeaderHostCalls = R"(#ifndef TRITIUM_AHEAD_HOST_CALLS
#define TRITIUM_AHEAD_HOST_CALLS
/* The last argument of an entry: what a running kernel calls. */
typedef struct tritium_host_calls {
  void *user;
  /* device_print: `count` elements of `bits` bits, packed, floats at least of 32. kind: 0 signed,
     1 unsigned, 2 float, 3 pointer. data may be null, with 0 bits. */
  void (*print)(void *user, const char *prefix, int hex, int kind, int bits, const void *data,
                const int64_t *shape, int rank, const uint32_t *pid);
  /* device_assert, or a hint that does not hold. kind: of `value`, as print's, the bits of a double
     for a float, and of an element of a tile of `shape`, in row-major order, if rank is not 0; -1:
     there is no value. The entry goes on with the next program if this returns. */
  void (*assert_failed)(void *user, const char *message, const char *file, int line,
                        const uint32_t *pid, int kind, const int64_t *shape, int rank,
                        uint32_t element, uint64_t value);
  /* While the word is not 0, programs call attend now and then, and the entry returns if that
     answers not 0. Null: no word. */
  const uint32_t *attention;
  int (*attend)(void *user);
  /* A program has gone `rounds` times round a loop that it leaves when memory changes. Not 0: the
     entry returns. Null: it goes on. */
  int (*wait)(void *user, const char *file, int line, uint32_t x, uint32_t y, uint32_t z,
              uint32_t rounds);
} tritium_host_calls;

/* A call of an entry: `user` of what it calls. */
typedef struct tritium_call {
  jmp_buf failed; /* comes first */
  int waits;
} tritium_call;

static inline void tritium_print_element(int hex, int kind, int bits, const void *data) {
  uint64_t raw = 0;
  int bytes = bits <= 8 ? 1 : bits / 8;
  memcpy(&raw, data, (size_t)bytes); /* little-endian */
  if (kind == 3 || hex) {
    printf("0x%0*llx", bytes * 2, (unsigned long long)raw);
  } else if (kind == 2) {
    double value;
    float narrow;
    memcpy(&value, &raw, 8);
    memcpy(&narrow, &raw, 4);
    printf("%f", bits == 64 ? value : (double)narrow);
  } else if (kind == 1 || bits == 1) {
    printf("%llu", (unsigned long long)raw);
  } else {
    uint64_t sign = (uint64_t)1 << (bits - 1);
    printf("%lld", (long long)((raw ^ sign) - sign));
  }
}
/* One line an element: `pid (0, 0, 0) idx (3) prefix: value`. */
static inline void tritium_print(void *user, const char *prefix, int hex, int kind, int bits,
                                 const void *data, const int64_t *shape, int rank,
                                 const uint32_t *pid) {
  int64_t count = 1, element;
  int axis, bytes = bits <= 8 ? 1 : bits / 8;
  size_t length = prefix ? strlen(prefix) : 0;
  (void)user;
  for (axis = 0; axis < rank; ++axis)
    count *= shape[axis];
  for (element = 0; element < count; ++element) {
    int64_t stride = count, rest = element;
    printf("pid (%u, %u, %u) idx (", (unsigned)pid[0], (unsigned)pid[1], (unsigned)pid[2]);
    for (axis = 0; axis < rank; ++axis) {
      stride /= shape[axis];
      printf("%s%lld", axis ? ", " : "", (long long)(rest / stride));
      rest %= stride;
    }
    printf(")%s%s", length ? " " : "", length ? prefix : "");
    if (data) {
      printf("%s", length && prefix[length - 1] == ':' ? " " : ": ");
      tritium_print_element(hex, kind, bits, (const char *)data + element * bytes);
    }
    printf("\n");
  }
}
/* Ends the programs of the call that began at the jump buffer: compiled frames hold nothing to
   unwind. */
static inline void tritium_assert_failed(void *user, const char *message, const char *file,
                                         int line, const uint32_t *pid, int kind,
                                         const int64_t *shape, int rank, uint32_t element,
                                         uint64_t value) {
  unsigned x = (unsigned)pid[0], y = (unsigned)pid[1], z = (unsigned)pid[2];
  int axis;
  fprintf(stderr, "%s:%d: error: ", file, line);
  if (kind < 0) {
    fprintf(stderr, "assertion failed in program (%u, %u, %u): %s\n", x, y, z, message);
  } else {
    int64_t stride = 1, rest = element;
    double number;
    for (axis = 0; axis < rank; ++axis)
      stride *= shape[axis];
    fprintf(stderr, "%s", message);
    for (axis = 0; axis < rank; ++axis) {
      stride /= shape[axis];
      fprintf(stderr, "%s%lld", axis ? ", " : rank > 1 ? " (" : " ", (long long)(rest / stride));
      rest %= stride;
    }
    fprintf(stderr, "%s program (%u, %u, %u) is ", rank > 1 ? ") of" : " of", x, y, z);
    memcpy(&number, &value, 8);
    if (kind == 0)
      fprintf(stderr, "%lld\n", (long long)value);
    else if (kind == 2)
      fprintf(stderr, "%g\n", number);
    else
      fprintf(stderr, kind == 1 ? "%llu\n" : "0x%llx\n", (unsigned long long)value);
  }
  longjmp(*(jmp_buf *)user, 1);
}
/* Where one thread runs all programs, nobody else will change the memory. */
static inline int tritium_wait_in_vain(void *user, const char *file, int line, uint32_t x,
                                       uint32_t y, uint32_t z, uint32_t rounds) {
  (void)rounds;
  fprintf(stderr, "%s:%d: error: program (%u, %u, %u) waits for a later one\n", file, line,
          (unsigned)x, (unsigned)y, (unsigned)z);
  return ((tritium_call *)user)->waits = 1;
}
#endif /* TRITIUM_AHEAD_HOST_CALLS */
)";
