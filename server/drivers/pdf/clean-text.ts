/** Prepares texts of users for a PDF. They may contain anything. */

/** Characters that take no space or change the direction: they would hide or reorder text. */
const invisible =
  /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Returns the text on one line: line breaks and tabs become spaces, invisible characters are removed, and halves of a surrogate pair become
 * U+FFFD.
 */
export const cleanText = (text: string): string =>
  text.toWellFormed().replace(/\s+/gu, ' ').replace(invisible, '').normalize('NFC').trim()

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the characters as a reader sees them. Of several combining marks on a letter only the first is kept; more would cover other lines. */
export const splitCharacters = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment.replace(/(\p{Mn})\p{Mn}+/gu, '$1'))
