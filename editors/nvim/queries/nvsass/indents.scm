; Written by `cargo xtask codegen` from grammars/tree-sitter-nvsass/queries.

; Tools print their own columns; only the assemblers' blocks are written by hand.

(mapping_block) @indent.begin
(code_block) @indent.auto
(comment_block) @indent.auto
(block_end) @indent.branch
(label) @indent.zero
