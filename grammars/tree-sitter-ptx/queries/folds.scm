[
  (body)
  (scope)
  (section)
  (parameters)
  (vector)
  (block_comment)
] @fold
