(section) @local.scope
(function) @local.scope
(source_file) @local.scope

(label (symbol) @local.definition.label)

(symbol_reference (symbol) @local.reference)
(branch_targets (symbol) @local.reference)
