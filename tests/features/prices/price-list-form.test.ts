/** Tests the price list form: parsing, both sides of each limit, and actions on its rows (contracts 5, D82, D81). */
import { describe, expect, it } from 'vitest'
import { parsePastedCells } from '#features/prices/editor/paste.ts'
import { type PriceFormAction, reducePriceForm } from '#features/prices/editor/form-reducer.ts'
import {
  getRangeStarts,
  getChangedValues,
  createPriceListValues,
  createBackupPrices,
  rebaseValues,
  type PriceTableName,
  type PriceListValues,
  parseStoredValues,
} from '#features/prices/price-list-form.ts'
import { parseAmount, parseWholeNumber } from '#features/prices/parse-numbers.ts'
import { getListChanges, hasField, type PriceFormContext, placeProblem, readForm } from '#features/prices/sent-list.ts'

const formContext: PriceFormContext = {
  moduleIdsByCode: new Map([
    ['core', 1],
    ['fin', 2],
    ['scm', 3],
  ]),
  takenDates: new Set(['2026-01-01']),
  formerIdsByCode: new Map(),
}

const applyActions = (values: PriceListValues, ...actions: PriceFormAction[]) => actions.reduce(reducePriceForm, values)
const createHeaderAction = (name: string, value: string) => ({ kind: 'header', name, value }) as PriceFormAction
const pasteInto = (values: PriceListValues, table: PriceTableName, name: string, text: string, row = 0) => {
  const cells = parsePastedCells(text) ?? [[text]]
  return applyActions(values, { kind: 'paste', table, key: values[table][row]?.key ?? 0, name, cells })
}
/** Returns values without problems. */
function createValidValues(): PriceListValues {
  const headedValues = applyActions(
    createPriceListValues(),
    createHeaderAction('effective_date', '2027-01-01'),
    createHeaderAction('desc', 'Prices of 2027'),
  )
  const rangedValues = pasteInto(headedValues, 'concurrentUser', 'to', '10\t1\t2\t3\n999999\t4\t5\t6')
  return pasteInto(
    applyActions(rangedValues, { kind: 'add', table: 'module' }),
    'module',
    'code',
    'core\t7\t8\t9\nfin\t1\t1\t1',
  )
}
/** Returns the field or column and the code of each problem. */
const listProblems = (values: PriceListValues, context: PriceFormContext = formContext) =>
  readForm(values, context).problems.map(({ name, code }) => `${name} ${code}`)
const getModuleCodes = ({ module }: PriceListValues) => module.map(({ code }) => code)
const getRowKey = (values: PriceListValues, table: PriceTableName, row: number) => values[table][row]?.key ?? 0
const setCell = (values: PriceListValues, table: PriceTableName, row: number, name: string, value: string) =>
  applyActions(values, { kind: 'cell', table, key: getRowKey(values, table, row), name, value })

it('The form accepts amounts as people type them, and no others', () => {
  const readableAmounts = [
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
  ].map(parseAmount)
  expect(readableAmounts).toEqual([
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
  const unreadableAmounts = [
    '',
    'x',
    '1.234',
    '1,23',
    '1,2345',
    '1e3',
    '0x10',
    '--1',
    '.5',
    '100000000000',
    '٣',
    '=1+1',
    'NaN',
  ]
  expect(unreadableAmounts.filter((text) => parseAmount(text) !== null)).toEqual([])
  expect(['0', '12', '1,000', '１０', ' 5 ', '-3', '1.5', 'x', '', '9'.repeat(10)].map(parseWholeNumber)).toEqual([
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

it('A valid form sends the list in the format of the server', () => {
  const { list, problems } = readForm(createValidValues(), formContext)
  expect(problems).toEqual([])
  expect(list).toMatchObject({
    effective_date: '2027-01-01',
    desc: 'Prices of 2027',
    uat_charge: '0.00',
    min_concurrent_user: 0,
    concurrentUser: [
      { from: 1, to: 10, hkd: '1.00', usd: '2.00', rmb: '3.00' },
      { from: 11, to: 999_999, hkd: '4.00', usd: '5.00', rmb: '6.00' },
    ],
    // A row that was left empty is not sent.
    namedUser: [],
    module: [
      { code: 'core', module_id: 1, hkd: '7.00', usd: '8.00', rmb: '9.00' },
      { code: 'fin', module_id: 2, hkd: '1.00', usd: '1.00', rmb: '1.00' },
    ],
    pdbPrice: null,
  })
})

describe('checking a price list', () => {
  const setBackupPrice = (name: string, value: string) =>
    applyActions(createValidValues(), { kind: 'backup', isOn: true }, {
      kind: 'backupPrice',
      name,
      value,
    } as PriceFormAction)
  const setRange = (name: string, value: string) => setCell(createValidValues(), 'concurrentUser', 1, name, value)
  const setModule = (name: string, value: string) => setCell(createValidValues(), 'module', 1, name, value)
  const cases: [title: string, values: PriceListValues, wrong: string[]][] = [
    [
      'no day',
      applyActions(createValidValues(), createHeaderAction('effective_date', '')),
      ['effective_date REQUIRED'],
    ],
    [
      'a day that does not exist',
      applyActions(createValidValues(), createHeaderAction('effective_date', '2027-02-30')),
      ['effective_date INVALID_FORMAT'],
    ],
    [
      'the day of another list',
      applyActions(createValidValues(), createHeaderAction('effective_date', '2026-01-01')),
      ['effective_date DUPLICATE'],
    ],
    [
      'the day after another list',
      applyActions(createValidValues(), createHeaderAction('effective_date', '2026-01-02')),
      [],
    ],
    ['no description', applyActions(createValidValues(), createHeaderAction('desc', '  ')), ['desc REQUIRED']],
    ['UAT 999.99', applyActions(createValidValues(), createHeaderAction('uat_charge', '999.99')), []],
    [
      'UAT 1000',
      applyActions(createValidValues(), createHeaderAction('uat_charge', '1000')),
      ['uat_charge OUT_OF_RANGE'],
    ],
    [
      'UAT -0.01',
      applyActions(createValidValues(), createHeaderAction('uat_charge', '-0.01')),
      ['uat_charge OUT_OF_RANGE'],
    ],
    [
      'UAT 1.234',
      applyActions(createValidValues(), createHeaderAction('uat_charge', '1.234')),
      ['uat_charge INVALID_FORMAT'],
    ],
    ['a limit of 0', applyActions(createValidValues(), createHeaderAction('uat_cap_hkd', '0')), []],
    [
      'a limit below 0',
      applyActions(createValidValues(), createHeaderAction('uat_cap_usd', '-1')),
      ['uat_cap_usd OUT_OF_RANGE'],
    ],
    [
      'a minimum below 0',
      applyActions(createValidValues(), createHeaderAction('min_fee_rmb', '-0.01')),
      ['min_fee_rmb OUT_OF_RANGE'],
    ],
    ['minimum users 999999', applyActions(createValidValues(), createHeaderAction('min_named_user', '999,999')), []],
    [
      'minimum users 1000000',
      applyActions(createValidValues(), createHeaderAction('min_named_user', '1000000')),
      ['min_named_user OUT_OF_RANGE'],
    ],
    [
      'minimum users -1',
      applyActions(createValidValues(), createHeaderAction('min_concurrent_user', '-1')),
      ['min_concurrent_user OUT_OF_RANGE'],
    ],
    [
      'minimum users 1.5',
      applyActions(createValidValues(), createHeaderAction('min_concurrent_user', '1.5')),
      ['min_concurrent_user INVALID_FORMAT'],
    ],
    ['a range to 999999', setRange('to', '999999'), []],
    ['a range to 1000000', setRange('to', '1000000'), ['to OUT_OF_RANGE']],
    ['a range to -1', setRange('to', '-1'), ['to OUT_OF_RANGE']],
    ['a range to x', setRange('to', 'x'), ['to INVALID_FORMAT']],
    ['a price of 0', setRange('hkd', '0'), []],
    ['a price below 0', setRange('hkd', '-0.01'), ['hkd OUT_OF_RANGE']],
    ['a price with three decimals', setRange('usd', '1.001'), ['usd INVALID_FORMAT']],
    ['no price', setRange('rmb', ''), ['rmb REQUIRED']],
    ['no price in a range that ends with 0', setCell(setRange('rmb', ''), 'concurrentUser', 1, 'to', '0'), []],
    ['a module twice', setModule('code', 'core'), ['code DUPLICATED_MODULE']],
    ['an unknown module', setModule('code', 'nope'), ['code MODULE_UNKNOWN']],
    ['prices without a module code', setModule('code', ' '), []],
    ['a module price below 0', setModule('usd', '-5'), ['usd OUT_OF_RANGE']],
    ['a discount of 100', setBackupPrice('pdb2s3_discount', '100'), []],
    ['a discount of 101', setBackupPrice('pdb2s3_discount', '101'), ['pdbPrice.pdb2s3_discount OUT_OF_RANGE']],
    ['a discount of 10.5', setBackupPrice('pdb2rds_discount', '10.5'), ['pdbPrice.pdb2rds_discount OUT_OF_RANGE']],
    ['free GB of 50', setBackupPrice('pdb2s3_traffic', '50'), []],
    ['free GB of 0.5', setBackupPrice('pdb2s3_traffic', '0.5'), ['pdbPrice.pdb2s3_traffic OUT_OF_RANGE']],
    ['a fee below 0', setBackupPrice('pdb2rds_fee_hkd', '-1'), ['pdbPrice.pdb2rds_fee_hkd OUT_OF_RANGE']],
  ]
  it.each(cases)('accepts and rejects values at each limit: %s', (_description, values, expectedProblems) => {
    expect(listProblems(values)).toEqual(expectedProblems)
  })

  it('leaves the check of unknown modules to the server if the catalogue is incomplete', () => {
    expect(
      listProblems(setCell(createValidValues(), 'module', 1, 'code', 'nope'), {
        ...formContext,
        moduleIdsByCode: null,
      }),
    ).toEqual([])
  })

  it('accepts a deleted module in the list that sold it', () => {
    const formerContext = { ...formContext, formerIdsByCode: new Map([['old', 9]]) }
    const values = setCell(createValidValues(), 'module', 1, 'code', 'old')
    expect(listProblems(values, formerContext)).toEqual([])
    expect(readForm(values, formerContext).list.module[1]).toMatchObject({ code: 'old', module_id: 9 })
  })
})

it('A range starts one above the previous end, and an end below its start is raised when the field is left', () => {
  const values = pasteInto(createValidValues(), 'concurrentUser', 'to', '10\n0\n5\n\n40\nx\n50')
  expect(getRangeStarts(values.concurrentUser)).toEqual([1, null, 11, null, 11, 41, 41])
  const raisedValues = applyActions(values, {
    kind: 'raise',
    table: 'concurrentUser',
    key: getRowKey(values, 'concurrentUser', 2),
  })
  expect(raisedValues.concurrentUser.map(({ to }) => to)).toEqual(['10', '0', '11', '', '40', 'x', '50'])
  for (const row of [0, 1, 3, 4, 5]) {
    const key = getRowKey(raisedValues, 'concurrentUser', row)
    expect(applyActions(raisedValues, { kind: 'raise', table: 'concurrentUser', key }).concurrentUser).toBe(
      raisedValues.concurrentUser,
    )
  }
})

describe('pasting', () => {
  it('reads lines and tabs as cells, and leaves a single value to the field', () => {
    expect([parsePastedCells('12'), parsePastedCells('12\n'), parsePastedCells('')]).toEqual([null, null, null])
    expect(parsePastedCells('1\t2\r\n3\t4\r\n')).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(parsePastedCells('x\n'.repeat(100_000))).toHaveLength(2000)
  })

  it('fills cells to the right and down, adds missing rows, and skips the start of a range', () => {
    const values = pasteInto(
      createValidValues(),
      'concurrentUser',
      'to',
      '1\t5\t10\t11\t12\n6\t20\t7\t8\t9\n21\t30\t1\t2\t3',
    )
    expect(values.concurrentUser.map(({ to, hkd, rmb }) => [to, hkd, rmb])).toEqual([
      ['5', '10', '12'],
      ['20', '7', '9'],
      ['30', '1', '3'],
    ])
    const pastedValues = pasteInto(values, 'concurrentUser', 'usd', '1.1\t2.2\t3.3', 1)
    expect(pastedValues.concurrentUser[1]).toMatchObject({ to: '20', hkd: '7', usd: '1.1', rmb: '2.2' })
    expect(pastedValues.concurrentUser).toHaveLength(3)
  })
})

it('A module can be moved to any place, and the other rows keep their identity', () => {
  const values = pasteInto(createValidValues(), 'module', 'code', 'core\nfin\nscm')
  const moveModule = (fromIndex: number, toIndex: number) =>
    applyActions(values, { kind: 'move', key: getRowKey(values, 'module', fromIndex), to: toIndex })
  expect(getModuleCodes(moveModule(2, 0))).toEqual(['scm', 'core', 'fin'])
  expect(getModuleCodes(moveModule(0, 2))).toEqual(['fin', 'scm', 'core'])
  expect([getModuleCodes(moveModule(0, 99)), getModuleCodes(moveModule(1, -5))]).toEqual([
    ['fin', 'scm', 'core'],
    ['fin', 'core', 'scm'],
  ])
  const changedValues = setCell(values, 'module', 1, 'hkd', '5')
  expect([changedValues.module[0] === values.module[0], changedValues.module[1] === values.module[1]]).toEqual([
    true,
    false,
  ])
  expect(changedValues.concurrentUser).toBe(values.concurrentUser)
})

it('Only changed values are sent', () => {
  const originalValues = createValidValues()
  const readList = (values: PriceListValues) => readForm(values, formContext).list
  expect(getChangedValues(originalValues, createValidValues())).toEqual({})
  expect(getListChanges(readList(originalValues), readList(createValidValues()))).toEqual({})
  const movedValues = applyActions(originalValues, { kind: 'move', key: getRowKey(originalValues, 'module', 0), to: 1 })
  expect(getChangedValues(movedValues, originalValues)).toEqual({ module: movedValues.module })
  expect(Object.keys(getListChanges(readList(movedValues), readList(originalValues)))).toEqual(['module'])
  expect(
    getListChanges(
      readList(applyActions(originalValues, createHeaderAction('desc', 'Other'))),
      readList(originalValues),
    ),
  ).toEqual({ desc: 'Other' })
})

it('Each changed field keeps its input when another user has changed the list', () => {
  const originalValues = createValidValues()
  const serverValues = setCell(
    applyActions(
      originalValues,
      createHeaderAction('desc', 'Theirs'),
      createHeaderAction('uat_charge', '5'),
      createHeaderAction('min_fee_hkd', '70.00'),
    ),
    'module',
    0,
    'hkd',
    '70',
  )
  const ownValues = setCell(
    // An amount typed in another form is not a change.
    applyActions(originalValues, createHeaderAction('desc', 'Mine'), createHeaderAction('min_fee_hkd', '0')),
    'concurrentUser',
    0,
    'hkd',
    '100',
  )
  const mergedValues = rebaseValues(ownValues, originalValues, serverValues)
  const { desc, uat_charge: uatCharge, min_fee_hkd: minimumFee } = mergedValues.header
  expect([desc, uatCharge, minimumFee]).toEqual(['Mine', '5', '70.00'])
  expect([mergedValues.concurrentUser[0]?.hkd, mergedValues.module[0]?.hkd]).toEqual(['100', '70'])
})

it('A problem from the server is placed at its row, even if earlier rows were left out', () => {
  const values = pasteInto(createValidValues(), 'concurrentUser', 'to', '0\t\t\t\n10\t1\t1\t1')
  const { keys } = readForm(values, formContext)
  const placement = placeProblem({ field: 'concurrentUser.0.hkd', code: 'INVALID_FORMAT' }, keys)
  expect(placement).toMatchObject({ table: 'concurrentUser', key: getRowKey(values, 'concurrentUser', 1), name: 'hkd' })
  expect(placeProblem({ field: 'pdbPrice.pdb2s3_up_hkd', code: 'INVALID_FORMAT' }, keys)).toMatchObject({
    table: null,
    name: 'pdbPrice.pdb2s3_up_hkd',
  })
})

it('A problem of a field that the form does not have is shown at none of its fields', () => {
  const ownFields = ['desc', 'min_fee_usd', 'concurrentUser.0.to', 'module.12.code', 'pdbPrice.pdb2s3_traffic']
  expect(ownFields.filter((field) => !hasField(field))).toEqual([])
  expect(['id', 'type', 'confirmed', 'content', 'module', 'pdbPrice.x', 'module.x.code'].filter(hasField)).toEqual([])
})

it('Stored values of an earlier page are restored if this build can read them, and dropped if not', () => {
  const values = applyActions(createValidValues(), { kind: 'backup', isOn: true })
  const restoredValues = parseStoredValues(JSON.parse(JSON.stringify(values)))
  expect(restoredValues && getChangedValues(restoredValues, values)).toEqual({})
  const { uat_charge: _uatCharge, ...olderHeader } = values.header
  expect(parseStoredValues({ ...values, header: olderHeader })?.header.uat_charge).toBe('0.00')
  expect(parseStoredValues({ ...values, pdbPrice: {} })?.pdbPrice).toEqual(createBackupPrices())
  for (const brokenValues of [
    null,
    undefined,
    5,
    {},
    { header: {} },
    { ...values, module: {} },
    { ...values, concurrentUser: 'x' },
  ])
    expect(parseStoredValues(brokenValues)).toBeNull()
})
