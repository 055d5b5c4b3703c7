import { describe, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import {
  restrictView,
  toDrawnRange,
  getLastPage,
  listMenus,
  toTrailInput,
  trailView,
  type TrailView,
} from '#features/audit-trail/list/trail-view.ts'
import { fillDays } from '#features/audit-trail/list/activity-days.ts'
import { toRecordPath } from '#features/audit-trail/entry/record-path.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'

const intent = '6f1c2d3e-0000-4000-8000-00000000abcd'
const fullView: TrailView = {
  code: 'order',
  operation: 'pay',
  dateFrom: '2026-01-10',
  dateTo: '2026-01-11',
  user: 7,
  status: -1,
  intent,
  company: 9,
  searchText: 'C-17',
  sort: ['end_time', 'asc'],
  page: 3,
  results: 20,
  after: null,
  open: 12,
}
const createCaller = (overrides: Partial<Caller> = {}): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: true,
  order: true,
  accessLevel: 0,
  ...overrides,
})
const staffCaller = createCaller({ companyCode: 'm18' })
const deleteLevelCaller = createCaller({ companyCode: 'm18', accessLevel: 100 })

describe('the address of the audit trail', () => {
  it('contains the complete view, and nothing for the default view', () => {
    expect(trailView.read(trailView.write(fullView))).toEqual(fullView)
    expect(trailView.write(trailView.defaultView).toString()).toBe('')
    expect(trailView.toSavedQuery({ ...fullView, open: 1, page: 3, after: 5 })).not.toMatch(/entry|page|after/)
  })

  it('limits the page to the entries that the server counts', () => {
    expect([10, 20, 30, 40, 50].map((results) => getLastPage({ results }))).toEqual([1000, 500, 333, 250, 200])
    expect(trailView.read(new URLSearchParams('page=999999&results=30')).page).toBe(333)
  })

  it('returns to the first page when the filter changes, but not when an entry is opened', () => {
    expect(trailView.change({ ...fullView, after: 5 }, { code: null })).toMatchObject({ page: 1, after: null })
    expect(trailView.change({ ...fullView, after: 5 }, { open: 9 })).toMatchObject({ page: 3, after: 5, open: 9 })
    expect(trailView.change(fullView, { after: 5 })).toMatchObject({ page: 1, after: 5 })
  })

  it('requests either a page or the entries after a given entry, never both', () => {
    expect(toTrailInput(fullView).query).toMatchObject({ page: 3, companyId: 9, code: 'order', status: -1 })
    expect(toTrailInput({ ...fullView, after: 5 }).query).not.toHaveProperty('page')
    expect(toTrailInput(trailView.defaultView).query).toEqual({
      page: 1,
      results: 10,
      sortField: 'end_time',
      sortOrder: 'desc',
    })
  })

  it.each(['2026-02-30', '0000-01-01', '2026-1-1', '9999999', "2026-01-01'--", '1026-01-01'])(
    'ignores the invalid day %s',
    (day) => expect(trailView.read(new URLSearchParams({ dateFrom: day })).dateFrom).toBeNull(),
  )

  it('drops filters that the user may not use (contracts 2, D51)', () => {
    expect(restrictView({ ...fullView, code: 'price' }, createCaller())).toMatchObject({ code: null, company: null })
    expect(restrictView({ ...fullView, code: 'price' }, staffCaller)).toMatchObject({ code: null, company: 9 })
    expect(restrictView({ ...fullView, code: 'price', company: 2 }, deleteLevelCaller)).toMatchObject({
      code: 'price',
      company: null,
    })
    expect(listMenus(staffCaller)).not.toContain('module')
    expect(listMenus(deleteLevelCaller)).toEqual(expect.arrayContaining(['app', 'module', 'automodule', 'price']))
  })
})

describe('the days of the activity chart', () => {
  const singleDay = { dateFrom: '2026-01-10', dateTo: '2026-01-10' }

  it('stay the same if the chosen day is among them, else surround the chosen day', () => {
    const openRange = { dateFrom: '2026-01-01', dateTo: null }
    expect(toDrawnRange(openRange, null)).toEqual(openRange)
    expect(toDrawnRange(singleDay, openRange)).toEqual(openRange)
    expect(toDrawnRange(singleDay, { dateFrom: '2026-01-11', dateTo: null })).toEqual({
      dateFrom: '2025-11-26',
      dateTo: '2026-02-24',
    })
  })

  it('have no gaps, and are at most 400', () => {
    const createDay = (date: string) => ({ day: date, done: 1, failed: 0 })
    const openRange = { dateFrom: null, dateTo: null }
    const fillUntil = (dateTo: string) =>
      fillDays([createDay('2026-03-01')], { dateFrom: '2026-02-27', dateTo }).map((activityDay) => activityDay.day)
    expect(fillUntil('2026-03-02')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
    expect(fillUntil('2999-01-01').at(-1)).toBe('2026-03-01')
    expect(
      fillDays([createDay('2026-03-01'), createDay('2026-02-27')], openRange).map(
        (activityDay) => `${activityDay.day} ${activityDay.done}`,
      ),
    ).toEqual(['2026-02-27 1', '2026-02-28 0', '2026-03-01 1'])
    const filledDays = fillDays([createDay('1990-01-01'), createDay('2026-03-01')], openRange)
    expect([filledDays.length, filledDays.at(-1)?.day]).toEqual([400, '2026-03-01'])
    expect(fillDays([], openRange)).toEqual([])
  })
})

describe('the record of an audit entry', () => {
  const createEntry = (code: string, info: object, company_id = 2) => ({ code, info, company_id }) as never

  it('is linked if the user may open it', () => {
    expect(toRecordPath(createEntry('user', { UserId: 5 }), createCaller())).toBe('/app/user?user=5')
    expect(toRecordPath(createEntry('user', { UserId: 5 }, 3), staffCaller)).toBeNull()
    expect(toRecordPath(createEntry('order', { ServiceCode: 'abc', OrderId: 4 }), createCaller())).toBe(
      '/app/contract/4',
    )
    expect(toRecordPath(createEntry('order', { ServiceCode: 'abc' }, 3), staffCaller)).toBe(
      '/app/contract?company=3&searchText=abc',
    )
    expect(toRecordPath(createEntry('module', { ModuleCode: 'crm' }), deleteLevelCaller)).toBe(
      '/app/m18/module?searchText=crm',
    )
    expect(toRecordPath(createEntry('module', { ModuleCode: 'crm' }), createCaller())).toBeNull()
  })

  it('is linked only by a value of the right type, which is encoded', () => {
    expect(toRecordPath(createEntry('user', { UserId: '5/../../x' }), createCaller())).toBeNull()
    expect(toRecordPath(createEntry('order', { ServiceCode: { a: 1 } }), createCaller())).toBeNull()
    expect(toRecordPath(createEntry('order', { ServiceCode: '"><a' }), createCaller())).toBe(
      '/app/contract?searchText=%22%3E%3Ca',
    )
  })

  it('has a history link for users who may read it', () => {
    expect(buildHistoryPath({ code: 'user', name: 'Mei Lin' }, createCaller())).toBe(
      '/app/systrail?code=user&searchText=Mei+Lin',
    )
    expect(buildHistoryPath({ code: 'user', name: 'Mei' }, createCaller({ admin: false }))).toBeNull()
    expect(buildHistoryPath({ code: 'price', name: '2026-01-01', access: 'deleteLevel' }, staffCaller)).toBeNull()
    expect(
      buildHistoryPath({ code: 'price', name: '2026-01-01', access: 'deleteLevel' }, deleteLevelCaller),
    ).not.toBeNull()
    expect(buildHistoryPath({ code: 'order', name: 'abc', companyId: 9 }, staffCaller)).toContain('company=9')
    expect(buildHistoryPath({ code: 'order', name: 'abc', companyId: 9 }, createCaller())).toBeNull()
  })
})
