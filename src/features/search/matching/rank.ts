import type { SearchItem } from '#patterns/search-source.ts'
import { isWordStart, normaliseSearchText, type SearchQuery } from '#features/search/matching/query.ts'
import { hasHan, toPinyinKeys } from '#features/search/matching/pinyin.ts'

/** How well an item matches, the best first. */
export const ranks = { exact: 0, prefix: 1, wordStart: 2, substring: 3, pinyin: 4, pinyinPart: 5 } as const
export type Rank = (typeof ranks)[keyof typeof ranks]

/** Normalised texts of an item. The label comes first. */
export interface SearchFields {
  texts: readonly string[]
  /** The first texts, the label and the codes, identify the item. */
  codeCount: number
  pinyinKeys: readonly string[]
}

export function toSearchFields({ label, codes, detail, otherTexts = [] }: SearchItem): SearchFields {
  const identifyingTexts = normaliseAll([label, ...codes])
  const allTexts = normaliseAll([label, ...codes, detail, ...otherTexts])
  const pinyinKeys = [label, detail].flatMap((text) => (hasHan(text) ? toPinyinKeys(text) : []))
  return { texts: allTexts, codeCount: identifyingTexts.length, pinyinKeys }
}

const normaliseAll = (texts: readonly string[]) =>
  [...new Set(texts.map(normaliseSearchText))].filter((text) => text !== '')

/** Returns how well an item matches: every term must match. The rank is that of the phrase or of the worst term. Null if one is missing. */
export function rankFields(fields: SearchFields, { terms, phrase }: SearchQuery): Rank | null {
  let worstRank: Rank = ranks.exact
  for (const term of terms) {
    const rank = rankTerm(fields, term)
    if (rank === null) return null
    if (rank > worstRank) worstRank = rank
  }
  if (terms.length === 1) return worstRank
  const phraseRank = rankTerm(fields, phrase)
  // Terms that each equal a code do not make the item the exact one.
  const termsRank = Math.max(worstRank, ranks.prefix) as Rank
  return phraseRank !== null && phraseRank < termsRank ? phraseRank : termsRank
}

function rankTerm({ texts, codeCount, pinyinKeys }: SearchFields, term: string): Rank | null {
  let bestRank: Rank | null = null
  // An index loop: this runs for hundreds of items per key.
  for (let index = 0; index < texts.length; index++) {
    const rank = rankText(texts[index] as string, term, index < codeCount)
    if (rank === ranks.exact) return rank
    if (rank !== null && (bestRank === null || rank < bestRank)) bestRank = rank
  }
  return bestRank ?? rankPinyin(pinyinKeys, term)
}

function rankText(text: string, term: string, isCode: boolean): Rank | null {
  let index = text.indexOf(term)
  if (index < 0) return null
  if (index === 0) return isCode && text.length === term.length ? ranks.exact : ranks.prefix
  for (; index >= 0; index = text.indexOf(term, index + 1)) if (isWordStart(text, index)) return ranks.wordStart
  return ranks.substring
}

function rankPinyin(pinyinKeys: readonly string[], term: string): Rank | null {
  let bestRank: Rank | null = null
  for (const pinyinKey of pinyinKeys) {
    if (pinyinKey.startsWith(term)) return ranks.pinyin
    if (pinyinKey.includes(term)) bestRank = ranks.pinyinPart
  }
  return bestRank
}
