/**
 * @file PTX (NVIDIA's virtual GPU assembly) as ptxas accepts it, from compilers and written by hand.
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// The grammar contains no types or modifiers. Its only opcodes are those whose operands name labels and functions: jumps and
// calls. Every other word is recognised by its place and form, so that PTX of any version is parsed. Queries decide whether a
// word is an opcode, by lists that are generated from the machine data. The grammar names a directive only if its arguments have
// a special form.

/** Precedences as in C. The operators that bind most tightly come last. */
const TERNARY = 1, BINARY = 2, UNARY = 12, POSTFIX = 13;
const OPERATORS = [['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '<=', '>', '>='], ['<<', '>>'], ['+', '-'], ['*', '/', '%']];

const separated = (rule) => optional(separated1(rule));
const separated1 = (rule) => seq(rule, repeat(seq(',', rule)));

const one = (/** @type {string[]} */ words) => (words.length === 1 ? words[0] : choice(...words));
const name = ($) => choice($.identifier, $.register);
const label = ($) => choice(alias($.identifier, $.label_reference), $.register);
const callee = ($) => choice(alias($.identifier, $.function_reference), $.register);
/** A parameter's name, or `_` for a result that is not used or a parameter without a name. */
const parameterName = ($) => choice(name($), $.sink);
/** An opcode with its modifiers and its operands. Both may be missing. */
const of = ($, opcode, operands) =>
  seq(field('opcode', alias(opcode, $.opcode)), repeat(field('modifier', $.modifier)), optional(field('operands', operands)));
/** The name of a directive whose arguments have a rule in the grammar. */
const directive = ($, /** @type {string[]} */ ...words) => field('name', alias(one(words), $.directive_name));

module.exports = grammar({
  name: 'ptx',

  extras: ($) => [/[\s\u{feff}]/, $.comment, $.block_comment, $.line_marker, $.dwarf_line],

  // Dotted words: modifiers after an opcode, selectors after an operand, and those that no rule names. At the start of a line,
  // such a word may begin the next statement if the `;` before it is not written yet.
  externals: ($) => [$.modifier, $.selector, $._dotted, $._error_sentinel],

  word: ($) => $.identifier,

  rules: {
    source_file: ($) => repeat(choice($.function, $.variable, $.section, alias($._module_directive, $.directive), $._terminated)),

    // --- at module scope ---------------------------------------------------------------------------------------

    _module_directive: ($) =>
      choice(
        seq(directive($, '.version'), $.float),
        seq(directive($, '.target'), separated1(alias($.identifier, $.target))),
        seq(directive($, '.address_size'), $.number),
        seq(directive($, '.language'), separated1(choice($.identifier, $.string, $.number))),
        $._file,
        $._location,
      ),
    _terminated: ($) => alias(choice($._pragma, $._list_directive), $.directive),
    _pragma: ($) => seq(directive($, '.pragma'), separated1($.string), ';'),
    // `.alias a, b;`, `.branchtargets L1, L2;`
    _list_directive: ($) =>
      seq(
        choice(
          seq(directive($, '.alias', '.calltargets'), separated1(callee($))),
          seq(directive($, '.branchtargets'), separated1(label($))),
        ),
        ';',
      ),
    // `.file 1 "kernel.cu", 1700000000, 4096`
    _file: ($) => seq(directive($, '.file'), $.number, $.string, repeat(seq(',', $.number))),
    // `.loc 1 5 0, function_name $L__info_string0 + 6, inlined_at 1 7 5`
    _location: ($) =>
      seq(
        directive($, '.loc', '.loc_intermediate'),
        ...Array(3).fill($.number),
        repeat(
          seq(
            ',',
            choice(
              seq(alias('function_name', $.keyword), label($), optional(seq(alias('+', $.operator), $.number))),
              seq(alias('inlined_at', $.keyword), ...Array(3).fill($.number)),
            ),
          ),
        ),
      ),

    section: ($) =>
      seq(
        directive($, '.section'),
        field('section', alias($._dotted, $.section_name)),
        '{',
        repeat(choice($.label, $.data)),
        '}',
      ),
    // `.b8 1, 2`, `.b32 .debug_str+6`
    data: ($) => seq(alias($._dotted, $.type), separated1($._datum), optional(';')),
    _datum: ($) =>
      choice(
        $._operand,
        seq(alias($._dotted, $.section_name), optional(seq(alias(choice('+', '-'), $.operator), $.number))),
      ),

    // --- functions ---------------------------------------------------------------------------------------------

    function: ($) =>
      prec.right(
        seq(
          optional($.linkage),
          field('kind', alias(choice('.entry', '.func'), $.function_kind)),
          repeat($.attribute),
          optional(field('returns', $.parameters)),
          field('name', name($)),
          optional(field('parameters', $.parameters)),
          repeat(choice($.performance_directive, alias($._pragma, $.directive))),
          // A declaration ends with `;`, or at the start of the next item.
          optional(choice(';', field('body', $.body))),
        ),
      ),
    parameters: ($) => seq('(', separated($.parameter), ')'),
    parameter: ($) => seq($._head, field('name', parameterName($)), repeat($.dimension)),
    // `.maxntid 256, 1, 1`, `.noreturn`
    performance_directive: ($) =>
      choice(
        seq(field('name', alias($._dotted, $.directive_name)), separated(choice($.number, $.float, $.string))),
        $.attribute,
      ),

    body: ($) => seq('{', repeat($._statement), '}'),
    scope: ($) => seq('{', repeat($._statement), '}'),

    _statement: ($) =>
      choice(
        $.label,
        $.instruction,
        $.variable,
        $.scope,
        alias($._body_directive, $.directive),
        $._terminated,
        $.call_prototype,
      ),
    _body_directive: ($) => choice($._file, $._location),
    // A label may have the name of an opcode.
    label: ($) => seq(field('name', choice(name($), alias(choice('bra', 'brx', 'call'), $.identifier))), ':'),
    // `.callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
    call_prototype: ($) =>
      seq(
        directive($, '.callprototype'),
        optional(field('returns', $.parameters)),
        $.sink,
        optional(field('parameters', $.parameters)),
        repeat($.performance_directive),
        ';',
      ),

    // --- declarations ------------------------------------------------------------------------------------------

    // ptxas also accepts a declaration without names.
    variable: ($) => seq($._head, separated($.declarator), ';'),
    // `.extern .shared .align 16 .b8`, in any order.
    _head: ($) =>
      seq(
        choice($.linkage, $.space, $.alignment, $.attribute),
        repeat(choice($.linkage, $.space, $.alignment, $.attribute, $.pointer, alias($._dotted, $.type))),
      ),
    linkage: (_) => choice('.extern', '.visible', '.weak', '.common'),
    // Includes the constant banks of old PTX and the parts of a space: `.const[2]`, `.param::func`.
    space: (_) =>
      choice(
        '.reg', '.sreg', '.param', '.global', '.shared', '.local', '.const', '.tex',
        /\.const\[[0-9]{1,2}\]/,
        /\.(param|shared)::[a-z]+/,
      ),
    alignment: ($) => seq(alias('.align', $.directive_name), $.number),
    // `.ptr .global .align 16`
    pointer: ($) => prec.right(seq(alias('.ptr', $.directive_name), optional($.space), optional($.alignment))),
    // `.attribute(.managed)`, `.attribute(.unified(19, 95))`
    attribute: ($) =>
      seq(
        alias('.attribute', $.directive_name),
        '(',
        separated(seq(field('name', alias($._dotted, $.attribute_name)), optional($.list))),
        ')',
      ),
    declarator: ($) =>
      seq(
        field('name', name($)),
        optional(seq('<', field('count', $.number), '>')),
        repeat($.dimension),
        optional(seq('=', field('initialiser', $._operand))),
      ),
    dimension: ($) => seq('[', optional(choice($.number, $.identifier, $.constant)), ']'),

    // --- an instruction ----------------------------------------------------------------------------------------

    instruction: ($) =>
      seq(
        optional(field('guard', $.guard)),
        choice(
          of($, $.identifier, $.operands),
          of($, choice('bra', 'brx'), alias($._jump_operands, $.operands)),
          of($, 'call', alias($._call_operands, $.operands)),
        ),
        ';',
      ),
    _jump_operands: ($) => separated1(label($)),
    // `call (result), function, (x, y), prototype;`
    _call_operands: ($) =>
      seq(optional(seq($.list, ',')), callee($), optional(seq(',', $.list, optional(seq(',', label($)))))),
    guard: ($) => seq('@', optional('!'), name($)),
    // An operand may be missing while the user types.
    operands: ($) =>
      choice(
        seq($._operand, repeat(seq(',', optional($._operand)))),
        repeat1(seq(',', optional($._operand))),
      ),

    _operand: ($) =>
      choice(
        $._place,
        $.number,
        $.float,
        $.string,
        $.list,
        $.component,
        $.element,
        $.conversion,
        $.cast,
        $.unary_expression,
        $.binary_expression,
        $.ternary_expression,
      ),
    _place: ($) => choice($.identifier, $.register, $.sink, $.constant, $.address, $.vector),

    // `[%rd1+16]`, `[map, {%r1, %r2}]`
    address: ($) => seq('[', separated1($._operand), ']'),
    // `{%f0, %f1, _, %f3}`. An initialiser may be empty, or contain other vectors or the settings of a sampler.
    vector: ($) => seq('{', separated(choice($._operand, $.setting)), '}'),
    setting: ($) => seq(field('name', $.identifier), '=', field('value', $._operand)),
    // The results or arguments of a call, or an expression in parentheses.
    list: ($) => seq('(', separated($._operand), ')'),
    // `%tid.x`, `%r1.b0`, `[a].unified`
    component: ($) => prec(POSTFIX, seq($._place, repeat1($.selector))),
    // `array[2]`
    element: ($) => prec(POSTFIX, seq(name($), $.address)),
    // `generic(x)`, `0xff00(x)`
    conversion: ($) => prec(POSTFIX, seq(field('function', choice($.identifier, $.number)), $.list)),
    cast: ($) => prec(UNARY, seq('(', alias($._dotted, $.type), ')', $._operand)),
    unary_expression: ($) =>
      prec(UNARY, seq(alias(choice('-', '+', '!', '~'), $.operator), $._operand)),
    binary_expression: ($) =>
      choice(
        ...OPERATORS.map((operators, level) =>
          prec.left(BINARY + level, seq($._operand, alias(one(operators), $.operator), $._operand)),
        ),
      ),
    ternary_expression: ($) =>
      prec.right(
        TERNARY,
        seq($._operand, alias('?', $.operator), $._operand, alias(':', $.operator), $._operand),
      ),

    // --- words -------------------------------------------------------------------------------------------------

    identifier: (_) => /[A-Za-z_$][A-Za-z0-9_$]*/,
    sink: (_) => '_',
    constant: (_) => 'WARP_SZ',
    register: (_) => /%[A-Za-z0-9_$]+/,
    number: (_) => /0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|[0-9]+U?/,
    float: (_) =>
      token(
        choice(
          /0[fF][0-9A-Fa-f]{8}/,
          /0[dD][0-9A-Fa-f]{16}/,
          /[0-9]+\.[0-9]*([eE][+\-]?[0-9]+)?/,
          /\.[0-9]+([eE][+\-]?[0-9]+)?/,
          /[0-9]+[eE][+\-]?[0-9]+/,
        ),
      ),
    // A backslash is an ordinary character, and a string ends on its line.
    string: (_) => /"[^"\r\n]*"/,

    // --- comments and debug data -------------------------------------------------------------------------------

    comment: (_) => /\/\/[^\r\n]*/,
    block_comment: (_) => /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//,
    // `# 12 "kernel.cu"`
    line_marker: (_) => /#[^\r\n]*/,
    // The debug data of PTX before 2.0.
    dwarf_line: (_) => /@@[^\r\n]*/,
  },
});
