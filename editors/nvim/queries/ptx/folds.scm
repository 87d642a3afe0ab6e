; Written by `cargo xtask codegen` from grammars/tree-sitter-ptx/queries.

[
  (body)
  (scope)
  (section)
  (parameters)
  (vector)
  (block_comment)
] @fold
