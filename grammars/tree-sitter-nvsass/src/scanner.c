// The name of a label: a word at the start of a line with a colon right behind it.
//
// Not one is `T` of a KeplerAs control code (`T:-:D:S:00`), nor what stands before a count (`REG:18`).

#include "tree_sitter/parser.h"

enum TokenType { LABEL_NAME };

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

bool tree_sitter_nvsass_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols) {
  (void)payload;
  if (!valid_symbols[LABEL_NAME]) return false;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r') {
    lexer->advance(lexer, true);
  }
  if (!is_letter(lexer->lookahead)) return false;
  bool is_texture_flag = lexer->lookahead == 'T';
  unsigned length = 0;
  int32_t last = 0;
  // CuAssembler ends a name of its own with `.#`; anywhere else `#` begins a comment.
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
