def f():
  try: raise x
  finally: del y
  global z
  lambda: (yield)
  {a: b}
  break
