/**
 * Lists valid and invalid contents of a price list as a table: values at each limit and beyond it (contracts 5, D81, D82). The server's
 * tests send each case by POST and PUT, the form's tests type them.
 */
import type { FieldCode } from '#domain/checks/field-checks.ts'
import type { OrderFieldCode } from '#domain/checks/order-checks.ts'

type Charges = Record<'hkd' | 'usd' | 'rmb', string>
type Range = Charges & { from: number; to: number }

/** No demo list starts on `freeDay`; one starts on `usedDay`. */
export const freeDay = '2028-02-29'
export const usedDay = '2026-01-01'

/** Builds a valid list. `ids` are the ids of the modules `core`, `fin` and `base`, which is hidden. */
export const buildValidList = (ids: Record<'core' | 'fin' | 'base', number>) => ({
  type: 'saas' as const,
  effective_date: freeDay,
  desc: 'Spring',
  uat_charge: '20.00',
  uat_cap_hkd: '5000.00',
  uat_cap_usd: '640.00',
  uat_cap_rmb: '4500.00',
  min_concurrent_user: 5,
  min_named_user: 10,
  min_fee_hkd: '20000.00',
  min_fee_usd: '2560.00',
  min_fee_rmb: '18000.00',
  concurrentUser: [buildRange(1, 10), buildRange(11, 999_999)],
  namedUser: [buildRange(1, 20), buildRange(21, 100)],
  module: [
    { code: 'core', module_id: ids.core, ...charge },
    { code: 'fin', module_id: ids.fin, ...charge },
  ],
  pdbPrice: {
    pdb2s3_fee_hkd: '6000.00',
    pdb2s3_fee_usd: '770.00',
    pdb2s3_fee_rmb: '5400.00',
    pdb2s3_traffic: '50.00',
    pdb2s3_discount: '10.00',
    pdb2s3_up_hkd: '12.50',
    pdb2s3_up_usd: '1.60',
    pdb2s3_up_rmb: '11.25',
    pdb2rds_fee_hkd: '15000.00',
    pdb2rds_fee_usd: '1925.00',
    pdb2rds_fee_rmb: '13500.00',
    pdb2rds_discount: '0.00',
  },
})

const charge: Charges = { hkd: '3.00', usd: '2.00', rmb: '1.00' }
const buildRange = (from: number, to: number, charges: Partial<Charges> = {}): Range => ({
  from,
  to,
  ...charge,
  ...charges,
})

type ValidPriceList = ReturnType<typeof buildValidList>
type ModuleIds = Parameters<typeof buildValidList>[0]

export interface PriceCase {
  name: string
  /** Fields that differ from the valid list. */
  change: (validList: ValidPriceList, ids: ModuleIds) => Record<string, unknown>
  /** Expected problems, in the order of the response. */
  problems?: { field: string; code: FieldCode | OrderFieldCode }[]
  /** Stored values of these fields, without ids of rows. */
  storedFields?: Record<string, unknown>
}

const storesUnchanged = (name: string, fields: Record<string, unknown>): PriceCase => ({
  name,
  change: () => fields,
  storedFields: fields,
})
const storesAs = (name: string, fields: Record<string, unknown>, storedFields: Record<string, unknown>): PriceCase => ({
  name,
  change: () => fields,
  storedFields,
})
const refuses = (
  name: string,
  change: Record<string, unknown> | PriceCase['change'],
  field: string,
  code: FieldCode | OrderFieldCode,
): PriceCase => ({
  name,
  change: typeof change === 'function' ? change : () => change,
  problems: [{ field, code }],
})
const toShortText = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 30)

const invalidAmounts = [
  '',
  '1',
  '1.5',
  '1.234',
  '1e3',
  ' 1.00',
  '1,000.00',
  '１.00',
  '+1.00',
  '.50',
  'NaN',
  '10000000000000.00',
  5,
]

const amountCases: PriceCase[] = [
  ...['0.00', '0.01', '999.99'].map((uat_charge) => storesUnchanged(`UAT charge ${uat_charge}`, { uat_charge })),
  ...['1000.00', '-0.01'].map((uat_charge) =>
    refuses(`UAT charge ${uat_charge}`, { uat_charge }, 'uat_charge', 'OUT_OF_RANGE'),
  ),
  ...invalidAmounts.map((uat_charge) =>
    refuses(`UAT charge ${toShortText(uat_charge)}`, { uat_charge }, 'uat_charge', 'INVALID_FORMAT'),
  ),
  refuses('UAT charge null', { uat_charge: null }, 'uat_charge', 'REQUIRED'),
  ...(['uat_cap_hkd', 'uat_cap_usd', 'uat_cap_rmb', 'min_fee_hkd', 'min_fee_usd', 'min_fee_rmb'] as const).flatMap(
    (field) => [
      storesUnchanged(`${field} 0.00`, { [field]: '0.00' }),
      storesUnchanged(`${field} at its highest`, { [field]: '9999999999999.99' }),
      refuses(`${field} -0.01`, { [field]: '-0.01' }, field, 'OUT_OF_RANGE'),
      refuses(`${field} too long`, { [field]: '10000000000000.00' }, field, 'INVALID_FORMAT'),
    ],
  ),
  storesAs('an amount of -0.00', { min_fee_hkd: '-0.00' }, { min_fee_hkd: '0.00' }),
  storesAs('an amount with leading zeros', { min_fee_hkd: '007.50' }, { min_fee_hkd: '7.50' }),
  ...(['min_concurrent_user', 'min_named_user'] as const).flatMap((field) => [
    storesUnchanged(`${field} 0`, { [field]: 0 }),
    storesUnchanged(`${field} 999999`, { [field]: 999_999 }),
    refuses(`${field} -1`, { [field]: -1 }, field, 'OUT_OF_RANGE'),
    refuses(`${field} 1000000`, { [field]: 1_000_000 }, field, 'OUT_OF_RANGE'),
    refuses(`${field} 1.5`, { [field]: 1.5 }, field, 'INVALID_FORMAT'),
    refuses(`${field} "5"`, { [field]: '5' }, field, 'INVALID_FORMAT'),
  ]),
]

const headerCases: PriceCase[] = [
  storesUnchanged('a leap day', { effective_date: '2032-02-29' }),
  ...['2027-02-29', '2027-13-01', '2027-00-10', '2027-1-1', '01/02/2027', '', '2027-01-01T00:00'].map(
    (effective_date) =>
      refuses(`the day ${toShortText(effective_date)}`, { effective_date }, 'effective_date', 'INVALID_FORMAT'),
  ),
  refuses('no day', { effective_date: null }, 'effective_date', 'REQUIRED'),
  refuses('a day on which another list starts', { effective_date: usedDay }, 'effective_date', 'DUPLICATE'),
  storesAs('a description with space around it', { desc: '  Spring sale ' }, { desc: 'Spring sale' }),
  storesUnchanged('a description of 500 characters', { desc: 'x'.repeat(500) }),
  refuses('a description of 501 characters', { desc: 'x'.repeat(501) }, 'desc', 'TOO_LONG'),
  refuses('no description', { desc: '' }, 'desc', 'REQUIRED'),
  refuses('a description of spaces', { desc: ' \u3000 ' }, 'desc', 'REQUIRED'),
  refuses('a description with a NUL character', { desc: 'a\0b' }, 'desc', 'INVALID_FORMAT'),
]

const rangeCases = (['concurrentUser', 'namedUser'] as const).flatMap((users): PriceCase[] => {
  const buildRanges = (...rows: Range[]) => ({ [users]: rows })
  const storesRanges = (name: string, sentRanges: Range[], storedRanges: Range[]) =>
    storesAs(`${users}: ${name}`, buildRanges(...sentRanges), buildRanges(...storedRanges))
  const refusesRanges = (name: string, rows: Range[], field: string, code: FieldCode) =>
    refuses(`${users}: ${name}`, buildRanges(...rows), `${users}.${field}`, code)
  return [
    storesRanges('none', [], []),
    storesRanges('one user', [buildRange(1, 1)], [buildRange(1, 1)]),
    storesRanges('all users', [buildRange(1, 999_999)], [buildRange(1, 999_999)]),
    storesRanges('a range from 0 starts at 1', [buildRange(0, 10)], [buildRange(1, 10)]),
    storesRanges('a single range from 999999 starts at 1', [buildRange(999_999, 999_999)], [buildRange(1, 999_999)]),
    storesRanges(
      'to below from is raised to it',
      [buildRange(1, 10), buildRange(11, 5)],
      [buildRange(1, 10), buildRange(11, 11)],
    ),
    storesRanges('to equal to from', [buildRange(1, 10), buildRange(11, 11)], [buildRange(1, 10), buildRange(11, 11)]),
    storesRanges('a gap is closed', [buildRange(1, 10), buildRange(50, 60)], [buildRange(1, 10), buildRange(11, 60)]),
    storesRanges(
      'an overlapping range starts later',
      [buildRange(1, 10), buildRange(5, 20)],
      [buildRange(1, 10), buildRange(11, 20)],
    ),
    storesRanges(
      'a range to 0 is dropped before the other ranges are adjusted',
      [buildRange(1, 10), buildRange(11, 0), buildRange(1, 20)],
      [buildRange(1, 10), buildRange(11, 20)],
    ),
    storesRanges('only ranges to 0', [buildRange(1, 0), buildRange(0, 0)], []),
    storesRanges(
      'the last user',
      [buildRange(1, 999_998), buildRange(1, 1)],
      [buildRange(1, 999_998), buildRange(999_999, 999_999)],
    ),
    refusesRanges('a range after the last user', [buildRange(1, 999_999), buildRange(1, 1)], '1.to', 'OUT_OF_RANGE'),
    refusesRanges('from -1', [buildRange(-1, 10)], '0.from', 'OUT_OF_RANGE'),
    refusesRanges('from 1000000', [buildRange(1_000_000, 10)], '0.from', 'OUT_OF_RANGE'),
    refusesRanges('to -1', [buildRange(1, -1)], '0.to', 'OUT_OF_RANGE'),
    refusesRanges('to 1000000', [buildRange(1, 1_000_000)], '0.to', 'OUT_OF_RANGE'),
    refusesRanges('half a user', [buildRange(1, 1.5)], '0.to', 'INVALID_FORMAT'),
    storesRanges('a price of 0.00', [buildRange(1, 10, { hkd: '0.00' })], [buildRange(1, 10, { hkd: '0.00' })]),
    refusesRanges('a price below nothing', [buildRange(1, 10, { usd: '-0.01' })], '0.usd', 'OUT_OF_RANGE'),
    refusesRanges('an invalid price', [buildRange(1, 10, { rmb: '1e3' })], '0.rmb', 'INVALID_FORMAT'),
    refuses(`${users}: 1001 rows`, buildRanges(...Array(1001).fill(buildRange(1, 1))), users, 'OUT_OF_RANGE'),
  ]
})

const moduleCases: PriceCase[] = [
  {
    name: 'modules in another order',
    change: ({ module }) => ({ module: module.toReversed() }),
    storedFields: buildModuleRows('fin', 'core'),
  },
  {
    name: 'rows without a module are dropped',
    change: ({ module }) => ({
      module: [{ code: '', ...charge }, ...module.slice(0, 1), { code: '', module_id: 1, ...charge }],
    }),
    storedFields: buildModuleRows('core'),
  },
  {
    name: 'only rows without a module',
    change: () => ({ module: [{ code: '', ...charge }] }),
    storedFields: buildModuleRows(),
  },
  refuses(
    'the same module twice',
    ({ module }) => ({ module: [...module, ...module.slice(0, 1)] }),
    'module.2.code',
    'DUPLICATED_MODULE',
  ),
  refuses(
    'an unknown module',
    ({ module }) => ({ module: [...module, { code: 'zzz', module_id: 999_999, ...charge }] }),
    'module.2.code',
    'MODULE_UNKNOWN',
  ),
  refuses(
    'a hidden module (D5)',
    (_, ids) => ({ module: [{ code: 'base', module_id: ids.base, ...charge }] }),
    'module.0.code',
    'MODULE_UNKNOWN',
  ),
  refuses(
    'the code of one module and the id of another',
    (_, ids) => ({ module: [{ code: 'core', module_id: ids.fin, ...charge }] }),
    'module.0.code',
    'MODULE_UNKNOWN',
  ),
  refuses('a code without an id', () => ({ module: [{ code: 'core', ...charge }] }), 'module.0.code', 'MODULE_UNKNOWN'),
  refuses(
    'a code of other characters',
    () => ({ module: [{ code: 'a b', module_id: 1, ...charge }] }),
    'module.0.code',
    'INVALID_FORMAT',
  ),
  refuses(
    'a code that is too long',
    () => ({ module: [{ code: 'a'.repeat(61), module_id: 1, ...charge }] }),
    'module.0.code',
    'TOO_LONG',
  ),
  refuses(
    'a price below nothing',
    ({ module }) => ({ module: module.map((row) => ({ ...row, hkd: '-0.01' })).slice(0, 1) }),
    'module.0.hkd',
    'OUT_OF_RANGE',
  ),
  refuses('1001 modules', ({ module }) => ({ module: Array(1001).fill(module[0]) }), 'module', 'OUT_OF_RANGE'),
]

function buildModuleRows(...codes: string[]): Record<string, unknown> {
  return { module: codes.map((code) => ({ code, ...charge })) }
}

const backupCases: PriceCase[] = [
  storesUnchanged('no backup prices', { pdbPrice: null }),
  ...(['pdb2s3_discount', 'pdb2rds_discount'] as const).flatMap((field) => [
    ...['0.00', '1.00', '100.00'].map((value) => buildBackupCase(field, value)),
    ...['0.50', '99.99', '100.01', '101.00', '-1.00'].map((value) => buildBackupCase(field, value, 'OUT_OF_RANGE')),
  ]),
  ...['0.00', '1.00', '999999.00'].map((value) => buildBackupCase('pdb2s3_traffic', value)),
  ...['0.50', '-1.00'].map((value) => buildBackupCase('pdb2s3_traffic', value, 'OUT_OF_RANGE')),
  buildBackupCase('pdb2s3_up_rmb', '0.01'),
  buildBackupCase('pdb2s3_up_rmb', '-0.01', 'OUT_OF_RANGE'),
  buildBackupCase('pdb2rds_fee_usd', '1.5', 'INVALID_FORMAT'),
]

function buildBackupCase(field: keyof ValidPriceList['pdbPrice'], value: string, code?: FieldCode): PriceCase {
  const change = ({ pdbPrice }: ValidPriceList) => ({ pdbPrice: { ...pdbPrice, [field]: value } })
  const name = `${field} ${value}`
  if (code) return refuses(name, change, `pdbPrice.${field}`, code)
  return { name, change, storedFields: { pdbPrice: { [field]: value } } }
}

export const priceCases: readonly PriceCase[] = [
  ...headerCases,
  ...amountCases,
  ...rangeCases,
  ...moduleCases,
  ...backupCases,
]
