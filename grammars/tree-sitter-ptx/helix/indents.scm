[
  (body)
  (scope)
  (section)
  (parameters)
] @indent
[ "}" ")" ] @outdent
