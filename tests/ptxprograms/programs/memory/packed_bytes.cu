// Bytes and shorts: signed, unsigned, in structures, by copies of memory, as bit fields.
#include "program.h"

struct Packed {
  u32 a : 5, b : 11;
  s32 c : 7, d : 9;
};
struct Record {
  u8 kind;
  s16 size;
  s8 data[6];
  u64 id;
};

KERNEL void packed_bytes(const Record *records, const s8 *bytes, const u16 *shorts, Record *out, int *sums, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  Record record = records[i];
  record.size = -record.size;
  record.data[record.kind % 6] = bytes[i] >> 1;
  record.id = record.id * 3 + shorts[i];
  out[i] = record;
  Packed packed;
  const u64 word = record.id;
  memcpy(&packed, &word, sizeof packed);
  packed.c += 3;
  packed.b = packed.b * 5;
  sums[i] = packed.a + packed.b * 2 + packed.c * 3 + packed.d * 4 + (s16)(shorts[i] + bytes[i]) + (u8)(bytes[i] * 7);
}

/* launches
kind = np.dtype([("kind", "u1"), ("size", "i2"), ("data", "i1", 6), ("id", "u8")], align=True)
records = np.zeros(60, kind)
records["kind"], records["size"] = integers("u1", 60), integers("i2", 60)
records["id"], records["data"] = integers("u8", 60), integers("i1", 360).reshape(60, 6)
launch("packed_bytes", 1, 64, array(records.view("u8")), integers("i1", 60), integers("u2", 60), zeros("u8", 180),
       zeros("i4", 60), 60)
*/
