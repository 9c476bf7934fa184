"""What `tritium explain --diff` guards of the examples: `baselines/NAME.json` has what was there
when it was last accepted. After a change that is meant to be so, from the root of the repository:

    .venv/bin/python test/python/explain_baselines.py
"""

import json
import pathlib

from explaining import ROOT, tritium

BASELINES = pathlib.Path(__file__).parent / "baselines"
PRODUCT = ["--signature", "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16", "--constexpr",
           "BM=128", "--constexpr", "BN=128", "--constexpr", "BK=64", "--option", "num_warps=8",
           "--arg", "a_ptr=M*K", "--arg", "b_ptr=K*N", "--arg", "c_ptr=M*N", "--arg", "M=512",
           "--arg", "N=512", "--arg", "K=512", "--grid", "cdiv(M, BM) * cdiv(N, BN)"]
EXAMPLES = {
    "vector_add": ["examples/vector_add.py", "--target", "cuda:90", "--signature",
                   "*fp32:16,*fp32:16,*fp32:16,i32:16", "--constexpr", "BLOCK_SIZE=1024",
                   "--arg", "x_ptr=n_elements", "--arg", "y_ptr=n_elements",
                   "--arg", "output_ptr=n_elements", "--arg", "n_elements=1048576",
                   "--grid", "1024"],
    "softmax": ["examples/softmax.py", "--kernel", "softmax_kernel", "--target", "cuda:90",
                "--signature", "*fp16:16,*fp16:16,i32:16,i32:16,i32:16", "--constexpr",
                "BLOCK_SIZE=2048", "--arg", "output_ptr=1024*n_cols", "--arg",
                "input_ptr=1024*n_cols", "--arg", "n_cols=2048", "--arg", "input_row_stride=2048",
                "--arg", "output_row_stride=2048", "--grid", "1024"],
    "matmul": ["examples/matmul.py", "--kernel", "matmul", "--target", "cuda:90", *PRODUCT],
    "matmul_sm80": ["examples/matmul.py", "--kernel", "matmul", "--target", "cuda:80", *PRODUCT],
}
COUNTED = ("global_sectors", "shared_wavefronts", "matrix_operations", "barriers", "atomics")


def pick(document, *names):
    return {name: document[name] for name in names if name in document}


def brief(document):
    """What a comparison reads of a document: a tenth of it."""
    made = pick(document, "format", "version", "kernel", "target", "options", "signature",
                "launch", "resources", "model")
    made["counters"] = pick(document["counters"], "grid", "ctas", "occupancy")
    made["lines"] = [pick(line, "file", "line", "text", "share", "remarks") |
                     {"counters": pick(line.get("counters", {}), *COUNTED)}
                     for line in document["lines"]]
    made["remarks"] = [pick(remark, "kind", "message", "arguments", "place")
                       for remark in document["remarks"]]
    places = [pick(document["ops"][barrier["op"]], "place") for barrier in document["barriers"]]
    made["ops"] = places
    made["barriers"] = [{"op": number, "kind": barrier["kind"]}
                        for number, barrier in enumerate(document["barriers"])]
    return made


def explained(name):
    return brief(json.loads(tritium("explain", *EXAMPLES[name], "--keep-options", "--json", "-")))


def main():
    BASELINES.mkdir(exist_ok=True)
    for name in EXAMPLES:
        text = json.dumps(explained(name), indent=0, sort_keys=True)
        (BASELINES / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
