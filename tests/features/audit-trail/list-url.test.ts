import { describe, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import {
  allowed,
  changeView,
  drawnRange,
  lastPage,
  menusFor,
  plainView,
  queryOf,
  readView,
  remembered,
  type View,
  writeView,
} from '#features/audit-trail/list/list-url.ts'
import { everyDay } from '#features/audit-trail/list/activity-days.ts'
import { recordPath } from '#features/audit-trail/entry/record-path.ts'
import { historyPath } from '#ui/links/history-path.ts'

const intent = '6f1c2d3e-0000-4000-8000-00000000abcd'
const whole: View = {
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
const caller = (given: Partial<Caller> = {}): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: true,
  order: true,
  accessLevel: 0,
  ...given,
})
const staff = caller({ companyCode: 'm18' })
const deleteLevel = caller({ companyCode: 'm18', accessLevel: 100 })

describe('the address of the audit trail', () => {
  it('says the whole view, and the plain list nothing', () => {
    expect(readView(writeView(whole))).toEqual(whole)
    expect(writeView(plainView).toString()).toBe('')
    expect(remembered({ ...whole, open: 1, page: 3, after: 5 })).not.toMatch(/entry|page|after/)
  })

  it('has no page that the server would not count to', () => {
    expect([10, 20, 30, 40, 50].map((results) => lastPage({ results }))).toEqual([1000, 500, 333, 250, 200])
    expect(readView(new URLSearchParams('page=999999&results=30')).page).toBe(333)
  })

  it('begins at the first page when the filter changes, and not when an entry is opened', () => {
    expect(changeView({ ...whole, after: 5 }, { code: null })).toMatchObject({ page: 1, after: null })
    expect(changeView({ ...whole, after: 5 }, { open: 9 })).toMatchObject({ page: 3, after: 5, open: 9 })
    expect(changeView(whole, { after: 5 })).toMatchObject({ page: 1, after: 5 })
  })

  it('asks behind an entry or for a page, never for both', () => {
    expect(queryOf(whole)).toMatchObject({ page: 3, companyId: 9, code: 'order', status: -1 })
    expect(queryOf({ ...whole, after: 5 })).not.toHaveProperty('page')
    expect(queryOf(plainView)).toEqual({ page: 1, results: 10, sortField: 'end_time', sortOrder: 'desc' })
  })

  it.each(['2026-02-30', '0000-01-01', '2026-1-1', '9999999', "2026-01-01'--", '1026-01-01'])(
    'takes %s for no day',
    (day) => expect(readView(new URLSearchParams({ dateFrom: day })).dateFrom).toBeNull(),
  )

  it('gives nobody what they may not read (contracts 2, D51)', () => {
    expect(allowed({ ...whole, code: 'price' }, caller())).toMatchObject({ code: null, company: null })
    expect(allowed({ ...whole, code: 'price' }, staff)).toMatchObject({ code: null, company: 9 })
    expect(allowed({ ...whole, code: 'price', company: 2 }, deleteLevel)).toMatchObject({
      code: 'price',
      company: null,
    })
    expect(menusFor(staff)).not.toContain('module')
    expect(menusFor(deleteLevel)).toEqual(expect.arrayContaining(['app', 'module', 'automodule', 'price']))
  })
})

describe('the days that are drawn', () => {
  const one = { dateFrom: '2026-01-10', dateTo: '2026-01-10' }

  it('stay those from which a day was chosen, or are its neighbours', () => {
    const wide = { dateFrom: '2026-01-01', dateTo: null }
    expect(drawnRange(wide, null)).toEqual(wide)
    expect(drawnRange(one, wide)).toEqual(wide)
    expect(drawnRange(one, { dateFrom: '2026-01-11', dateTo: null })).toEqual({
      dateFrom: '2025-11-26',
      dateTo: '2026-02-24',
    })
  })

  it('have no gap, and are no more than 400', () => {
    const day = (at: string) => ({ day: at, done: 1, failed: 0 })
    const open = { dateFrom: null, dateTo: null }
    const ends = (dateTo: string) =>
      everyDay([day('2026-03-01')], { dateFrom: '2026-02-27', dateTo }).map((one) => one.day)
    expect(ends('2026-03-02')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
    expect(ends('2999-01-01').at(-1)).toBe('2026-03-01')
    expect(everyDay([day('2026-03-01'), day('2026-02-27')], open).map((all) => `${all.day} ${all.done}`)).toEqual([
      '2026-02-27 1',
      '2026-02-28 0',
      '2026-03-01 1',
    ])
    const long = everyDay([day('1990-01-01'), day('2026-03-01')], open)
    expect([long.length, long.at(-1)?.day]).toEqual([400, '2026-03-01'])
    expect(everyDay([], open)).toEqual([])
  })
})

describe('the record of an entry', () => {
  const entry = (code: string, info: object, company_id = 2) => ({ code, info, company_id }) as never

  it('is led to where the reader may go there', () => {
    expect(recordPath(entry('user', { UserId: 5 }), caller())).toBe('/app/user?user=5')
    expect(recordPath(entry('user', { UserId: 5 }, 3), staff)).toBeNull()
    expect(recordPath(entry('order', { ServiceCode: 'abc', OrderId: 4 }), caller())).toBe('/app/contract/4')
    expect(recordPath(entry('order', { ServiceCode: 'abc' }, 3), staff)).toBe('/app/contract?company=3&searchText=abc')
    expect(recordPath(entry('module', { ModuleCode: 'crm' }), deleteLevel)).toBe('/app/m18/module?searchText=crm')
    expect(recordPath(entry('module', { ModuleCode: 'crm' }), caller())).toBeNull()
  })

  it('leads nowhere by what is no number and no text', () => {
    expect(recordPath(entry('user', { UserId: '5/../../x' }), caller())).toBeNull()
    expect(recordPath(entry('order', { ServiceCode: { a: 1 } }), caller())).toBeNull()
    expect(recordPath(entry('order', { ServiceCode: '"><a' }), caller())).toBe('/app/contract?searchText=%22%3E%3Ca')
  })

  it('has a history for who may read it', () => {
    expect(historyPath({ code: 'user', name: 'Mei Lin' }, caller())).toBe('/app/systrail?code=user&searchText=Mei+Lin')
    expect(historyPath({ code: 'user', name: 'Mei' }, caller({ admin: false }))).toBeNull()
    expect(historyPath({ code: 'price', name: '2026-01-01', who: 'deleteLevel' }, staff)).toBeNull()
    expect(historyPath({ code: 'price', name: '2026-01-01', who: 'deleteLevel' }, deleteLevel)).not.toBeNull()
    expect(historyPath({ code: 'order', name: 'abc', companyId: 9 }, staff)).toContain('company=9')
    expect(historyPath({ code: 'order', name: 'abc', companyId: 9 }, caller())).toBeNull()
  })
})
