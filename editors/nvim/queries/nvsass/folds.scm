; Written by `cargo xtask codegen` from grammars/tree-sitter-nvsass/queries.

[
  (section)
  (function)
  (block)
  (schedule_block)
  (mapping_block)
  (code_block)
  (comment_block)
  (block_comment)
] @fold
