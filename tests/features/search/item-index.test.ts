import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runInSlices } from '#features/search/index/run-in-slices.ts'
import { compareHits, createItemIndex, type ItemIndex } from '#features/search/index/item-index.ts'
import { maxSegmentEntries } from '#features/search/index/segment.ts'
import { rankFields, toSearchFields } from '#features/search/matching/rank.ts'
import { parseSearchQuery } from '#features/search/matching/query.ts'
import type { SearchItem } from '#patterns/search-source.ts'

const buildItem = (key: string, label: string, fields: Partial<SearchItem> = {}): SearchItem => ({
  key,
  group: 'find',
  icon: 'person',
  label,
  detail: '',
  codes: [],
  ...fields,
})

function runToEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

const search = (index: ItemIndex, text: string, maxHits = 10) =>
  runToEnd(index.search(text, maxHits)).map(({ item }) => item.key)

function buildIndex(labels: readonly string[]) {
  const index = createItemIndex()
  for (const [id, label] of labels.entries()) index.put(`row ${id}`, [buildItem(`row ${id}`, label)])
  return index
}

describe('the search index', () => {
  it('returns exact codes first, then starts, starts of words and parts of words, the shorter label first', () => {
    const index = buildIndex(['a hr b', 'xhrx', 'hr manual', 'hr', 'hr book'])
    expect(search(index, 'hr')).toEqual(['row 3', 'row 4', 'row 2', 'row 0', 'row 1'])
  })

  it('returns the best hits of many, independent of the order in which they were added', () => {
    const labels = Array.from({ length: 3 * maxSegmentEntries }, (_, id) => `user ${String(id).padStart(5, '0')}`)
    labels.push('user')
    const expectedLabels = ['user', 'user 00000', 'user 00001', 'user 00002']
    for (const order of [labels, labels.toReversed()]) {
      const index = buildIndex(order)
      expect(runToEnd(index.search('user', 4)).map(({ item }) => item.label)).toEqual(expectedLabels)
    }
  })

  it('follows changed, added and removed rows', () => {
    const index = buildIndex(['Ada Wong', 'Ben Li'])
    index.put('row 0', [buildItem('row 0', 'Ada Chan')])
    expect(search(index, 'wong')).toEqual([])
    expect(search(index, 'chan')).toEqual(['row 0'])
    index.put('row 2', [buildItem('row 2', 'Cy Chan')])
    expect(search(index, 'chan')).toEqual(['row 2', 'row 0'])
    index.put('row 0', [])
    expect(search(index, 'chan')).toEqual(['row 2'])
    expect(index.getSize()).toBe(2)
  })

  it('releases deleted rows, and still has all others', () => {
    const count = 4 * maxSegmentEntries
    const index = buildIndex(Array.from({ length: count }, (_, id) => `user ${id}`))
    for (let id = 0; id < count; id++) if (id % 4 !== 0) index.put(`row ${id}`, [])
    expect([...index.compact()].length).toBe(4)
    expect(search(index, 'user', count)).toHaveLength(count / 4)
    expect([...index.compact()]).toEqual([])
  })

  it('returns an item once if several rows have it', () => {
    const index = createItemIndex()
    for (let id = 0; id < 30; id++)
      index.put(`service ${id}`, [buildItem('customer 7', 'Acme'), buildItem(`service ${id}`, `acme${id}`)])
    index.put('service 29', [])
    expect(search(index, 'acme', 10).filter((key) => key === 'customer 7')).toHaveLength(1)
    expect(search(index, 'acme', 10)).toHaveLength(10)
  })

  it('lists the items that are offered before the user types, as long as their rows exist', () => {
    const index = createItemIndex()
    index.put('row 1', [buildItem('pay 1', 'Pay', { isSuggested: true }), buildItem('row 1', 'acme')])
    expect(index.listSuggestedItems().map(({ key }) => key)).toEqual(['pay 1'])
    index.put('row 1', [buildItem('row 1', 'acme')])
    expect(index.listSuggestedItems()).toEqual([])
  })

  it.each(['', '   ', '\u0000', '\uffff', '.*', '\\', '🙂', 'x'.repeat(5_000)])('accepts the text %j', (text) => {
    const index = buildIndex(['Ada .* \\ 🙂', '\u0000x'])
    expect(() => search(index, text)).not.toThrow()
  })

  it('returns the same items as a comparison of every item, in the same order', () => {
    const word = fc.stringMatching(/^[ab环]{1,3}$/)
    const label = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(
        fc.array(label, { maxLength: 30 }),
        fc.array(word, { minLength: 1, maxLength: 2 }),
        (labels, words) => {
          const text = words.join(' ')
          const expectedHits = labels
            .flatMap((itemLabel, id) => {
              const item = buildItem(`row ${id}`, itemLabel)
              const rank = rankFields(toSearchFields(item), parseSearchQuery(text))
              return rank === null ? [] : [{ item, rank }]
            })
            .sort(compareHits)
          expect(runToEnd(buildIndex(labels).search(text, 100))).toEqual(expectedHits)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a search in slices', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('returns a short search immediately, and a cancelled one never', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const results: string[] = []
    runInSlices(
      (function* () {
        yield
        return 'short'
      })(),
      (result) => results.push(result),
    )
    expect(results).toEqual(['short'])
    let pauseCount = 0
    const endless = (function* (): Generator<void, string> {
      for (;;) {
        pauseCount++
        now += 5
        yield
      }
    })()
    const cancel = runInSlices(endless, (result) => results.push(result))
    cancel()
    const countAtCancel = pauseCount
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(pauseCount).toBe(countAtCancel)
    expect(results).toEqual(['short'])
  })
})
