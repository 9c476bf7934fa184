"""Launches that do one thing, and measure what the model of `tritium explain` takes for granted;
as those of explain_launches.py."""

from explain_launches import Row, products

# Launches that one thing bounds.
RATES = [
    Row("one program that does nothing", "rates nothing", "*i32:16,i32", "", "out=16 last=1", "1"),
    *[Row(f"{count} programs of {warps} warps that do nothing", "rates nothing", "*i32:16,i32", "",
          f"out=16 last={count}", f"{count}", options=f"num_warps={warps}")
      for count, warps in ((132, 4), (33792, 1), (33792, 4), (8448, 16))],
    Row("1000 loads, one after the other, from the L2", "rates chain", "*i32:16,*i32:16,i32",
        "STRIDE=0", "x=1024:iota out=16 rounds=1000", "1", options="num_warps=1"),
    Row("1000 loads, one after the other, from memory", "rates chain", "*i32:16,*i32:16,i32",
        "STRIDE=1040", "x=1041000:iota out=16 rounds=1000", "1", options="num_warps=1"),
    *[Row(f"pieces of 32 bytes, {4 * pitch} apart, from the L2", "rates pieces",
          "*fp32:16,*fp32:16,i32", f"PITCH={pitch} PIECE=8 COUNT=128",
          "x=rounds*COUNT*PITCH out=2112*COUNT*PIECE rounds=128", "2112")
      for pitch in (8, 16, 32)],
    *[Row(f"all of {size} MB, from the L2", "rates pieces", "*fp32:16,*fp32:16,i32",
          "PITCH=8 PIECE=8 COUNT=128",
          f"x=rounds*COUNT*PITCH out=2112*COUNT*PIECE rounds={size * 256}", "2112")
      for size in (4, 16, 32)],
    *[Row(f"{kind} bytes a lane, from the first cache", "rates requests",
          f"*fp16{promise},*fp32:16,i32", f"BLOCK={block}",
          f"x=8*BLOCK out=1056*BLOCK rounds={rounds}", "1056")
      for kind, promise, block, rounds in ((2, "", 1024, 512), (8, ":16", 2048, 512))],
    *[Row(f"1000 barriers of {warps} warps", "rates barriers", "*i32:16,i32", "",
          "out=16 rounds=1000", "1", options=f"num_warps={warps}") for warps in (4, 16)],
    # What each program reads eight times, by how much that is of all programs.
    *[Row(f"{size} MB, each program its own 8 times", "rates again", "*fp32:16,*fp32:16,i32",
          "BLOCK=1024 ROUNDS=8", f"x=1056*parts*BLOCK out=1056*BLOCK parts={parts}", "1056")
      for size, parts in ((17, 4), (35, 8), (43, 10), (52, 12), (61, 14), (69, 16), (87, 20),
                          (138, 32))],
    # Memory by how far rows are apart and how wide the columns of a program are: 33.5 MB.
    *[Row(f"columns of {4 * width} bytes, rows {4 * pitch} bytes apart, {pitch // width * parts} "
          "programs", "rates columns", "*fp32:16,*fp32:16,i32",
          f"PITCH={pitch} WIDTH={width} ROWS=32",
          f"x={parts}*rows*PITCH out={parts}*PITCH rows={8388608 // pitch // parts}",
          f"{pitch // width},{parts}")
      for pitch, width, parts in ((16384, 128, 1), (16384, 128, 4), (16384, 128, 8),
                                  (16512, 128, 1), (4096, 128, 4), (1024, 128, 16),
                                  (16384, 512, 4), (512, 512, 128))],
    # Atomics on numbers of their own; the last round is of one program.
    *[Row(f"1000 atomics on {block} numbers {4 * stride} apart, {count} programs", "rates changes",
          "*i32:16,i32", f"BLOCK={block} STRIDE={stride}",
          f"out={count * block * stride} rounds=1000", f"{count}")
      for block, stride, count in ((128, 1, 1), (128, 8, 1), (128, 1, 132), (128, 8, 132),
                                   (128, 32, 132), (1024, 1, 1056), (1024, 8, 264))],
    Row("1000 atomics on 128 numbers of floats 4 apart, 132 programs", "rates changes",
        "*fp32:16,i32", "BLOCK=128 STRIDE=1", f"out={132 * 128} rounds=1000", "132"),
    # The same numbers for all programs.
    *[Row(f"100 atomics on the same {block} numbers, {count} programs", "rates shared_changes",
          "*i32:16,i32", f"BLOCK={block}", f"out={block} rounds=100", f"{count}")
      for block, count in ((512, 1), (512, 132), (32, 132), (128, 1056))],
    # Atomics in shared memory: of different banks, of one word, of 2, 8 and 32 words of a bank.
    *[Row(f"100 histograms of 4096 numbers {stride} apart, {count} programs", "rates counts",
          "*i32:16,i32", f"BLOCK=4096 BINS=1024 STRIDE={stride} SAME=1",
          f"out={count}*BINS rounds=100", f"{count}")
      for stride, count in ((1, 1), (0, 1), (2, 1), (8, 1), (32, 1), (1, 528), (0, 528),
                            (8, 528))],
    # Where some lanes of a warp, and not all, have the same number; of random numbers below 100.
    *[Row(f"100 histograms of 4096 numbers, {same} the same, {count} programs", "rates counts",
          "*i32:16,i32", f"BLOCK=4096 BINS=1024 STRIDE=1 SAME={same}",
          f"out={count}*BINS rounds=100", f"{count}")
      for same, count in ((2, 1), (8, 1), (2, 528), (8, 528))],
    *[Row(f"100 histograms of 4096 random numbers, {count} programs", "rates counts_of",
          "*i32:16,*i32:16,i32", "BLOCK=4096 BINS=1024",
          f"x=BLOCK:random out={count}*BINS rounds=100", f"{count}") for count in (1, 528)],
    *[Row(f"100 conversions of 4096 from {source} to {to} by 4 warps", "rates conversions",
          f"*{source}:16,*{to}:16,i32", "BLOCK=4096", "x=BLOCK out=BLOCK rounds=100", "1")
      for source, to in (("i32", "fp16"), ("i32", "fp32"), ("fp16", "fp32"), ("fp32", "fp16"),
                         ("fp32", "fp32"))],
    # What waits for the one before, of one program.
    Row("1000 loads, one after the other, from the first cache", "rates near_chain",
        "*i32:16,*i32:16,i32", "", "x=16 out=16 rounds=1000", "1", options="num_warps=1"),
    *[Row(f"1000 {kind} of {block} by {warps} warps", f"rates {kind}", "*fp32:16,*fp32:16,i32",
          f"BLOCK={block}", "x=BLOCK out=BLOCK rounds=1000", "1", options=f"num_warps={warps}")
      for kind, block, warps in (("multiplications", 32, 1), ("multiplications", 4096, 4),
                                 ("powers", 32, 1), ("powers", 4096, 4), ("sums", 32, 1),
                                 ("sums", 128, 4), ("sums", 1024, 4), ("sums", 512, 16),
                                 ("scans", 32, 1), ("scans", 128, 4), ("scans", 1024, 4))],
    *[Row(f"1000 transpositions of {side}x{side} by {warps} warps", "rates transpositions",
          "*fp32:16,*fp32:16,i32", f"T={side}", "x=T*T out=T*T rounds=1000", "1",
          options=f"num_warps={warps}") for side, warps in ((32, 1), (32, 4), (64, 4), (128, 8))],
    *[Row(f"1000 products of {m}x{n}x{k} by {warps} warps", "rates dots", "*fp16:16,*fp32:16,i32",
          f"M={m} N={n} K={k}", "x=16384 out=M*N rounds=1000", "1", options=f"num_warps={warps}")
      for m, n, k, warps in ((16, 16, 16, 1), (64, 64, 64, 4), (64, 128, 64, 4),
                             (128, 128, 64, 8))],
    *[Row(f"1000 products of products, {m}x{n} by {warps} warps", "rates dots_of_dots",
          "*fp16:16,*fp16:16,i32", f"M={m} N={n}", "x=16384 out=M*N rounds=1000", "1",
          options=f"num_warps={warps}")
      for m, n, warps in ((16, 16, 1), (64, 64, 4), (128, 64, 8))],
]
