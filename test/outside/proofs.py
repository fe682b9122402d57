# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the report of a conversion says of its proofs."""


def find_open(program, files):
    """A line for each kernel with an access that is not proved, or only by linear programming."""
    problems = []
    for file in files:
        stage, kernels = file["stage"], file["kernels"]
        unproved = [kernel for kernel in kernels if kernel["proved"] != kernel["accesses"]]
        for kernel in unproved:
            problems.append(f"stage {stage}: {kernel['name']}: {kernel['proved']} of {kernel['accesses']} proved")
        for kernel in kernels:
            if kernel["tier"] > 1:
                problems.append(f"stage {stage}: {kernel['name']}: proved only by tier {kernel['tier']}")
    return problems
