/**
 * The index of all items of the device, in memory. It is built and changed in small pieces and searched at each key; a search reads a few
 * tokens of each segment, not all items (decision 105).
 */
import type { SearchItem } from '#patterns/search-source.ts'
import { type Rank, rankFields, toSearchFields } from '#features/search/matching/rank.ts'
import { parseSearchQuery, type SearchQuery } from '#features/search/matching/query.ts'
import {
  buildSegment,
  findLowerBound,
  findSubstrings,
  getEntryIndex,
  type IndexEntry,
  maxSegmentEntries,
  maxTokenLength,
  type Segment,
  type TokenKind,
  tokenKinds,
} from '#features/search/index/segment.ts'

export interface SearchHit {
  item: SearchItem
  rank: Rank
}

export type ItemIndex = ReturnType<typeof createItemIndex>

export function createItemIndex() {
  /** Full segments. The last entries are in `openEntries`, whose segment is built when it is searched. */
  let sealedSegments: Segment[] = []
  let openEntries: IndexEntry[] = []
  let openSegment: Segment | null = null
  const entriesByRow = new Map<string, readonly IndexEntry[]>()
  const suggestedEntries = new Set<IndexEntry>()

  function add(entry: IndexEntry) {
    openEntries.push(entry)
    openSegment = null
    if (openEntries.length < maxSegmentEntries) return
    sealedSegments.push(buildSegment(openEntries))
    openEntries = []
  }

  function deleteRow(rowKey: string) {
    for (const entry of entriesByRow.get(rowKey) ?? []) {
      entry.isDeleted = true
      suggestedEntries.delete(entry)
    }
    entriesByRow.delete(rowKey)
  }

  return {
    /** Replaces the items of a row. Without items the row is removed. */
    put(rowKey: string, items: readonly SearchItem[]): void {
      deleteRow(rowKey)
      if (items.length === 0) return
      const entries = items.map((item): IndexEntry => ({ item, fields: toSearchFields(item), isDeleted: false }))
      entriesByRow.set(rowKey, entries)
      for (const entry of entries) {
        add(entry)
        if (entry.item.isSuggested) suggestedEntries.add(entry)
      }
    },
    listSuggestedItems: (): SearchItem[] => [...suggestedEntries].map(({ item }) => item),
    /** Returns the keys of all rows, for finding those that no longer exist. */
    listRowKeys: (): string[] => [...entriesByRow.keys()],
    getItems: (rowKey: string): SearchItem[] => (entriesByRow.get(rowKey) ?? []).map(({ item }) => item),
    getSize: (): number => entriesByRow.size,
    /** Rebuilds the segments of which more than half is deleted. The caller may pause after each. */
    *compact(): Generator<void> {
      for (const segment of sealedSegments) {
        const currentEntries = segment.entries.filter(({ isDeleted }) => !isDeleted)
        if (currentEntries.length > segment.entries.length / 2) continue
        sealedSegments = sealedSegments.filter((other) => other !== segment)
        for (const entry of currentEntries) add(entry)
        yield
      }
    },
    /** Searches piece by piece: the caller runs the generator, and may pause at each `yield`. Returns at most `maxHits`, best first. */
    *search(text: string, maxHits: number): Generator<void, SearchHit[]> {
      const query = parseSearchQuery(text)
      if (query.terms.length === 0) return []
      openSegment ??= openEntries.length > 0 ? buildSegment(openEntries) : null
      const segments = openSegment ? [...sealedSegments, openSegment] : [...sealedSegments]
      return yield* searchSegments(segments, query, maxHits)
    },
  }
}

/** Maximum number of items with all terms that are ranked. Of more items, those that were indexed first are ranked. */
const maxRankedItems = 500

function* searchSegments(
  segments: readonly Segment[],
  query: SearchQuery,
  maxHits: number,
): Generator<void, SearchHit[]> {
  const hits = new Map<string, SearchHit>()
  const addHit = (entry: IndexEntry) => {
    const rank = entry.isDeleted || hits.has(entry.item.key) ? null : rankFields(entry.fields, query)
    if (rank !== null) hits.set(entry.item.key, { item: entry.item, rank })
  }
  for (const kind of tokenKinds) {
    for (const entry of yield* findFirstEntries(segments, kind, { query, maxEntries: maxHits })) addHit(entry)
    if (hits.size >= maxHits) break
  }
  // The tokens above start with the complete phrase. Of several terms, each may start a word.
  const terms = query.terms.length > 1 ? sortByFrequency(segments, query.terms) : query.terms
  const maxItems = terms.length > 1 ? maxRankedItems : maxHits
  for (const segment of terms.length > 1 ? segments : []) {
    if (hits.size >= maxItems) break
    for (const entry of findEntriesWithTokens(segment, terms)) addHit(entry)
    yield
  }
  for (const segment of segments) {
    if (hits.size >= maxHits) break
    findSubstrings(segment, terms, (entry) => {
      addHit(entry)
      return hits.size < maxHits
    })
    yield
  }
  return [...hits.values()].sort(compareHits).slice(0, maxHits)
}

/** Of equally good matches the shorter label comes first, because more of it was typed. */
export const compareHits = (a: SearchHit, b: SearchHit): number =>
  a.rank - b.rank ||
  a.item.label.length - b.item.label.length ||
  compareTexts(a.item.label, b.item.label) ||
  compareTexts(a.item.key, b.item.key)

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts terms by the number of their tokens, so that the other terms are tested for few items only. */
function sortByFrequency(segments: readonly Segment[], terms: readonly string[]): string[] {
  const countTokens = (term: string) =>
    segments.reduce(
      (sum, segment) =>
        sum + tokenKinds.reduce((kindSum, kind) => kindSum + countTokensOf(segment[kind], getTokenPrefix(term)), 0),
      0,
    )
  return (
    terms
      .map((term) => ({ term, count: countTokens(term) }))
      // A term without tokens is a part of words: the longest of them is probably the rarest.
      .toSorted((a, b) => a.count - b.count || b.term.length - a.term.length)
      .map(({ term }) => term)
  )
}

const getTokenPrefix = (term: string) => term.slice(0, maxTokenLength)

/** Larger than every character of a token. */
const lastCharacter = '\uffff'

const countTokensOf = (tokens: readonly string[], prefix: string) =>
  findLowerBound(tokens, prefix + lastCharacter) - findLowerBound(tokens, prefix)

/** Returns the entries that have a token for each term. */
function findEntriesWithTokens(segment: Segment, terms: readonly string[]): IndexEntry[] {
  /** For each entry one bit per term. */
  const marks = new Uint8Array(segment.entries.length)
  for (const [termIndex, term] of terms.entries()) {
    const prefix = getTokenPrefix(term)
    for (const kind of tokenKinds) {
      const tokens = segment[kind]
      for (let index = findLowerBound(tokens, prefix); tokens[index]?.startsWith(prefix); index++) {
        const entryIndex = getEntryIndex(tokens[index] as string)
        marks[entryIndex] = (marks[entryIndex] as number) | (1 << termIndex)
      }
    }
    if (!marks.some((mark) => mark >> termIndex)) return []
  }
  const allTerms = (1 << terms.length) - 1
  return segment.entries.filter((_, entryIndex) => marks[entryIndex] === allTerms)
}

interface TokenSearch {
  query: SearchQuery
  maxEntries: number
}

/** Returns the entries of the first tokens that start with the phrase, in the order of all tokens. So it does not depend on the segments. */
function* findFirstEntries(
  segments: readonly Segment[],
  kind: TokenKind,
  { query, maxEntries }: TokenSearch,
): Generator<void, IndexEntry[]> {
  const prefix = getTokenPrefix(query.phrase)
  /** The first tokens so far, sorted. */
  const firstTokens: string[] = []
  const firstEntries: IndexEntry[] = []
  for (const { entries, [kind]: tokens } of segments) {
    for (let index = findLowerBound(tokens, prefix); index < tokens.length; index++) {
      const token = tokens[index] as string
      const isFull = firstTokens.length >= maxEntries
      if (!token.startsWith(prefix) || (isFull && token >= (firstTokens.at(-1) as string))) break
      const entry = entries[getEntryIndex(token)]
      if (!entry || entry.isDeleted || firstEntries.some(({ item }) => item.key === entry.item.key)) continue
      if (rankFields(entry.fields, query) === null) continue
      const position = findLowerBound(firstTokens, token)
      firstTokens.splice(position, 0, token)
      firstEntries.splice(position, 0, entry)
      if (isFull) {
        firstTokens.pop()
        firstEntries.pop()
      }
    }
    yield
  }
  return firstEntries
}
