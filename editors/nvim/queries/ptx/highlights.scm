; Written by `cargo xtask codegen` from grammars/tree-sitter-ptx/queries.

; Patterns exclude each other, because editors differ on whether the first or the last match wins.

(comment) @comment
(block_comment) @comment
(line_marker) @comment
(dwarf_line) @comment

; Directives and declarations
(directive_name) @keyword.directive
(keyword) @keyword
(function_kind) @keyword.function
(linkage) @keyword.modifier
(space) @keyword.modifier
(type) @type
(attribute_name) @attribute
(target) @constant
(section_name) @string.special.symbol
(setting name: (identifier) @property)
(dimension (identifier) @variable)

; Names where they are declared
(function name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(declarator name: (identifier) @variable)
(label name: (identifier) @label)
(label_reference) @label
(function_reference) @function

; Modifiers: those that are a type, those that are a state space, and all others
((modifier) @type
  (#match? @type "^\\.(pred|[bsu][0-9]+(x[0-9]+(_p[0-9]+)?)?|(b|s2)?f[0-9]+(x[0-9]+)?|tf32|u?e[0-9]m[0-9](x[0-9]+)?|(tex|sampler|surf)ref)$"))
((modifier) @keyword.modifier
  (#match? @keyword.modifier "^\\.(reg|param|global|shared|local|const|tex)(\\[[0-9]+\\]|::[a-z]+)?$"))
((modifier) @attribute
  (#not-match? @attribute "^\\.(pred|[bsu][0-9]+(x[0-9]+(_p[0-9]+)?)?|(b|s2)?f[0-9]+(x[0-9]+)?|tf32|u?e[0-9]m[0-9](x[0-9]+)?|(tex|sampler|surf)ref)$")
  (#not-match? @attribute "^\\.(reg|param|global|shared|local|const|tex)(\\[[0-9]+\\]|::[a-z]+)?$"))

; Operands
(number) @number
(float) @number.float
(string) @string
(sink) @constant.builtin
(constant) @constant.builtin
(selector) @property
(guard (identifier) @property)
(conversion function: (identifier) @function.builtin)
(declarator initialiser: (identifier) @variable)
(operands (identifier) @variable)
(address (identifier) @variable)
(vector (identifier) @variable)
(list (identifier) @variable)
(component (identifier) @variable)
(element (identifier) @variable)
(cast (identifier) @variable)
(setting value: (identifier) @constant)
(unary_expression (identifier) @variable)
(binary_expression (identifier) @variable)
(ternary_expression (identifier) @variable)
(data (identifier) @label)

(operator) @operator
[ "@" "!" "=" ] @operator
[ "," ";" ":" ] @punctuation.delimiter
[ "(" ")" "[" "]" "{" "}" "<" ">" ] @punctuation.bracket

; Registers that compilers name %p hold predicates.
((register) @property
  (#match? @property "^.p[0-9]*$"))

; Opcodes and special registers
; <generated: cargo xtask codegen>
((opcode) @keyword.control
  (#any-of? @keyword.control
    "bar" "barrier" "bra" "brkpt" "brx" "call" "exit" "fence" "griddepcontrol" "membar"
    "nanosleep" "pmevent" "ret" "setmaxnreg" "stackrestore" "trap"))
((opcode) @function.builtin
  (#any-of? @function.builtin
    "applypriority" "atom" "cp" "discard" "fabric" "ld" "ldmatrix" "ldu" "mbarrier" "multimem"
    "prefetch" "prefetchu" "red" "st" "stmatrix" "suld" "suq" "sured" "sust" "tcgen05"
    "tensormap" "tex" "tld4" "txq" "wmma"))
((opcode) @function
  (#any-of? @function
    "abs" "activemask" "add" "addc" "alloca" "and" "bfe" "bfi" "bfind" "bmsk"
    "brev" "clmad" "clusterlaunchcontrol" "clz" "cnot" "copysign" "cos" "createpolicy" "cvt" "cvta"
    "div" "dp2a" "dp4a" "elect" "ex2" "fma" "fns" "getctarank" "isspacep" "istypep"
    "lg2" "lop3" "mad" "mad24" "madc" "mapa" "match" "max" "min" "mma"
    "mov" "movmatrix" "mul" "mul24" "neg" "not" "or" "popc" "prmt" "rcp"
    "redux" "rem" "rsqrt" "sad" "selp" "set" "setp" "shf" "shfl" "shl"
    "shr" "sin" "slct" "sqrt" "stacksave" "sub" "subc" "szext" "tanh" "testp"
    "vabsdiff" "vabsdiff2" "vabsdiff4" "vadd" "vadd2" "vadd4" "vavrg2" "vavrg4" "vmad" "vmax"
    "vmax2" "vmax4" "vmin" "vmin2" "vmin4" "vote" "vset" "vset2" "vset4" "vshl"
    "vshr" "vsub" "vsub2" "vsub4" "wgmma" "xor"))
((opcode) @variable
  (#not-any-of? @variable
    "abs" "activemask" "add" "addc" "alloca" "and" "applypriority" "atom" "bar" "barrier"
    "bfe" "bfi" "bfind" "bmsk" "bra" "brev" "brkpt" "brx" "call" "clmad"
    "clusterlaunchcontrol" "clz" "cnot" "copysign" "cos" "cp" "createpolicy" "cvt" "cvta" "discard"
    "div" "dp2a" "dp4a" "elect" "ex2" "exit" "fabric" "fence" "fma" "fns"
    "getctarank" "griddepcontrol" "isspacep" "istypep" "ld" "ldmatrix" "ldu" "lg2" "lop3" "mad"
    "mad24" "madc" "mapa" "match" "max" "mbarrier" "membar" "min" "mma" "mov"
    "movmatrix" "mul" "mul24" "multimem" "nanosleep" "neg" "not" "or" "pmevent" "popc"
    "prefetch" "prefetchu" "prmt" "rcp" "red" "redux" "rem" "ret" "rsqrt" "sad"
    "selp" "set" "setmaxnreg" "setp" "shf" "shfl" "shl" "shr" "sin" "slct"
    "sqrt" "st" "stackrestore" "stacksave" "stmatrix" "sub" "subc" "suld" "suq" "sured"
    "sust" "szext" "tanh" "tcgen05" "tensormap" "testp" "tex" "tld4" "trap" "txq"
    "vabsdiff" "vabsdiff2" "vabsdiff4" "vadd" "vadd2" "vadd4" "vavrg2" "vavrg4" "vmad" "vmax"
    "vmax2" "vmax4" "vmin" "vmin2" "vmin4" "vote" "vset" "vset2" "vset4" "vshl"
    "vshr" "vsub" "vsub2" "vsub4" "wgmma" "wmma" "xor"))
((register) @variable.builtin
  (#any-of? @variable.builtin
    "%aggr_smem_size" "%clock" "%clock64" "%clock_hi" "%cluster_ctaid" "%cluster_ctarank" "%cluster_nctaid" "%cluster_nctarank" "%clusterid" "%ctaid"
    "%current_graph_exec" "%dynamic_smem_size" "%envreg0" "%envreg1" "%envreg10" "%envreg11" "%envreg12" "%envreg13" "%envreg14" "%envreg15"
    "%envreg16" "%envreg17" "%envreg18" "%envreg19" "%envreg2" "%envreg20" "%envreg21" "%envreg22" "%envreg23" "%envreg24"
    "%envreg25" "%envreg26" "%envreg27" "%envreg28" "%envreg29" "%envreg3" "%envreg30" "%envreg31" "%envreg4" "%envreg5"
    "%envreg6" "%envreg7" "%envreg8" "%envreg9" "%globaltimer" "%globaltimer_hi" "%globaltimer_lo" "%gridid" "%is_explicit_cluster" "%laneid"
    "%lanemask_eq" "%lanemask_ge" "%lanemask_gt" "%lanemask_le" "%lanemask_lt" "%nclusterid" "%nctaid" "%nsmid" "%ntid" "%nwarpid"
    "%perctamemoryoffset" "%perctamemorysize" "%pm0" "%pm0_64" "%pm1" "%pm1_64" "%pm2" "%pm2_64" "%pm3" "%pm3_64"
    "%pm4" "%pm4_64" "%pm5" "%pm5_64" "%pm6" "%pm6_64" "%pm7" "%pm7_64" "%reserved_smem_offset_0" "%reserved_smem_offset_1"
    "%reserved_smem_offset_begin" "%reserved_smem_offset_cap" "%reserved_smem_offset_end" "%smid" "%tid" "%total_smem_size" "%warpid"))
((register) @variable
  (#not-any-of? @variable
    "%aggr_smem_size" "%clock" "%clock64" "%clock_hi" "%cluster_ctaid" "%cluster_ctarank" "%cluster_nctaid" "%cluster_nctarank" "%clusterid" "%ctaid"
    "%current_graph_exec" "%dynamic_smem_size" "%envreg0" "%envreg1" "%envreg10" "%envreg11" "%envreg12" "%envreg13" "%envreg14" "%envreg15"
    "%envreg16" "%envreg17" "%envreg18" "%envreg19" "%envreg2" "%envreg20" "%envreg21" "%envreg22" "%envreg23" "%envreg24"
    "%envreg25" "%envreg26" "%envreg27" "%envreg28" "%envreg29" "%envreg3" "%envreg30" "%envreg31" "%envreg4" "%envreg5"
    "%envreg6" "%envreg7" "%envreg8" "%envreg9" "%globaltimer" "%globaltimer_hi" "%globaltimer_lo" "%gridid" "%is_explicit_cluster" "%laneid"
    "%lanemask_eq" "%lanemask_ge" "%lanemask_gt" "%lanemask_le" "%lanemask_lt" "%nclusterid" "%nctaid" "%nsmid" "%ntid" "%nwarpid"
    "%perctamemoryoffset" "%perctamemorysize" "%pm0" "%pm0_64" "%pm1" "%pm1_64" "%pm2" "%pm2_64" "%pm3" "%pm3_64"
    "%pm4" "%pm4_64" "%pm5" "%pm5_64" "%pm6" "%pm6_64" "%pm7" "%pm7_64" "%reserved_smem_offset_0" "%reserved_smem_offset_1"
    "%reserved_smem_offset_begin" "%reserved_smem_offset_cap" "%reserved_smem_offset_end" "%smid" "%tid" "%total_smem_size" "%warpid")
  (#not-match? @variable "^.p[0-9]*$"))
; </generated>
