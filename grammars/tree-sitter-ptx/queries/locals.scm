(function) @local.scope
(scope) @local.scope

; A function is visible in the whole module.
(function name: (_) @local.definition.function
  (#set! definition.function.scope "parent"))
(parameter name: (_) @local.definition.parameter)

; `%r<10>` declares %r0 to %r9. These names do not occur in the declaration, so it defines nothing here.
(declarator name: (_) @local.definition.var .)
(declarator name: (_) @local.definition.var . (dimension))
(declarator name: (_) @local.definition.var initialiser: (_))
(label name: (_) @local.definition.label)

[ (identifier) (label_reference) (function_reference) ] @local.reference
(register) @local.reference
