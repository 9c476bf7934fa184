def f(
  a,  # c

):
	if a:
		b = (1 +
2)

  # d
	c
