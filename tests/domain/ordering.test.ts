/** Tests the checks of an order with tables of cases (contracts 5, T6 to T9). */
import { describe, expect, it, test } from 'vitest'
import { filterJoiningModules, findModuleCycle } from '#domain/catalogue/modules.ts'
import {
  checkTerms,
  checkCreateDate,
  checkName,
  checkStart,
  raiseUsers,
  getStartWindow,
} from '#domain/checks/order-checks.ts'
import { isDate } from '#domain/plain-dates.ts'
import { getStartOfDay, toTimestamp } from '#domain/time.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const formatProblems = (problems: { code: string; named?: string }[]) =>
  problems.map(({ code, named: namedValue }) => (namedValue === undefined ? code : `${code} ${namedValue}`))
const catalogue = [
  { code: 'core', dependencies: [] },
  { code: 'fin', dependencies: ['core'] },
  { code: 'scm', dependencies: ['fin'] },
]
const terms = { user_mode: 'CONCURRENT' as const, users: 5, modules: ['core'] }

test.each([
  ['2026-02-28', true],
  ['2026-02-29', false],
  ['2028-02-29', true],
  ['2026-13-01', false],
  ['2026-1-01', false],
  ['0000-00-00', false],
  ['9999-12-31', true],
  ['9999-12-32', false],
  ['', false],
])('isDate returns for %s: %s', (text, expected) => expect(isDate(text)).toBe(expected))

describe('The first day of a contract (D38, D39, F-09)', () => {
  const today = '2026-03-02'
  it.each([
    ['2026-03-01', null, ['START_WINDOW 2026-03-02 – 2026-04-01']],
    ['2026-03-02', null, []],
    ['2026-04-01', null, []],
    ['2026-04-02', null, ['START_WINDOW 2026-03-02 – 2026-04-01']],
    ['2026-02-30', null, ['INVALID_FORMAT']],
    ['2026-02-10', '2026-02-10', []],
    ['2026-02-09', '2026-02-10', ['START_WINDOW 2026-02-10 – 2026-04-01']],
  ])('The first day %s of an order that is dated back to %s is accepted or refused', (start, createdOn, problems) => {
    expect(formatProblems(checkStart(start, today, createdOn))).toEqual(problems)
  })

  it('An order can be dated back, but not to a day in the future', () => {
    expect(checkCreateDate('2026-03-02', today)).toEqual([])
    expect(formatProblems(checkCreateDate('2026-03-03', today))).toEqual(['OUT_OF_RANGE'])
    expect(formatProblems(checkCreateDate('2026-02-30', today))).toEqual(['OUT_OF_RANGE'])
    expect(getStartWindow(today, null)).toEqual(['2026-03-02', '2026-04-01'])
  })
})

test.each([
  ['abc', []],
  ['ab', ['INVALID_FORMAT']],
  ['1abc', ['INVALID_FORMAT']],
  ['abc_d', ['INVALID_FORMAT']],
  ['abcdefghijklmnop', []],
  ['abcdefghijklmnopq', ['INVALID_FORMAT']],
  ['select', ['RESERVED']],
  ['www', ['RESERVED']],
])('checkName checks the code %s (T9)', (code, problems) =>
  expect(formatProblems(checkName(code, 'Shop'))).toEqual(problems),
)

describe('checkTerms', () => {
  it('requires at least one module, all of them listed and with their dependencies', () => {
    const checkModules = (modules: string[]) => formatProblems(checkTerms({ ...terms, modules }, lists.A, catalogue))
    expect(checkModules([])).toEqual(['NO_MODULE'])
    expect(checkModules(['core', 'crm'])).toEqual(['NOT_LISTED crm'])
    expect(checkModules(['scm', 'core'])).toEqual(['NEEDS_MODULES fin'])
    expect(checkModules(['core', 'fin', 'scm'])).toEqual([])
  })

  it('requires the minimum number of users of the list in that mode (T8, D26)', () => {
    const checkUsers = (user_mode: 'CONCURRENT' | 'NAMED', users: number) =>
      formatProblems(checkTerms({ ...terms, user_mode, users }, lists.A, catalogue))
    expect([
      checkUsers('CONCURRENT', 4),
      checkUsers('CONCURRENT', 5),
      checkUsers('NAMED', 9),
      checkUsers('NAMED', 10),
    ]).toEqual([['TOO_FEW_USERS'], [], ['TOO_FEW_USERS'], []])
    expect([raiseUsers(lists.A, 'NAMED', 7), raiseUsers(lists.A, 'NAMED', 12)]).toEqual([10, 12])
  })
})

test('A hidden module is added if all of its conditions are met, or any of them if it is set so (D77)', () => {
  const hidden = [
    { code: 'all', conditions: ['a', 'b'], any_condition: false },
    { code: 'any', conditions: ['a', 'b'], any_condition: true },
    { code: 'none', conditions: [], any_condition: false },
  ]
  const listJoining = (selectedCodes: string[]) => filterJoiningModules(hidden, selectedCodes).map(({ code }) => code)
  expect([listJoining([]), listJoining(['a']), listJoining(['a', 'b'])]).toEqual([[], ['any'], ['all', 'any']])
})

test('findModuleCycle finds a cycle only for the modules that are part of it', () => {
  const circle = [
    { code: 'a', dependencies: ['b'] },
    { code: 'b', dependencies: ['c'] },
    { code: 'c', dependencies: ['a'] },
    { code: 'd', dependencies: ['a'] },
  ]
  expect(findModuleCycle(circle, 'a')).toEqual(['a', 'b', 'c'])
  expect(findModuleCycle(circle, 'd')).toEqual([])
  expect(findModuleCycle([{ code: 'e', dependencies: ['e'] }], 'e')).toEqual(['e'])
})

test.each(['Asia/Hong_Kong', 'America/New_York', 'UTC'])('getStartOfDay returns midnight in %s', (zone) => {
  expect(toTimestamp(zone, getStartOfDay(zone, '2026-03-02'))).toBe('2026-03-02 00:00:00')
})
