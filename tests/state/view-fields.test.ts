import { describe, expect, it } from 'vitest'
import { userListSpec } from '#contract/users.ts'
import { defineListView } from '#state/list-url.ts'
import { choice, date, flag, id, oneOf, openRow } from '#state/view-fields.ts'

const view = defineListView(userListSpec, {
  status: oneOf([1, 0, -1], { toQuery: (status) => (status === null ? {} : { systemStatus: status }) }),
  kind: choice(['visible', 'hidden'], {
    param: 'shown',
    isScope: true,
    toQuery: (kind) => ({ hidden: kind === 'hidden' }),
  }),
  company: id(),
  dateFrom: date(),
  withDeleted: flag(),
  open: openRow({ param: 'user' }),
})
const read = (query: string) => view.read(new URLSearchParams(query))
const fullQuery =
  'status=-1&shown=hidden&company=7&dateFrom=2026-11-01&withDeleted=true&searchText=Li&sortField=status&sortOrder=desc&page=2&results=20&user=12'

describe('a list view', () => {
  it('is parsed from its address and printed unchanged', () => {
    expect(read(fullQuery)).toEqual({
      status: -1,
      kind: 'hidden',
      company: 7,
      dateFrom: '2026-11-01',
      withDeleted: true,
      searchText: 'Li',
      sort: ['status', 'desc'],
      page: 2,
      results: 20,
      open: 12,
    })
    expect(view.write(read(fullQuery)).toString()).toBe(fullQuery)
    expect(view.write(view.defaultView).toString()).toBe('')
  })

  it('uses the default for invalid values', () => {
    const wrongQuery =
      'status=5&shown=all&company=0&dateFrom=2026-02-30&withDeleted=yes&user=abc&page=-1&results=7&sortField=constructor'
    expect(read(wrongQuery)).toEqual(view.defaultView)
    expect(read('company=2147483648&user=~1234').company).toBeNull()
  })

  it('opens a row by id or by the intent that creates it, or a new row', () => {
    const intent = '~0f8fad5b-d9cb-469f-a165-70867728950e'
    expect([read('user=new').open, read(`user=${intent}`).open]).toEqual(['new', intent])
  })

  it('is converted to the fields of the call', () => {
    expect(view.toListQuery(read(fullQuery))).toEqual({
      systemStatus: -1,
      hidden: true,
      company: 7,
      dateFrom: '2026-11-01',
      withDeleted: true,
      searchText: 'Li',
      sortField: 'status',
      sortOrder: 'desc',
      page: 2,
      results: 20,
    })
    expect(view.toFilterQuery(view.defaultView)).toEqual({ hidden: false })
  })

  it('returns to the first page for another filter, not for another page or an open row', () => {
    const secondPage = { ...view.defaultView, page: 2 }
    expect(view.change(secondPage, { company: 7 }).page).toBe(1)
    expect(view.change(secondPage, { open: 3 }).page).toBe(2)
    expect(view.change(secondPage, { page: 5 }).page).toBe(5)
    expect(view.change(secondPage, { company: null }).page).toBe(2)
  })

  it('is remembered without the open row', () => {
    expect(view.toSavedQuery(read('company=7&user=12'))).toBe('company=7')
  })

  it('counts the active filters, and reports whether any of them can exclude rows', () => {
    expect(view.countFilters(read(fullQuery))).toBe(5)
    expect(view.isFiltered(read('shown=hidden&user=12&page=3'))).toBe(false)
    expect([view.isFiltered(read('searchText=Li')), view.isFiltered(read('company=7'))]).toEqual([true, true])
    const clearedView = { ...read(fullQuery), ...view.clearedFilters }
    expect([view.countFilters(clearedView), clearedView.open]).toEqual([0, 12])
  })

  it('converts a field to the value of a select box and back', () => {
    expect([view.print(view.defaultView, 'status'), view.print(view.defaultView, 'kind')]).toEqual(['', 'visible'])
    expect([view.parse('status', '0'), view.parse('status', ''), view.parse('kind', 'hidden')]).toEqual([
      { status: 0 },
      { status: null },
      { kind: 'hidden' },
    ])
  })
})
