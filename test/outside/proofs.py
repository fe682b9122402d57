# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the report of a conversion says of its proofs."""

# Programs and stages with accesses whose proof is open; what is proved leaves the list.
# message_passing: a segment's loop counts in 32 bits, and that its stop is at most the line's length is not seen.
OPEN = {("message_passing", 1)}


def find_open(program, files):
    """A line for each kernel with an access that is not proved, or only by linear programming."""
    problems = []
    for file in files:
        stage, kernels = file["stage"], file["kernels"]
        unproved = [kernel for kernel in kernels if kernel["proved"] != kernel["accesses"]]
        if (program, stage) in OPEN:
            if not unproved:
                problems.append(f"stage {stage}: proved; take it off the list of open proofs")
            continue
        for kernel in unproved:
            problems.append(f"stage {stage}: {kernel['name']}: {kernel['proved']} of {kernel['accesses']} proved")
        for kernel in kernels:
            if kernel["tier"] > 1:
                problems.append(f"stage {stage}: {kernel['name']}: proved only by tier {kernel['tier']}")
    return problems
