import { expect, it } from 'vitest'
import { groupFirstItems, groupHits } from '#features/search/dialog/group-items.ts'
import { ranks } from '#features/search/matching/rank.ts'
import type { SearchItem } from '#patterns/search-source.ts'

const today = '2026-12-05'
const buildItem = (key: string, fields: Partial<SearchItem> = {}): SearchItem => ({
  key,
  group: 'do',
  icon: 'price',
  label: key,
  detail: '',
  codes: [],
  isSuggested: true,
  ...fields,
})
const buildPayment = (day: string) => buildItem(`pay ${day}`, { day, lastDay: day })
const readKeys = (groups: ReturnType<typeof groupHits>) => groups.flatMap(({ items }) => items.map(({ key }) => key))

it('Before the user types, the soonest two payments come before the forms, and none whose time is over', () => {
  const days = ['2026-12-09', '2026-12-06', '2026-12-04', '2026-12-05', '2026-12-08']
  const items = [...days.map(buildPayment), buildItem('new contract'), buildItem('new user')]
  expect(readKeys(groupFirstItems([], items, today))).toEqual([
    'pay 2026-12-05',
    'pay 2026-12-06',
    'new contract',
    'new user',
  ])
})

it('A text does not find a payment whose time is over, but traffic that has no last day', () => {
  const traffic = buildItem('traffic', { day: '2026-12-01' })
  const hits = [buildPayment('2026-12-04'), buildPayment(today), traffic].map((item) => ({ item, rank: ranks.exact }))
  expect(readKeys(groupHits(hits, today)).toSorted()).toEqual(['pay 2026-12-05', 'traffic'])
})
