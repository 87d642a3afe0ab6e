; Patterns exclude each other, because editors differ on whether the first or the last match wins.

(comment) @comment
(block_comment) @comment
(address) @comment
(encoding) @comment
(life_ranges) @comment
(rule) @comment
(prose) @comment
(comment_block (code) @comment)
(section_separator) @markup.heading
(property) @attribute
(resource_usage) @attribute

(keyword) @keyword
(block_start) @keyword.directive
(block_end) @keyword.directive
(include) @keyword.directive
(template) @embedded
(code_block (code) @embedded)
(directive_name) @keyword.directive

(target) @constant
(function_name) @function
(label (symbol) @label)
(symbol_reference (symbol) @label)
(branch_targets (symbol) @label)
(directive (symbol) @string.special.symbol)
(attribute) @attribute
(relocation) @attribute
(string) @string

; Control codes
(wait_mask) @constant
(barrier_index) @type
(yield_flag) @keyword.modifier
(reuse_flags) @attribute
(stall_count) @number
(scoreboard_annotation) @type
(issue_annotation) @number

; Operands
(number) @number
(shape) @constant
(float) @number.float
(scaled_number) @number
(expression) @number
((register) @variable
  (#not-eq? @variable "RZ"))
((register) @constant.builtin
  (#eq? @constant.builtin "RZ"))
((uniform_register) @variable.parameter
  (#not-eq? @variable.parameter "URZ"))
((uniform_register) @constant.builtin
  (#eq? @constant.builtin "URZ"))
((predicate) @property
  (#not-eq? @property "PT"))
((predicate) @constant.builtin
  (#eq? @constant.builtin "PT"))
((uniform_predicate) @property
  (#not-eq? @property "UPT"))
((uniform_predicate) @constant.builtin
  (#eq? @constant.builtin "UPT"))
(barrier) @type
(special_register) @variable.builtin
((reference
  name: (identifier) @keyword.modifier
  (indexes))
  (#any-of? @keyword.modifier "c" "cx" "desc" "gdesc" "idesc" "tmem"))
((reference
  name: (identifier) @variable
  (indexes))
  (#not-any-of? @variable "c" "cx" "desc" "gdesc" "idesc" "tmem"))
((reference
  name: (identifier) @variable
  .)
  (#not-any-of? @variable "CC" "PR"))
((reference
  name: (identifier) @variable.builtin
  .)
  (#any-of? @variable.builtin "CC" "PR"))
(mapping (identifier) @variable)
(guard (identifier) @property)
(modifier) @attribute
(operator) @operator
[ "@" "!" "|" ] @operator
[ "," ";" ":" ] @punctuation.delimiter
[ "(" ")" "[" "]" "{" "}" "`(" ] @punctuation.bracket

; Opcodes
; <generated: cargo xtask codegen>
((opcode) @keyword.control
  (#any-of? @keyword.control
    "BAR" "BMOV" "BRA" "BREAK" "BRK" "BRX" "BRXU" "BSSY" "BSYNC" "CAL"
    "CALL" "CGABAR_WAIT" "CONT" "ENDCOLLECTIVE" "EXIT" "JCAL" "JMP" "JMX" "JMXU" "KIL"
    "KILL" "LONGJMP" "NANOSLEEP" "PBK" "PCNT" "PEXIT" "PLONGJMP" "PRET" "RET" "SSY"
    "SYNC" "UCGABAR_WAIT" "WARPSYNC" "YIELD"))
((opcode) @function.builtin
  (#any-of? @function.builtin
    "ARRIVES" "ATOM" "ATOMG" "ATOMS" "BGMMA" "CCTL" "CCTLL" "CCTLT" "HGMMA" "IGMMA"
    "LD" "LDC" "LDCU" "LDG" "LDGMC" "LDGSTS" "LDL" "LDS" "LDSLK" "LDSM"
    "LDT" "LDTM" "QGMMA" "QSPC" "RED" "REDAS" "REDG" "ST" "STAS" "STG"
    "STL" "STS" "STSCUL" "STSM" "STT" "STTM" "SUATOM" "SUBFM" "SUCLAMP" "SUEAU"
    "SULD" "SULDGA" "SUQ" "SUQUERY" "SURED" "SUST" "SUSTGA" "SYNCS" "SYNCSU" "TEX"
    "TEXS" "TLD" "TLD4" "TLD4S" "TLDS" "TMML" "TXA" "TXD" "TXQ" "UBLKCP"
    "UBLKPF" "UBLKRED" "UGETNEXTWORKID" "ULDC" "UMEMSETS" "UREDGR" "USETSHMSZ" "USTGR" "USYNCS" "UTCATOMSWS"
    "UTCBAR" "UTCCP" "UTCHMMA" "UTCIMMA" "UTCOMMA" "UTCQMMA" "UTCSHIFT" "UTMACCTL" "UTMACMDFLUSH" "UTMALDG"
    "UTMAPF" "UTMAREDG" "UTMASTG"))
((opcode) @function
  (#any-of? @function
    "ACQBULK" "ACQSHMINIT" "AL2P" "ALD" "AST" "B2R" "BFE" "BFI" "BMMA" "BMSK"
    "BPT" "BREV" "CGABAR_ARV" "CGABAR_GET" "CGABAR_SET" "CGAERRBAR" "CREDUX" "CS2R" "CS2UR" "CSET"
    "CSETP" "DADD" "DEPBAR" "DFMA" "DMMA" "DMNMX" "DMUL" "DSET" "DSETP" "ELECT"
    "ERRBAR" "F2F" "F2FP" "F2I" "F2IP" "FADD" "FADD2" "FADD32I" "FCHK" "FCMP"
    "FENCE" "FFMA" "FFMA2" "FFMA32I" "FHADD" "FHFMA" "FLO" "FMNMX" "FMNMX3" "FMUL"
    "FMUL2" "FMUL32I" "FRND" "FSEL" "FSET" "FSETP" "FSWZ" "FSWZADD" "GETCRSPTR" "GETLMEMBASE"
    "HADD2" "HADD2_32I" "HFMA2" "HFMA2_32I" "HMMA" "HMNMX2" "HMUL2" "HMUL2_32I" "HSET2" "HSETP2"
    "I2F" "I2FP" "I2I" "I2IP" "IABS" "IADD" "IADD3" "IADD32I" "ICMP" "IDE"
    "IDP" "IDP4A" "IMAD" "IMAD32I" "IMADSP" "IMMA" "IMNMX" "IMUL" "IMUL32I" "IPA"
    "ISAD" "ISBERD" "ISBEWR" "ISCADD" "ISCADD32I" "ISET" "ISETP" "ISUB" "LDGDEPBAR" "LDTRAM"
    "LEA" "LEPC" "LOP" "LOP3" "LOP32I" "MATCH" "MEMBAR" "MOV" "MOV32I" "MOVM"
    "MUFU" "NOP" "OMMA" "OUT" "P2R" "PIXLD" "PLOP3" "PMTRIG" "POPC" "PREEXIT"
    "PRMT" "PSET" "PSETP" "QADD4" "QFMA4" "QMMA" "QMUL4" "R2B" "R2P" "R2UR"
    "RAM" "REDUX" "RPCMOV" "RRO" "RTT" "S2R" "S2UR" "SAM" "SEL" "SETCRSPTR"
    "SETCTAID" "SETLMEMBASE" "SGXT" "SHF" "SHFL" "SHL" "SHR" "STP" "TEXDEPBAR" "TTUCCTL"
    "TTUGO" "TTULD" "TTUMACROFUSE" "TTUOPEN" "TTUST" "UBMSK" "UBREV" "UCGABAR_ARV" "UCLEA" "UF2F"
    "UF2FP" "UF2I" "UF2IP" "UFADD" "UFFMA" "UFLO" "UFMNMX" "UFMUL" "UFRND" "UFSEL"
    "UFSET" "UFSETP" "UI2F" "UI2FP" "UI2I" "UI2IP" "UIABS" "UIADD3" "UIMAD" "UIMNMX"
    "UISETP" "ULEA" "ULEPC" "ULOP" "ULOP3" "ULOP32I" "UMOV" "UP2UR" "UPLOP3" "UPOPC"
    "UPRMT" "UPSETP" "UR2UP" "USEL" "USETMAXREG" "USGXT" "USHF" "USHL" "USHR" "UVIADD"
    "UVIADDMNMX" "UVIMNMX" "UVIMNMX3" "UVIRTCOUNT" "VABSDIFF" "VABSDIFF4" "VADD" "VHMNMX" "VIADD" "VIADDMNMX"
    "VILD" "VIMNMX" "VIMNMX3" "VMAD" "VMNMX" "VOTE" "VOTEU" "VSEL" "VSET" "VSETP"
    "VSHL" "VSHR" "WARPGROUP" "WARPGROUPSET" "XMAD"))
((opcode) @variable
  (#not-any-of? @variable
    "ACQBULK" "ACQSHMINIT" "AL2P" "ALD" "ARRIVES" "AST" "ATOM" "ATOMG" "ATOMS" "B2R"
    "BAR" "BFE" "BFI" "BGMMA" "BMMA" "BMOV" "BMSK" "BPT" "BRA" "BREAK"
    "BREV" "BRK" "BRX" "BRXU" "BSSY" "BSYNC" "CAL" "CALL" "CCTL" "CCTLL"
    "CCTLT" "CGABAR_ARV" "CGABAR_GET" "CGABAR_SET" "CGABAR_WAIT" "CGAERRBAR" "CONT" "CREDUX" "CS2R" "CS2UR"
    "CSET" "CSETP" "DADD" "DEPBAR" "DFMA" "DMMA" "DMNMX" "DMUL" "DSET" "DSETP"
    "ELECT" "ENDCOLLECTIVE" "ERRBAR" "EXIT" "F2F" "F2FP" "F2I" "F2IP" "FADD" "FADD2"
    "FADD32I" "FCHK" "FCMP" "FENCE" "FFMA" "FFMA2" "FFMA32I" "FHADD" "FHFMA" "FLO"
    "FMNMX" "FMNMX3" "FMUL" "FMUL2" "FMUL32I" "FRND" "FSEL" "FSET" "FSETP" "FSWZ"
    "FSWZADD" "GETCRSPTR" "GETLMEMBASE" "HADD2" "HADD2_32I" "HFMA2" "HFMA2_32I" "HGMMA" "HMMA" "HMNMX2"
    "HMUL2" "HMUL2_32I" "HSET2" "HSETP2" "I2F" "I2FP" "I2I" "I2IP" "IABS" "IADD"
    "IADD3" "IADD32I" "ICMP" "IDE" "IDP" "IDP4A" "IGMMA" "IMAD" "IMAD32I" "IMADSP"
    "IMMA" "IMNMX" "IMUL" "IMUL32I" "IPA" "ISAD" "ISBERD" "ISBEWR" "ISCADD" "ISCADD32I"
    "ISET" "ISETP" "ISUB" "JCAL" "JMP" "JMX" "JMXU" "KIL" "KILL" "LD"
    "LDC" "LDCU" "LDG" "LDGDEPBAR" "LDGMC" "LDGSTS" "LDL" "LDS" "LDSLK" "LDSM"
    "LDT" "LDTM" "LDTRAM" "LEA" "LEPC" "LONGJMP" "LOP" "LOP3" "LOP32I" "MATCH"
    "MEMBAR" "MOV" "MOV32I" "MOVM" "MUFU" "NANOSLEEP" "NOP" "OMMA" "OUT" "P2R"
    "PBK" "PCNT" "PEXIT" "PIXLD" "PLONGJMP" "PLOP3" "PMTRIG" "POPC" "PREEXIT" "PRET"
    "PRMT" "PSET" "PSETP" "QADD4" "QFMA4" "QGMMA" "QMMA" "QMUL4" "QSPC" "R2B"
    "R2P" "R2UR" "RAM" "RED" "REDAS" "REDG" "REDUX" "RET" "RPCMOV" "RRO"
    "RTT" "S2R" "S2UR" "SAM" "SEL" "SETCRSPTR" "SETCTAID" "SETLMEMBASE" "SGXT" "SHF"
    "SHFL" "SHL" "SHR" "SSY" "ST" "STAS" "STG" "STL" "STP" "STS"
    "STSCUL" "STSM" "STT" "STTM" "SUATOM" "SUBFM" "SUCLAMP" "SUEAU" "SULD" "SULDGA"
    "SUQ" "SUQUERY" "SURED" "SUST" "SUSTGA" "SYNC" "SYNCS" "SYNCSU" "TEX" "TEXDEPBAR"
    "TEXS" "TLD" "TLD4" "TLD4S" "TLDS" "TMML" "TTUCCTL" "TTUGO" "TTULD" "TTUMACROFUSE"
    "TTUOPEN" "TTUST" "TXA" "TXD" "TXQ" "UBLKCP" "UBLKPF" "UBLKRED" "UBMSK" "UBREV"
    "UCGABAR_ARV" "UCGABAR_WAIT" "UCLEA" "UF2F" "UF2FP" "UF2I" "UF2IP" "UFADD" "UFFMA" "UFLO"
    "UFMNMX" "UFMUL" "UFRND" "UFSEL" "UFSET" "UFSETP" "UGETNEXTWORKID" "UI2F" "UI2FP" "UI2I"
    "UI2IP" "UIABS" "UIADD3" "UIMAD" "UIMNMX" "UISETP" "ULDC" "ULEA" "ULEPC" "ULOP"
    "ULOP3" "ULOP32I" "UMEMSETS" "UMOV" "UP2UR" "UPLOP3" "UPOPC" "UPRMT" "UPSETP" "UR2UP"
    "UREDGR" "USEL" "USETMAXREG" "USETSHMSZ" "USGXT" "USHF" "USHL" "USHR" "USTGR" "USYNCS"
    "UTCATOMSWS" "UTCBAR" "UTCCP" "UTCHMMA" "UTCIMMA" "UTCOMMA" "UTCQMMA" "UTCSHIFT" "UTMACCTL" "UTMACMDFLUSH"
    "UTMALDG" "UTMAPF" "UTMAREDG" "UTMASTG" "UVIADD" "UVIADDMNMX" "UVIMNMX" "UVIMNMX3" "UVIRTCOUNT" "VABSDIFF"
    "VABSDIFF4" "VADD" "VHMNMX" "VIADD" "VIADDMNMX" "VILD" "VIMNMX" "VIMNMX3" "VMAD" "VMNMX"
    "VOTE" "VOTEU" "VSEL" "VSET" "VSETP" "VSHL" "VSHR" "WARPGROUP" "WARPGROUPSET" "WARPSYNC"
    "XMAD" "YIELD"))
; </generated>
