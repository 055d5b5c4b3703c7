/** What is typed into a price list's form: how it is read, both sides of each limit, and what is done to its rows (contracts 5, D82, D81). */
import { describe, expect, it } from 'vitest'
import { cellsOf } from '#features/prices/editor/paste.ts'
import { type Act, reduce } from '#features/prices/editor/form-reducer.ts'
import {
  fromsOf,
  isDirty,
  newValues,
  noBackup,
  rebase,
  type Table,
  type Values,
  valuesFrom,
} from '#features/prices/price-list-form.ts'
import { amountOf, changesOf, hasField, type Known, placed, readForm, wholeOf } from '#features/prices/sent-list.ts'

const known: Known = {
  modules: new Map([
    ['core', 1],
    ['fin', 2],
    ['scm', 3],
  ]),
  taken: new Set(['2026-01-01']),
  formerIds: new Map(),
}

const done = (values: Values, ...acts: Act[]) => acts.reduce(reduce, values)
const header = (name: string, value: string) => ({ kind: 'header', name, value }) as Act
const pasted = (values: Values, table: Table, name: string, text: string, row = 0) => {
  const cells = cellsOf(text) ?? [[text]]
  return done(values, { kind: 'paste', table, key: values[table][row]?.key ?? 0, name, cells })
}
/** Nothing is wrong with it. */
function sound(): Values {
  const named = done(newValues(), header('effective_date', '2027-01-01'), header('desc', 'Prices of 2027'))
  const ranges = pasted(named, 'concurrentUser', 'to', '10\t1\t2\t3\n999999\t4\t5\t6')
  return pasted(done(ranges, { kind: 'add', table: 'module' }), 'module', 'code', 'core\t7\t8\t9\nfin\t1\t1\t1')
}
/** Field or column, and the code of what is wrong with it. */
const wrongIn = (values: Values, given: Known = known) =>
  readForm(values, given).wrong.map(({ name, problem }) => `${name} ${problem.code}`)
const codes = ({ module }: Values) => module.map(({ code }) => code)
const keyOf = (values: Values, table: Table, row: number) => values[table][row]?.key ?? 0
const cell = (values: Values, table: Table, row: number, name: string, value: string) =>
  done(values, { kind: 'cell', table, key: keyOf(values, table, row), name, value })

it('reads amounts as people type them, and no others', () => {
  const read = [
    '5',
    '5.',
    '5.1',
    '5.10',
    '0',
    '007',
    '1,234.5',
    '1 234',
    '１２．３',
    ' 9 ',
    '-1',
    '99999999999.99',
  ].map(amountOf)
  expect(read).toEqual([
    '5.00',
    '5.00',
    '5.10',
    '5.10',
    '0.00',
    '7.00',
    '1234.50',
    '1234.00',
    '12.30',
    '9.00',
    '-1.00',
    '99999999999.99',
  ])
  const unread = ['', 'x', '1.234', '1,23', '1,2345', '1e3', '0x10', '--1', '.5', '100000000000', '٣', '=1+1', 'NaN']
  expect(unread.filter((text) => amountOf(text) !== null)).toEqual([])
  expect(['0', '12', '1,000', '１０', ' 5 ', '-3', '1.5', 'x', '', '9'.repeat(10)].map(wholeOf)).toEqual([
    0,
    12,
    1000,
    10,
    5,
    -1,
    null,
    null,
    null,
    null,
  ])
})

it('sends what is sound as the server keeps it', () => {
  const { list, wrong } = readForm(sound(), known)
  expect(wrong).toEqual([])
  expect(list).toMatchObject({
    effective_date: '2027-01-01',
    desc: 'Prices of 2027',
    uat_charge: '0.00',
    min_concurrent_user: 0,
    concurrentUser: [
      { from: 1, to: 10, hkd: '1.00', usd: '2.00', rmb: '3.00' },
      { from: 11, to: 999_999, hkd: '4.00', usd: '5.00', rmb: '6.00' },
    ],
    // A row that was left empty is for nobody.
    namedUser: [],
    module: [
      { code: 'core', module_id: 1, hkd: '7.00', usd: '8.00', rmb: '9.00' },
      { code: 'fin', module_id: 2, hkd: '1.00', usd: '1.00', rmb: '1.00' },
    ],
    pdbPrice: null,
  })
})

describe('both sides of each limit', () => {
  const backup = (name: string, value: string) =>
    done(sound(), { kind: 'backup', on: true }, { kind: 'backupPrice', name, value } as Act)
  const range = (name: string, value: string) => cell(sound(), 'concurrentUser', 1, name, value)
  const module = (name: string, value: string) => cell(sound(), 'module', 1, name, value)
  const cases: [what: string, values: Values, wrong: string[]][] = [
    ['no day', done(sound(), header('effective_date', '')), ['effective_date REQUIRED']],
    ['a day that is none', done(sound(), header('effective_date', '2027-02-30')), ['effective_date INVALID_FORMAT']],
    ['a day that is taken', done(sound(), header('effective_date', '2026-01-01')), ['effective_date DUPLICATE']],
    ['the day after it', done(sound(), header('effective_date', '2026-01-02')), []],
    ['no description', done(sound(), header('desc', '  ')), ['desc REQUIRED']],
    ['UAT 999.99', done(sound(), header('uat_charge', '999.99')), []],
    ['UAT 1000', done(sound(), header('uat_charge', '1000')), ['uat_charge OUT_OF_RANGE']],
    ['UAT -0.01', done(sound(), header('uat_charge', '-0.01')), ['uat_charge OUT_OF_RANGE']],
    ['UAT 1.234', done(sound(), header('uat_charge', '1.234')), ['uat_charge INVALID_FORMAT']],
    ['a limit of 0', done(sound(), header('uat_cap_hkd', '0')), []],
    ['a limit below 0', done(sound(), header('uat_cap_usd', '-1')), ['uat_cap_usd OUT_OF_RANGE']],
    ['a minimum below 0', done(sound(), header('min_fee_rmb', '-0.01')), ['min_fee_rmb OUT_OF_RANGE']],
    ['minimum users 999999', done(sound(), header('min_named_user', '999,999')), []],
    ['minimum users 1000000', done(sound(), header('min_named_user', '1000000')), ['min_named_user OUT_OF_RANGE']],
    ['minimum users -1', done(sound(), header('min_concurrent_user', '-1')), ['min_concurrent_user OUT_OF_RANGE']],
    ['minimum users 1.5', done(sound(), header('min_concurrent_user', '1.5')), ['min_concurrent_user INVALID_FORMAT']],
    ['a range to 999999', range('to', '999999'), []],
    ['a range to 1000000', range('to', '1000000'), ['to OUT_OF_RANGE']],
    ['a range to -1', range('to', '-1'), ['to OUT_OF_RANGE']],
    ['a range to x', range('to', 'x'), ['to INVALID_FORMAT']],
    ['a price of 0', range('hkd', '0'), []],
    ['a price below 0', range('hkd', '-0.01'), ['hkd OUT_OF_RANGE']],
    ['a price with three decimals', range('usd', '1.001'), ['usd INVALID_FORMAT']],
    ['no price', range('rmb', ''), ['rmb REQUIRED']],
    ['no price, for nobody', cell(range('rmb', ''), 'concurrentUser', 1, 'to', '0'), []],
    ['a module twice', module('code', 'core'), ['code DUPLICATED_MODULE']],
    ['a module that there is none of', module('code', 'nope'), ['code MODULE_UNKNOWN']],
    ['no module, with prices', module('code', ' '), []],
    ['a module price below 0', module('usd', '-5'), ['usd OUT_OF_RANGE']],
    ['a discount of 100', backup('pdb2s3_discount', '100'), []],
    ['a discount of 101', backup('pdb2s3_discount', '101'), ['pdbPrice.pdb2s3_discount OUT_OF_RANGE']],
    ['a discount of 10.5', backup('pdb2rds_discount', '10.5'), ['pdbPrice.pdb2rds_discount OUT_OF_RANGE']],
    ['free GB of 50', backup('pdb2s3_traffic', '50'), []],
    ['free GB of 0.5', backup('pdb2s3_traffic', '0.5'), ['pdbPrice.pdb2s3_traffic OUT_OF_RANGE']],
    ['a fee below 0', backup('pdb2rds_fee_hkd', '-1'), ['pdbPrice.pdb2rds_fee_hkd OUT_OF_RANGE']],
  ]
  it.each(cases)('%s', (_what, values, wrong) => {
    expect(wrongIn(values)).toEqual(wrong)
  })

  it('without the whole catalogue, which modules there are is for the server to say', () => {
    expect(wrongIn(cell(sound(), 'module', 1, 'code', 'nope'), { ...known, modules: null })).toEqual([])
  })

  it('a module that has left the catalogue stays where it was sold', () => {
    const former = { ...known, formerIds: new Map([['old', 9]]) }
    const values = cell(sound(), 'module', 1, 'code', 'old')
    expect(wrongIn(values, former)).toEqual([])
    expect(readForm(values, former).list.module[1]).toMatchObject({ code: 'old', module_id: 9 })
  })
})

it('a range begins one above the one before it, and its end is raised to its beginning when its field is left', () => {
  const values = pasted(sound(), 'concurrentUser', 'to', '10\n0\n5\n\n40\nx\n50')
  expect(fromsOf(values.concurrentUser)).toEqual([1, null, 11, null, 12, 41, 41])
  const left = done(values, { kind: 'raise', table: 'concurrentUser', key: keyOf(values, 'concurrentUser', 2) })
  expect(left.concurrentUser.map(({ to }) => to)).toEqual(['10', '0', '11', '', '40', 'x', '50'])
  for (const row of [0, 1, 3, 4, 5]) {
    const key = keyOf(left, 'concurrentUser', row)
    expect(done(left, { kind: 'raise', table: 'concurrentUser', key }).concurrentUser).toBe(left.concurrentUser)
  }
})

describe('paste', () => {
  it('one value is the field’s own; lines and tabs are cells', () => {
    expect([cellsOf('12'), cellsOf('12\n'), cellsOf('')]).toEqual([null, null, null])
    expect(cellsOf('1\t2\r\n3\t4\r\n')).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(cellsOf('x\n'.repeat(100_000))).toHaveLength(2000)
  })

  it('goes on to the right and down, makes the rows that are missing, and leaves out where a range begins', () => {
    const values = pasted(sound(), 'concurrentUser', 'to', '1\t5\t10\t11\t12\n6\t20\t7\t8\t9\n21\t30\t1\t2\t3')
    expect(values.concurrentUser.map(({ to, hkd, rmb }) => [to, hkd, rmb])).toEqual([
      ['5', '10', '12'],
      ['20', '7', '9'],
      ['30', '1', '3'],
    ])
    const right = pasted(values, 'concurrentUser', 'usd', '1.1\t2.2\t3.3', 1)
    expect(right.concurrentUser[1]).toMatchObject({ to: '20', hkd: '7', usd: '1.1', rmb: '2.2' })
    expect(right.concurrentUser).toHaveLength(3)
  })
})

it('a module goes to any place, and what is not touched is not made anew', () => {
  const values = pasted(sound(), 'module', 'code', 'core\nfin\nscm')
  const to = (from: number, place: number) =>
    done(values, { kind: 'move', key: keyOf(values, 'module', from), to: place })
  expect(codes(to(2, 0))).toEqual(['scm', 'core', 'fin'])
  expect(codes(to(0, 2))).toEqual(['fin', 'scm', 'core'])
  expect([codes(to(0, 99)), codes(to(1, -5))]).toEqual([
    ['fin', 'scm', 'core'],
    ['fin', 'core', 'scm'],
  ])
  const changed = cell(values, 'module', 1, 'hkd', '5')
  expect([changed.module[0] === values.module[0], changed.module[1] === values.module[1]]).toEqual([true, false])
  expect(changed.concurrentUser).toBe(values.concurrentUser)
})

it('what differs is sent, and the rest left alone', () => {
  const before = sound()
  const read = (values: Values) => readForm(values, known).list
  expect(isDirty(before, sound())).toBe(false)
  expect(changesOf(read(before), read(sound()))).toEqual({})
  const moved = done(before, { kind: 'move', key: keyOf(before, 'module', 0), to: 1 })
  expect(isDirty(moved, before)).toBe(true)
  expect(Object.keys(changesOf(read(moved), read(before)))).toEqual(['module'])
  expect(changesOf(read(done(before, header('desc', 'Other'))), read(before))).toEqual({ desc: 'Other' })
})

it('over a list that somebody else has changed, what was typed here stays, field by field', () => {
  const before = sound()
  const theirs = cell(done(before, header('desc', 'Theirs'), header('uat_charge', '5')), 'module', 0, 'hkd', '70')
  const typed = cell(done(before, header('desc', 'Mine')), 'concurrentUser', 0, 'hkd', '100')
  const both = rebase(typed, before, theirs)
  expect([both.header.desc, both.header.uat_charge]).toEqual(['Mine', '5'])
  expect([both.concurrentUser[0]?.hkd, both.module[0]?.hkd]).toEqual(['100', '70'])
})

it('a refusal of the server stands at the row that it came from, though rows before it were left out', () => {
  const values = pasted(sound(), 'concurrentUser', 'to', '0\t\t\t\n10\t1\t1\t1')
  const { keys } = readForm(values, known)
  const found = placed({ field: 'concurrentUser.0.hkd', code: 'INVALID_FORMAT' }, keys)
  expect(found).toMatchObject({ table: 'concurrentUser', key: keyOf(values, 'concurrentUser', 1), name: 'hkd' })
  expect(placed({ field: 'pdbPrice.pdb2s3_up_hkd', code: 'INVALID_FORMAT' }, keys)).toMatchObject({
    table: null,
    name: 'pdbPrice.pdb2s3_up_hkd',
  })
})

it('a refusal of a field that the form does not have is not taken for one of its own', () => {
  const own = ['desc', 'min_fee_usd', 'concurrentUser.0.to', 'module.12.code', 'pdbPrice.pdb2s3_traffic']
  expect(own.filter((field) => !hasField(field))).toEqual([])
  expect(['id', 'type', 'confirmed', 'content', 'module', 'pdbPrice.x', 'module.x.code'].filter(hasField)).toEqual([])
})

it('what an earlier page left is taken up where this build can read it, and let go where it cannot', () => {
  const values = done(sound(), { kind: 'backup', on: true })
  const back = valuesFrom(JSON.parse(JSON.stringify(values)))
  expect(back && isDirty(back, values)).toBe(false)
  const { uat_charge: _gone, ...older } = values.header
  expect(valuesFrom({ ...values, header: older })?.header.uat_charge).toBe('0.00')
  expect(valuesFrom({ ...values, pdbPrice: {} })?.pdbPrice).toEqual(noBackup())
  for (const broken of [
    null,
    undefined,
    5,
    {},
    { header: {} },
    { ...values, module: {} },
    { ...values, concurrentUser: 'x' },
  ])
    expect(valuesFrom(broken)).toBeNull()
})
