(section) @local.scope
(function) @local.scope

; A label is visible in the whole scope around its block.
(label (symbol) @local.definition.label
  (#set! definition.label.scope "parent"))

(symbol_reference (symbol) @local.reference)
(branch_targets (symbol) @local.reference)
(reference name: (identifier) @local.reference)

; Names that a source defines for registers and constants are visible up to its end.
(mapping right: (identifier) @local.definition.var)
(mapping left: (identifier) @local.definition.var)
