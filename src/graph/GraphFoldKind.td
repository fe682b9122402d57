// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which elements are combined, for every family that folds.
#ifndef NEREID_GRAPH_FOLD_KIND_TD
#define NEREID_GRAPH_FOLD_KIND_TD

include "graph/GraphDialect.td"

def Graph_FoldKind : I32EnumAttr<"FoldKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Any", 4, "any">, I32EnumAttrCase<"All", 5, "all">,
    I32EnumAttrCase<"Argmax", 6, "argmax">, I32EnumAttrCase<"Argmin", 7, "argmin">,
    I32EnumAttrCase<"Logsum", 8, "logsum">]> {
  let cppNamespace = "::nereid::graph";
  let genSpecializedAttr = 0;
}
def Graph_FoldKindAttr : EnumAttr<Graph_Dialect, Graph_FoldKind, "fold">;

#endif // NEREID_GRAPH_FOLD_KIND_TD
