// Dotted words: modifiers after an opcode (`.u32`, `.mbarrier::complete_tx::bytes`), selectors after an operand (`.x`, `.b0`), and words
// that no rule of the grammar names: types, directives of a function, sections.
//
// The scanner is external because of line breaks: on a new line, a word that begins a statement is not a modifier of the previous
// instruction, whose `;` the user has not typed yet.

#include "tree_sitter/parser.h"

#include <string.h>

enum TokenType { MODIFIER, SELECTOR, DOTTED, ERROR_SENTINEL };

// Number of characters that are kept of a word. All words in the lists below are shorter.
#define LONGEST 20

// Words that rules of the grammar name.
static const char *const NAMED[] = {
    "version", "target",  "address_size", "language", "alias",  "branchtargets", "calltargets", "callprototype", "file",  "loc",
    "pragma",  "section", "extern",       "visible",  "weak",   "common",        "entry",       "func",          "align", "ptr",
    "reg",     "sreg",    "param",        "global",   "shared", "local",         "const",       "tex",           "attribute",
    "loc_intermediate",
};
// Words that begin a statement and are never modifiers. Spaces and linkages that are also modifiers are not in this list.
static const char *const BEGINNING[] = {
    "version", "target", "address_size", "file",    "loc",    "pragma",        "section",     "branchtargets",    "calltargets",
    "entry",   "func",   "reg",          "visible", "extern", "callprototype", "align",       "loc_intermediate",
};
static const char *const SELECTORS[] = {
    "x", "y", "z", "w", "r", "g", "b", "a", "b0", "b1", "b2", "b3", "h0", "h1", "unified",
};

static bool is_word(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool is_space(int32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_one_of(const char *word, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(word, words[i]) == 0) return true;
  }
  return false;
}

#define IS_ONE_OF(word, words) is_one_of(word, words, sizeof words / sizeof *words)

void *tree_sitter_ptx_external_scanner_create(void) { return 0; }

void tree_sitter_ptx_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_ptx_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_ptx_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

// Consumes a word and keeps its first `LONGEST` characters.
static void take_word(TSLexer *lexer, char *kept) {
  unsigned length = 0;
  while (is_word(lexer->lookahead)) {
    if (length < LONGEST) kept[length++] = (char)lexer->lookahead;
    lexer->advance(lexer, false);
  }
  kept[length] = 0;
}

bool tree_sitter_ptx_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols) {
  (void)payload;
  // During error recovery, the parser marks all tokens as valid.
  if (valid_symbols[ERROR_SENTINEL]) return false;
  bool is_new_line = false;
  while (is_space(lexer->lookahead)) {
    is_new_line |= lexer->lookahead == '\n' || lexer->lookahead == '\r';
    lexer->advance(lexer, true);
  }
  if (lexer->lookahead != '.') return false;
  lexer->advance(lexer, false);
  if (!is_word(lexer->lookahead)) return false;
  char word[LONGEST + 1];
  take_word(lexer, word);
  lexer->mark_end(lexer);

  if (valid_symbols[SELECTOR] && IS_ONE_OF(word, SELECTORS)) {
    lexer->result_symbol = SELECTOR;
    return true;
  }
  if (!valid_symbols[MODIFIER]) {
    lexer->result_symbol = DOTTED;
    return valid_symbols[DOTTED] && !is_digit(word[0]) && !IS_ONE_OF(word, NAMED);
  }
  lexer->result_symbol = MODIFIER;
  if (is_new_line && IS_ONE_OF(word, BEGINNING)) return false;
  while (lexer->lookahead == ':') {
    lexer->advance(lexer, false);
    // A single colon continues the word only before a number: `.sp::2:4`.
    if (lexer->lookahead == ':') {
      lexer->advance(lexer, false);
      if (!is_word(lexer->lookahead)) return true;
    } else if (!is_digit(lexer->lookahead)) {
      return true;
    }
    char part[LONGEST + 1];
    take_word(lexer, part);
    lexer->mark_end(lexer);
  }
  // A constant bank of old PTX: `.const[2]`.
  if (strcmp(word, "const") == 0 && lexer->lookahead == '[') {
    lexer->advance(lexer, false);
    if (!is_digit(lexer->lookahead)) return true;
    lexer->advance(lexer, false);
    if (is_digit(lexer->lookahead)) lexer->advance(lexer, false);
    if (lexer->lookahead != ']') return true;
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
  }
  return true;
}
