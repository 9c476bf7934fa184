// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

module attributes {"ttg.num-warps" = 1 : i32} {
// expected-error @+1 {{ttg.programs_per_cta must be 1 to 32, an i32, found 33 : i32}}
tt.func @many() attributes {ttg.persistent, ttg.programs_per_cta = 33 : i32} {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32} {
// expected-error @+1 {{ttg.programs_per_cta must be 1 to 32, an i32, found "eight"}}
tt.func @text() attributes {ttg.persistent, ttg.programs_per_cta = "eight"} {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32} {
// expected-error @+1 {{ttg.programs_per_cta is for kernels with ttg.persistent whose programs have one warp (ttg.num-warps = 1), found 1; leave it out}}
tt.func @no_loop() attributes {ttg.programs_per_cta = 8 : i32} {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
// expected-error @+1 {{ttg.programs_per_cta is for kernels with ttg.persistent whose programs have one warp (ttg.num-warps = 1), found 4; leave it out}}
tt.func @warps() attributes {ttg.persistent, ttg.programs_per_cta = 8 : i32} {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @groups() attributes {ttg.persistent, ttg.programs_per_cta = 8 : i32} {
  // expected-error @+1 {{'ttg.warp_groups' is for kernels without ttg.programs_per_cta, whose CTAs run one program at a time}}
  ttg.warp_groups "a" warps 1 {
  }
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @fence() attributes {ttg.persistent, ttg.programs_per_cta = 8 : i32} {
  // expected-error @+1 {{'ttng.fence_async_proxy' is for kernels without ttg.programs_per_cta}}
  ttng.fence_async_proxy
  tt.return
}
}
