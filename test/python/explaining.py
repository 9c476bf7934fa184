"""What tests of `tritium explain` share: the command, and the schema of what it writes."""

import json
import pathlib
import subprocess

import tritium as triton

ROOT = pathlib.Path(__file__).parents[2]
COMMAND = pathlib.Path(triton.__file__).absolute().parents[2] / "bin" / "tritium"
SCHEMA = json.loads((ROOT / "docs" / "explain.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
         "boolean": bool, "null": type(None)}


def tritium(*arguments, status=0, output=False):
    """The command, as it is installed beside the package; its standard output, or what it says of
    errors if it ends with another status, but for `output`."""
    done = subprocess.run([COMMAND, *map(str, arguments)],
                          capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 or output else done.stderr


def isOf(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def problems(value, schema=SCHEMA, where="$"):
    """Where `value` is not what the schema says, of the words that the schema uses."""
    if "$ref" in schema:
        yield from problems(value, SCHEMA["$defs"][schema["$ref"].split("/")[-1]], where)
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is none of {schema['enum']}"
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(isOf(value, name) for name in names):
        yield f"{where}: {value!r} is no {' or '.join(names)}"
        return
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from problems(item, schema["items"], f"{where}[{number}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where}: no {name}"
        others = schema.get("additionalProperties", True)
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, others)
            if inner is False:
                yield f"{where}: {name} is not in the schema"
            elif inner is not True:
                yield from problems(item, inner, f"{where}.{name}")


def explained(*arguments):
    """The JSON of `tritium explain`, which fits the schema."""
    document = json.loads(tritium("explain", *arguments, "--json", "-"))
    assert list(problems(document)) == []
    return document
