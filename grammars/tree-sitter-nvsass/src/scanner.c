// Tokens that need more than one character of lookahead: names of labels, and inline code of maxas.
//
// A label's name is a word at the start of a line, directly followed by a colon. The `T` of a KeplerAs control code
// (`T:-:D:S:00`) is not a label, and neither is a word before a count (`REG:18`).
//
// Inline code is `[+ ... +]` or `[- ... -]`, usually on several lines. `[-R2` and `[+0x4` are parts of an address, and `[----:B`
// begins a control code. Therefore, code may continue on the next line only if a blank or the end of the line follows its opening.
// Code at the start of a line may also begin with a lowercase letter. Code that is not closed extends to the last line break.

#include "tree_sitter/parser.h"

enum TokenType { LABEL_NAME, FIRST_TEMPLATE, TEMPLATE };

static bool is_letter(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

void *tree_sitter_nvsass_external_scanner_create(void) { return 0; }

void tree_sitter_nvsass_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_nvsass_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_nvsass_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

static bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

static bool scan_template(TSLexer *lexer, bool is_first) {
  lexer->advance(lexer, false);
  int32_t sign = lexer->lookahead;
  if (sign != '+' && sign != '-') return false;
  lexer->advance(lexer, false);
  int32_t opening = lexer->lookahead;
  bool may_go_on = is_blank(opening) || opening == '\n' || (is_first && opening >= 'a' && opening <= 'z');
  int32_t last = 0;
  for (bool is_inside = false; !lexer->eof(lexer); is_inside = true) {
    int32_t c = lexer->lookahead;
    if (c == '\n') {
      if (!may_go_on) return false;
      lexer->mark_end(lexer);
    }
    lexer->advance(lexer, false);
    if (c == ']' && last == sign) {
      lexer->mark_end(lexer);
      return true;
    }
    last = is_inside ? c : 0;
  }
  return may_go_on;
}

bool tree_sitter_nvsass_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols) {
  (void)payload;
  while (is_blank(lexer->lookahead)) {
    lexer->advance(lexer, true);
  }
  bool is_first = valid_symbols[FIRST_TEMPLATE];
  if (lexer->lookahead == '[' && (is_first || valid_symbols[TEMPLATE])) {
    lexer->result_symbol = is_first ? FIRST_TEMPLATE : TEMPLATE;
    return scan_template(lexer, is_first);
  }
  if (!valid_symbols[LABEL_NAME] || !is_letter(lexer->lookahead)) return false;
  bool is_texture_flag = lexer->lookahead == 'T';
  unsigned length = 0;
  int32_t last = 0;
  // Names that CuAssembler creates contain `.#`. After any other character, `#` begins a comment.
  while (is_letter(lexer->lookahead) || is_digit(lexer->lookahead) || lexer->lookahead == '@' ||
         (lexer->lookahead == '#' && last == '.')) {
    last = lexer->lookahead;
    lexer->advance(lexer, false);
    length++;
  }
  lexer->mark_end(lexer);
  if (lexer->lookahead != ':') return false;
  lexer->advance(lexer, false);
  if (is_digit(lexer->lookahead)) return false;
  if (is_texture_flag && length == 1 && (lexer->lookahead == 'G' || lexer->lookahead == '-')) return false;
  lexer->result_symbol = LABEL_NAME;
  return true;
}
