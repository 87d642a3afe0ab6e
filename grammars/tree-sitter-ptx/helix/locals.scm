(function) @local.scope
(scope) @local.scope

(parameter name: (_) @local.definition.variable.parameter)
(label name: (_) @local.definition.label)

[ (identifier) (label_reference) (function_reference) ] @local.reference
