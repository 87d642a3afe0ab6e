/**
 * @file SASS (NVIDIA GPU assembly): listings of cuobjdump and nvdisasm, sources of maxas, KeplerAs, TuringAs and CuAssembler.
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// A line contains at most one instruction, so the end of a line is a token and an error ends with its line.
//
// The grammar contains no opcodes. Queries decide whether a name is an opcode, by lists that are generated from the machine data.

/** Precedences of tokens that match at the same place: the higher one wins, even if the other match is longer. */
const PROSE = 0, NAMED = 1, WHOLE_LINE = 2;

/** A pattern for a word in upper or lower case, because the tags of the assemblers' blocks are written in either. */
const anyCase = (/** @type {string} */ word) =>
  [...word].map((letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`).join('');

const tag = (/** @type {string} */ word, before = '<') =>
  token(prec(WHOLE_LINE, new RegExp(`${before}${anyCase(word)}[0-9]*[ \\t]*>`)));
const start = ($, /** @type {string} */ word) => seq(alias(tag(word), $.block_start), $._newline);
const end = ($, /** @type {string} */ word) => seq(alias(tag(word, '<\\/'), $.block_end), $._newline);

/** Words at the start of a line that are not opcodes. */
const keyword = ($, /** @type {number} */ precedence, /** @type {RegExp} */ words) => alias(token(prec(precedence, words)), $.keyword);

const SYMBOL = /[A-Za-z_.$][A-Za-z0-9_.$]*/;

module.exports = grammar({
  name: 'nvsass',

  extras: ($) => [/[ \t\r\f\u{feff}]/, $.comment, $.block_comment],

  // A name is a label if a colon follows, which a token of the grammar cannot check without consuming it. Inline code that
  // continues on the next line is distinguished from an address by the characters after its bracket; at the start of a
  // line, more characters count.
  externals: ($) => [$._label_name, $._first_template, $._template],

  rules: {
    source_file: ($) =>
      seq(repeat($._line), repeat($.block), repeat(choice($.section, $.function, $.image))),

    // --- the parts of a listing --------------------------------------------------------------------------------

    // nvdisasm and CuAssembler: from one line of dashes with a name to the next.
    section: ($) => seq($.section_separator, $._newline, repeat($._line), repeat($.block)),
    // cuobjdump: `code for sm_90`, and each `Function : name` under it.
    image: ($) => seq($.image_header, $._newline, repeat($._line), repeat($.block)),
    image_header: ($) => seq(keyword($, WHOLE_LINE, /code[ \t]+for/), field('target', $.target)),
    target: (_) => /[a-z]+_[A-Za-z0-9_]+/,
    function: ($) => seq($.function_header, $._newline, repeat($._line), repeat($.block)),
    function_header: ($) =>
      seq(keyword($, NAMED, /Function[ \t]*:?/), field('name', $.function_name)),
    // A demangled name has spaces in it.
    function_name: (_) => token(prec(WHOLE_LINE, /[^\s:][^\r\n]*/)),
    // From a label to the next.
    block: ($) => prec.right(seq($.label, repeat($._line))),
    label: ($) => seq(field('name', alias($._label_name, $.symbol)), token.immediate(':')),

    _line: ($) =>
      choice(
        $._newline,
        seq(choice($.instruction, $.directive, $._remark), $._newline),
        $.schedule_block,
        $.ordered_block,
        $.mapping_block,
        $.code_block,
        $.comment_block,
        seq($.include, $._newline),
      ),

    _remark: ($) =>
      choice($.encoding, $.source_location, $.life_ranges, $.rule, $.property, $.resource_usage, $.prose, alias($._first_template, $.template)),

    // --- an instruction ----------------------------------------------------------------------------------------

    instruction: ($) =>
      seq(
        optional(field('control', choice($.control, $.kepler_control))),
        optional(field('address', $.address)),
        optional('{'),
        optional(field('guard', $.guard)),
        field('opcode', choice($.opcode, alias($._template, $.template))),
        repeat(field('modifier', $.modifier)),
        optional(field('operands', $.operands)),
        optional(field('annotations', $.annotations)),
        optional(';'),
        optional('}'),
        optional(field('encoding', $.encoding)),
        optional($.life_ranges),
      ),

    address: (_) => token(prec(NAMED, /\/\*[0-9A-Fa-f]+\*\//)),
    encoding: (_) => token(prec(NAMED, /\/\*[ \t]*0x[0-9A-Fa-f]+[ \t]*\*\//)),

    // maxas, TuringAs: wait:read:write:yield:stall. CuAssembler: the same in brackets, each field with its letter.
    control: ($) =>
      choice(
        seq(
          field('wait', alias(/[0-9\-][0-9A-Fa-f\-]/, $.wait_mask)),
          token.immediate(':'),
          field('read', alias(token.immediate(/[0-9\-]/), $.barrier_index)),
          token.immediate(':'),
          field('write', alias(token.immediate(/[0-9\-]/), $.barrier_index)),
          token.immediate(':'),
          field('yield', alias(token.immediate(/[Yy\-]/), $.yield_flag)),
          token.immediate(':'),
          field('stall', alias(token.immediate(/[0-9A-Fa-f\-]/), $.stall_count)),
        ),
        seq(
          '[',
          optional(seq(field('reuse', alias(token.immediate(/[\-R]{4}[\-R]?/), $.reuse_flags)), token.immediate(':'))),
          field('wait', alias(token.immediate(/B[0-9\-]{6}/), $.wait_mask)),
          token.immediate(':'),
          field('read', alias(token.immediate(/R[0-9\-]/), $.barrier_index)),
          token.immediate(':'),
          field('write', alias(token.immediate(/W[0-9\-]/), $.barrier_index)),
          token.immediate(':'),
          field('yield', alias(token.immediate(/[Yy\-]/), $.yield_flag)),
          token.immediate(':'),
          field('stall', alias(token.immediate(/S[0-9]{2}/), $.stall_count)),
          token.immediate(']'),
        ),
      ),
    // KeplerAs: texture:global:dual:shared:stall.
    kepler_control: ($) =>
      seq(
        field('flags', alias(token(prec(WHOLE_LINE, /[T\-]:[G\-]:[D\-]:[S\-]:/)), $.wait_mask)),
        field('stall', alias(token.immediate(/[0-9]{2}/), $.stall_count)),
      ),

    guard: ($) => seq('@', optional('!'), choice($.predicate, $.uniform_predicate, $.identifier, alias($._template, $.template))),
    opcode: (_) => /[A-Z][A-Z0-9_]*/,
    modifier: ($) =>
      choice(
        token.immediate(/\.[A-Za-z0-9_?]+/),
        seq(token.immediate('.'), alias($._template, $.template)),
      ),

    // Commas may be missing (`BRX R2 -0x6e0`), or doubled while the user types.
    operands: ($) => repeat1(choice($._operand, ',')),
    _operand: ($) => seq(repeat($._sign), $._plain_operand, repeat($.modifier)),
    _sign: ($) => alias(choice('-', '+', '!', '~'), $.operator),
    _plain_operand: ($) =>
      choice(
        $.register,
        $.uniform_register,
        $.predicate,
        $.uniform_predicate,
        $.barrier,
        $.special_register,
        $.number,
        $.float,
        $.shape,
        $.scaled_number,
        $.symbol_reference,
        $.branch_targets,
        $.scoreboard_set,
        $.absolute,
        $.reference,
        $.indexes,
        $.group,
        prec.right(seq(alias($._template, $.template), optional(alias($._scale, $.scaled_number)))),
      ),

    register: (_) => /R([0-9]+|Z)/,
    uniform_register: (_) => /UR([0-9]+|Z)/,
    predicate: (_) => /P([0-9]|T)/,
    uniform_predicate: (_) => /UP([0-9]|T)/,
    // Convergence barriers, scoreboards, and those of asynchronous groups.
    barrier: (_) => /B[0-9]+|SB[0-9]+|gsb[0-9]+/,
    special_register: (_) => /SR_[A-Za-z0-9_]+|SRZ/,
    number: (_) => /0[xX][0-9A-Fa-f]+|[0-9]+/,
    float: (_) => /([0-9]+\.[0-9]*|[0-9]*\.[0-9]+)([eE][+\-]?[0-9]+)?|[0-9]+[eE][+\-]?[0-9]+|[+\-]?(INF|[QS]?NAN)/,
    // The shape of a texture: `2D`.
    shape: (_) => /[1-3]D/,
    // maxas: `4x<...>` is four times a Perl expression. Inline code may compute the factor.
    scaled_number: (_) => /[0-9]+x<[^>\r\n]*>/,
    _scale: (_) => token.immediate(/x<[^>\r\n]*>/),

    symbol_reference: ($) =>
      choice(
        seq('`(', repeat1($._symbol_term), ')'),
        seq($.relocation, '(', repeat1($._symbol_term), ')'),
      ),
    // `32@lo((f + .L_x_0@srel))`
    _symbol_term: ($) =>
      choice(
        field('symbol', $.symbol),
        $.attribute,
        $.number,
        alias(choice('-', '+'), $.operator),
        seq('(', repeat1($._symbol_term), ')'),
      ),
    relocation: (_) => /[0-9a-z]+@(hi|lo|fdesc)/,
    symbol: (_) => SYMBOL,
    branch_targets: ($) => seq('(*"', /[A-Z_]+/, repeat(choice(field('symbol', $.symbol), ',', $.number)), '"*)'),
    scoreboard_set: ($) => seq('{', repeat(choice($.number, ',')), '}'),
    absolute: ($) => seq('|', repeat($._sign), choice($.register, $.uniform_register, $.reference, $.float), repeat($.modifier), '|'),
    // A name that the source defines, or a memory space or a bank with its indexes: `tid`, `c[0x0][0x28]`.
    reference: ($) => prec.right(seq(field('name', $.identifier), optional($.indexes))),
    indexes: ($) => prec.right(repeat1($.index)),
    index: ($) => seq('[', repeat(choice($._operand, ',')), ']'),
    group: ($) => seq('(', repeat(choice($._operand, ',')), ')'),
    identifier: (_) => /[A-Za-z_$][A-Za-z0-9_$]*/,

    // nvdisasm 12.8 prints the control codes of sm_120 as annotations.
    annotations: ($) =>
      seq(choice($.scoreboard_annotation, $.issue_annotation), repeat(choice($.scoreboard_annotation, $.issue_annotation, $.branch_targets))),
    scoreboard_annotation: (_) => /&[a-z]+=(\{[0-9,]*\}|0x[0-9a-f]+)/,
    issue_annotation: (_) => /\?[A-Za-z][A-Za-z0-9_]*/,

    // --- directives --------------------------------------------------------------------------------------------

    directive: ($) =>
      seq(
        optional(field('address', $.address)),
        field('name', $.directive_name),
        repeat($._directive_argument),
        optional($.life_ranges),
      ),
    directive_name: (_) => /\.[A-Za-z_][A-Za-z0-9_]*/,
    _directive_argument: ($) =>
      choice($.string, $.number, $.symbol, $.attribute, alias(choice('-', '+', '='), $.operator), ',', '(', ')', '[', ']'),
    // `@function`, `@progbits`, `@"SHF_BARRIERS=1"`, and the suffix of a symbol: `.L_x_4@srel`, `index@(f)`.
    attribute: ($) => prec.right(seq('@', optional(choice($.string, token.immediate(/[A-Za-z_]+/))))),
    string: (_) => /"[^"\r\n]*"/,

    // --- whole lines of other kinds ----------------------------------------------------------------------------

    section_separator: (_) =>
      token(prec(WHOLE_LINE, /\/\/ ?----------------+[ \t]+([^\s\-][^\s]*[ \t]+)?----------------+[^\r\n]*/)),
    source_location: ($) =>
      seq(
        keyword($, WHOLE_LINE, /\/\/##[ \t]*File/),
        field('file', $.string),
        ',',
        alias('line', $.keyword),
        field('line', $.number),
        optional(
          seq(
            alias('inlined', $.keyword),
            alias('at', $.keyword),
            field('file', $.string),
            ',',
            alias('line', $.keyword),
            field('line', $.number),
          ),
        ),
        optional($.life_ranges),
      ),
    // The table that `nvdisasm -plr` draws to the right of the listing.
    life_ranges: (_) => token(prec(NAMED, /\/\/ (\||\+-)[^\r\n]*/)),
    rule: (_) => token(prec(WHOLE_LINE, /\.\.\.\.\.+|====+/)),
    property: (_) =>
      token(prec(NAMED, /(Fatbin[ \t][^\r\n]*|(arch|code version|host|producer|compile_size|identifier|ptxasOptions)[ \t]*=[^\r\n]*)/)),
    resource_usage: (_) => token(prec(NAMED, /[A-Z]+(\[[0-9]+\])?:[0-9][^\r\n]*/)),
    prose: (_) => token(prec(PROSE, /[A-Z]?[a-z][^\r\n]*/)),

    // --- the assemblers' blocks --------------------------------------------------------------------------------

    schedule_block: ($) => seq(start($, 'SCHEDULE_BLOCK'), repeat($._inner_line), end($, 'SCHEDULE_BLOCK')),
    ordered_block: ($) => seq(start($, 'ORDERED'), repeat($._inner_line), end($, 'ORDERED')),
    _inner_line: ($) => choice($._line, $.label),

    mapping_block: ($) =>
      choice(
        ...['REGISTER_MAPPING', 'CONSTANT_MAPPING', 'PARAMS', 'REGS', 'CONSTS', 'SMEM'].map((name) =>
          seq(
            start($, name),
            repeat(choice($._newline, seq(choice($.mapping, alias($._first_template, $.template)), $._newline))),
            end($, name),
          ),
        ),
      ),
    // `0-3, 8 : name, name<0-3>`: fixed with `:`, found by the assembler with `~`, shared with `=`.
    mapping: ($) =>
      seq(
        field('left', repeat1($._mapped)),
        optional(seq(field('how', alias(choice(':', '~', '='), $.operator)), field('right', repeat($._mapped)))),
      ),
    _mapped: ($) =>
      choice(
        $.number,
        $.register,
        $.scaled_number,
        $.expression,
        seq(alias($.mapped_name, $.identifier), optional($.indexes)),
        alias(choice('-', '+', '*'), $.operator),
        ',',
      ),
    // A number that the assembler computes: `(128*16 + 32)`.
    expression: (_) => /\([^\r\n#\/]*\)/,
    mapped_name: (_) => /[A-Za-z_$][A-Za-z0-9_$]*(<[^>\r\n]*>[A-Za-z0-9_$]*)*/,

    // Perl or Python code, which is not parsed.
    code_block: ($) => seq(start($, 'CODE'), optional($.code), end($, 'CODE')),
    comment_block: ($) => seq(start($, 'COMMENT'), optional($.code), end($, 'COMMENT')),
    code: ($) => repeat1(choice($._newline, $._raw_line)),
    _raw_line: (_) => token(prec(NAMED, /[^\s][^\r\n]*/)),
    include: (_) => token(prec(WHOLE_LINE, new RegExp(`<${anyCase('INCLUDE')}[^>\\r\\n]*>`))),

    // --- comments ----------------------------------------------------------------------------------------------

    comment: (_) => /\/\/[^\r\n]*|#[^\r\n]*/,
    block_comment: (_) => /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//,
    _newline: (_) => /\r?\n/,
  },
});
