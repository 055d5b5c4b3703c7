/**
 * A part of the index with at most `maxSegmentEntries` entries. It has three sorted lists of tokens (starts of texts, starts of words,
 * readings) for binary search, and all texts in one string for matches within words. Sorting the tokens of one segment takes a few
 * milliseconds, so that the index is built without blocking a frame, and a changed row sorts only one small segment again.
 */
import { findWordStarts } from '#features/search/matching/query.ts'
import type { SearchFields } from '#features/search/matching/rank.ts'
import type { SearchItem } from '#patterns/search-source.ts'

/** Below the first surrogate, because the position of an entry is stored as one character of its tokens. */
export const maxSegmentEntries = 512

/** Longest token, in characters. Longer terms are compared with the complete text. */
export const maxTokenLength = 24

export interface IndexEntry {
  item: SearchItem
  fields: SearchFields
  isDeleted: boolean
}

export const tokenKinds = ['starts', 'words', 'readings'] as const
export type TokenKind = (typeof tokenKinds)[number]

export interface Segment extends Record<TokenKind, readonly string[]> {
  entries: readonly IndexEntry[]
  /** Texts of all entries, separated, and the position after each entry's texts. */
  text: string
  textEnds: readonly number[]
}

/** Ends the text of a token, and separates texts. It is not part of any term. */
const separator = '\u0000'

const toToken = (text: string, entryIndex: number) =>
  `${text.slice(0, maxTokenLength)}${separator}${String.fromCharCode(entryIndex)}`

export const getEntryIndex = (token: string): number => token.charCodeAt(token.length - 1)

export function buildSegment(entries: readonly IndexEntry[]): Segment {
  const starts: string[] = []
  const words: string[] = []
  const readings: string[] = []
  const textEnds: number[] = []
  const parts: string[] = []
  let length = 0
  for (const [entryIndex, { fields, isDeleted }] of entries.entries()) {
    if (!isDeleted) {
      for (const text of fields.texts) {
        starts.push(toToken(text, entryIndex))
        for (const wordStart of findWordStarts(text))
          words.push(toToken(text.slice(wordStart, wordStart + maxTokenLength), entryIndex))
      }
      for (const reading of fields.pinyinKeys) readings.push(toToken(reading, entryIndex))
      const entryText = [...fields.texts, ...fields.pinyinKeys, ''].join(separator)
      parts.push(entryText)
      length += entryText.length
    }
    textEnds.push(length)
  }
  return {
    entries,
    starts: starts.sort(),
    words: words.sort(),
    readings: readings.sort(),
    text: parts.join(''),
    textEnds,
  }
}

/** Returns the first position whose value is not below the value. */
export function findLowerBound<T extends string | number>(values: readonly T[], value: T): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] as T) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Calls `onEntry` for each entry whose texts contain all terms, in order, until it returns false. The first term should be the rarest. */
export function findSubstrings(
  { entries, text, textEnds }: Segment,
  [firstTerm = '', ...otherTerms]: readonly string[],
  onEntry: (entry: IndexEntry) => boolean,
): void {
  let position = text.indexOf(firstTerm)
  while (position >= 0) {
    const entryIndex = findLowerBound(textEnds, position + 1)
    const entry = entries[entryIndex]
    const textEnd = textEnds[entryIndex] as number
    const entryText = text.slice(textEnds[entryIndex - 1] ?? 0, textEnd)
    if (!entry || (otherTerms.every((term) => entryText.includes(term)) && !onEntry(entry))) return
    position = text.indexOf(firstTerm, textEnd)
  }
}
