; Tools print their own columns; only the assemblers' blocks are written by hand.
(mapping_block) @indent
(block_end) @outdent
