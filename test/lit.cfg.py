# Configuration of the lit tests. The build's values come from lit.site.cfg.py.

import os

import lit.formats

config.name = "tritium"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "integration", "python"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_root, "test")

tools = dict(config.tools)
for name in ("tritium-interpret", "tritium-opt", "tritium"):
    tools[name] = os.path.join(config.build_root, "bin", name)
# Longest first, so that `tritium` does not match within `tritium-opt`.
for name in sorted(tools, key=len, reverse=True):
    config.substitutions.append((r"(?<![\w/.-])" + name + r"(?![\w/.-])", tools[name]))
config.substitutions.append(("%source_root", config.source_root))
config.substitutions.append(("%mlir_include", config.mlir_include))
config.environment["TRITIUM_VERIFY"] = "1"
config.environment["TRITON_ALWAYS_COMPILE"] = "1"
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
# What utils/mutate_analysis.py chooses; lit passes on nothing else of the environment.
premise = os.environ.get("TRITIUM_WITHOUT_PREMISE")
if premise:
    config.environment["TRITIUM_WITHOUT_PREMISE"] = premise
