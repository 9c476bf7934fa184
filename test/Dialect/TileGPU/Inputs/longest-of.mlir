module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @ids(%p: !tt.ptr<i32>) attributes {ttg.last_first = array<i32: 0>, ttg.longest_of = 512 : i32} {
  %x = tt.get_program_id 0 : i32
  %y = tt.get_program_id 1 : i32
  %z = tt.get_program_id 2 : i32
  %xy = arith.muli %x, %y : i32
  %xyz = arith.muli %xy, %z : i32
  tt.store %p, %xyz : !tt.ptr<i32>
  tt.return
}
}
