"""Assemblers that take any PTX."""

import sys
import textwrap

SERIALIZED = ("ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions "
              "are serialized due to insufficient register resources for the wgmma pipeline")


def ptxas(folder, program):
    """The path of one in `folder` that runs a Python program on each text `ptx`: what that prints,
    it says of the kernel."""
    path = folder / "ptxas"
    path.write_text(f"#!{sys.executable}\n" + textwrap.dedent("""
        import sys
        if sys.argv[1] == "--version":
            print("Cuda compilation tools, release 13.0, V13.0.0")
            sys.exit()
        ptx = open(sys.argv[-3]).read()
        open(sys.argv[-1], "w").write(ptx)
    """) + textwrap.dedent(program) + """
print("ptxas info    : Used 40 registers, used 0 barriers")
""")
    path.chmod(0o755)
    return str(path)
