/** Normalises texts for the search, and splits what a user typed into terms. */

/** Longest text that is searched for, in characters. */
export const maxQueryLength = 100
/** Maximum number of terms. Further terms are ignored. */
const maxTerms = 6

/** Printable ASCII without the apostrophe. */
const asciiPattern = /^[ -&(-~]*$/

/**
 * Converts to lower case without accents and in one width, so that "José" is found by "jose" and full-width letters by plain ones. Removes
 * apostrophes, which an input method writes between syllables (`huan'qiu`).
 */
export const normaliseSearchText = (text: string): string =>
  asciiPattern.test(text)
    ? text.toLowerCase().trim()
    : text
        .normalize('NFKD')
        .replaceAll(/[\p{M}'’]/gu, '')
        .normalize('NFKC')
        .toLowerCase()
        .trim()

export interface SearchQuery {
  terms: readonly string[]
  /** All terms with single spaces between them. */
  phrase: string
}

/** Removes characters that would change the text around them when it is displayed in a sentence. */
export const toDisplayedText = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim()

export function parseSearchQuery(text: string): SearchQuery {
  const characters = text.slice(0, maxQueryLength)
  const terms = normaliseSearchText(characters.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' '))
    .split(/\s+/)
    .filter((term) => term !== '')
    .slice(0, maxTerms)
  return { terms, phrase: terms.join(' ') }
}

const wordPattern = /[\p{L}\p{N}]+/gu
/** Maximum number of words of a text that can be found by their beginnings. */
const maxWords = 8

/** Returns the positions at which the second and later words of a normalised text start. */
export function findWordStarts(text: string): number[] {
  const starts: number[] = []
  for (const { index } of text.matchAll(wordPattern)) {
    if (index > 0) starts.push(index)
    if (starts.length >= maxWords) break
  }
  return starts
}

const letterPattern = /[\p{L}\p{N}]/u
const asciiLetterPattern = /[a-z0-9]/
const isLetter = (character: string) =>
  character <= '~' ? asciiLetterPattern.test(character) : letterPattern.test(character)

export const isWordStart = (text: string, index: number): boolean => index === 0 || !isLetter(text.charAt(index - 1))
