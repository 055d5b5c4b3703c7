/** A price list's form: its values as they are typed, and how they meet a list that somebody else has changed meanwhile. */
import type { OutputOf } from '#contract/endpoint.ts'
import type { getPriceList } from '#contract/prices.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { currencies } from '#domain/money.ts'

/** As the server sends it. */
export type WholeList = OutputOf<typeof getPriceList>

export const charges = ['hkd', 'usd', 'rmb'] as const
export type Charge = (typeof charges)[number]
type Prices = Record<Charge, string>

/** `key`: which row it is while the form is open, wherever it is moved to. */
export interface RangeRow extends Prices {
  key: number
  /** The users that it begins with follow from the ranges before it (D82). */
  to: string
}
export interface ModuleRow extends Prices {
  key: number
  code: string
}

const perCurrency = <N extends string>(name: N) =>
  currencies.map((currency) => `${name}_${currency.toLowerCase() as Charge}` as const)

export const amountNames = [...perCurrency('uat_cap'), ...perCurrency('min_fee')] as const
export const minimumNames = ['min_concurrent_user', 'min_named_user'] as const
export const headerNames = ['effective_date', 'desc', 'uat_charge', ...amountNames, ...minimumNames] as const
export type HeaderName = (typeof headerNames)[number]

export const backupNames = [
  ...perCurrency('pdb2s3_fee'),
  'pdb2s3_traffic',
  ...perCurrency('pdb2s3_up'),
  'pdb2s3_discount',
  ...perCurrency('pdb2rds_fee'),
  'pdb2rds_discount',
] as const satisfies (keyof BackupPrices)[]
export type BackupName = (typeof backupNames)[number]

export const tierTables = ['concurrentUser', 'namedUser'] as const
export type TierTable = (typeof tierTables)[number]
export type Table = TierTable | 'module'

/** All of it is text, as it stands in the fields. */
export interface Values {
  header: Record<HeaderName, string>
  concurrentUser: readonly RangeRow[]
  namedUser: readonly RangeRow[]
  module: readonly ModuleRow[]
  /** Null: this list sells no backups. */
  pdbPrice: Record<BackupName, string> | null
}

let last = 0
export const nextKey = () => ++last

const noPrices: Prices = { hkd: '', usd: '', rmb: '' }
export const emptyRange = (): RangeRow => ({ key: nextKey(), to: '', ...noPrices })
export const emptyModule = (): ModuleRow => ({ key: nextKey(), code: '', ...noPrices })

const filled = <N extends string>(names: readonly N[], of: (name: N) => string) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<N, string>

export const noBackup = () => filled(backupNames, () => '0.00')

export const newValues = (): Values => ({
  header: {
    ...filled(headerNames, () => '0.00'),
    effective_date: '',
    desc: '',
    min_concurrent_user: '0',
    min_named_user: '0',
  },
  concurrentUser: [emptyRange()],
  namedUser: [emptyRange()],
  module: [],
  pdbPrice: null,
})

const pricesOf = ({ hkd, usd, rmb }: Prices): Prices => ({ hkd, usd, rmb })

/** `list` may wait on this device and lack what its form did not send. */
export const valuesOf = (list: WholeList): Values => ({
  header: filled(headerNames, (name) => String(list[name] ?? '')),
  concurrentUser: (list.concurrentUser ?? []).map((row) => ({ key: nextKey(), to: String(row.to), ...pricesOf(row) })),
  namedUser: (list.namedUser ?? []).map((row) => ({ key: nextKey(), to: String(row.to), ...pricesOf(row) })),
  module: (list.module ?? []).map((row) => ({ key: nextKey(), code: row.code, ...pricesOf(row) })),
  pdbPrice: list.pdbPrice ? filled(backupNames, (name) => list.pdbPrice?.[name] ?? '0.00') : null,
})

/** A copy to be saved as another list: it begins on a day of its own. */
export const copyOf = (list: WholeList): Values => {
  const values = valuesOf(list)
  return { ...values, header: { ...values.header, effective_date: '' } }
}

/** Users that a range begins with: one above the highest before it. Null: the row means nobody, and is dropped on saving. */
export function fromsOf(rows: readonly RangeRow[]): (number | null)[] {
  let next = 1
  return rows.map(({ to }) => {
    const last = Number(to.trim() || 0)
    if (last === 0) return null
    const from = next
    if (Number.isInteger(last)) next = Math.max(last, from) + 1
    return from
  })
}

const withoutKeys = (value: unknown) =>
  JSON.stringify(value, (name, one: unknown) => (name === 'key' ? undefined : one))
const isSame = (one: unknown, other: unknown) => one === other || withoutKeys(one) === withoutKeys(other)

/** Whether leaving would lose something. */
export const isDirty = (now: Values, before: Values): boolean =>
  (Object.keys(now) as (keyof Values)[]).some((part) => !isSame(now[part], before[part]))

/** After a conflict: theirs, with what was typed here still over it, field by field; rows of a table go together. */
export function rebase(typed: Values, before: Values, current: Values): Values {
  const own = <P extends Exclude<keyof Values, 'header'>>(part: P): Values[P] =>
    isSame(typed[part], before[part]) ? current[part] : typed[part]
  return {
    header: filled(headerNames, (name) => (typed.header[name] === before.header[name] ? current : typed).header[name]),
    concurrentUser: own('concurrentUser'),
    namedUser: own('namedUser'),
    module: own('module'),
    pdbPrice: own('pdbPrice'),
  }
}

/** What an earlier page left of a form may be of another build: then it is let go. */
export function valuesFrom(kept: unknown): Values | null {
  const found = kept as Partial<Values> | null | undefined
  if (typeof found?.header !== 'object' || !Array.isArray(found.concurrentUser)) return null
  if (!Array.isArray(found.namedUser) || !Array.isArray(found.module)) return null
  const fresh = newValues()
  const rows = <R extends { key: number }>(all: readonly R[], empty: () => R): R[] =>
    all.map((row) => ({ ...empty(), ...row, key: nextKey() }))
  return {
    header: { ...fresh.header, ...found.header },
    concurrentUser: rows(found.concurrentUser, emptyRange),
    namedUser: rows(found.namedUser, emptyRange),
    module: rows(found.module, emptyModule),
    pdbPrice: found.pdbPrice ? { ...noBackup(), ...found.pdbPrice } : null,
  }
}
