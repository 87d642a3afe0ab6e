; Written by `cargo xtask codegen` from grammars/tree-sitter-ptx/queries.

[
  (body)
  (scope)
  (section)
  (parameters)
] @indent.begin

[ "}" ")" ] @indent.branch

(line_marker) @indent.zero
(comment) @indent.auto
(block_comment) @indent.auto
