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
