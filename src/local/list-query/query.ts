/**
 * Filters and orders rows as the server's SQL does (protocol 36), from the contract's data alone: text by its folded
 * key in the order of its UTF-8 bytes, nulls last both ways, ties by id in the same direction, `~intent` after every id.
 */
import type { ListSpec, Filter, Id, Row } from '#contract/endpoint.ts'
import { foldText } from '#domain/text.ts'

export type Value = string | number | boolean | null | undefined
export type Filters = Record<string, string | number | boolean | undefined>

/** A row with its folded texts at hand. */
export interface Candidate {
  row: Row
  folds: Record<string, string>
}

/** A dot leads into an object: `pending.type`. */
export function valueOf(row: Row, column: string): Value {
  const values = row as unknown as Record<string, Value>
  if (!column.includes('.')) return values[column]
  const [name = '', inner = ''] = column.split('.')
  return (values[name] as unknown as Record<string, Value> | null | undefined)?.[inner]
}

const textColumns = (list: ListSpec) =>
  new Set([
    ...Object.keys(list.sorts).filter((column) => list.sorts[column] === 'text'),
    ...Object.values(list.filters).flatMap((filter) => (filter.kind === 'contains' ? filter.columns : [])),
  ])

export function foldsOf(list: ListSpec, row: Row): Record<string, string> {
  const folds: Record<string, string> = {}
  for (const column of textColumns(list)) {
    const value = valueOf(row, column)
    if (typeof value === 'string') folds[column] = foldText(value)
  }
  return folds
}

/** What was asked without what asks for nothing: the same filter always looks the same. */
export function tidyFilters(list: ListSpec, filters: Filters): Record<string, string | number | boolean> {
  const kept = Object.entries(filters).filter(([name, value]) => {
    const filter = list.filters[name]
    if (!filter || value === undefined || value === '') return false
    if (filter.kind === 'shows') return value === true
    return filter.kind !== 'contains' || foldText(String(value)) !== ''
  })
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, string | number | boolean>
}

/** One filter as it is tested: a row fits if any of the columns holds an accepted value. */
export interface Condition {
  columns: readonly string[]
  /** Whether it looks at the folded text. */
  folded: boolean
  accepts: (value: Value) => boolean
  /** Accepts a stretch of the column's order, so whoever accepts both ends of one accepts what lies between. */
  isRange: boolean
}

export function conditionsOf(list: ListSpec, filters: Filters): Condition[] {
  const asked = tidyFilters(list, filters)
  return Object.entries(list.filters).flatMap(([name, filter]) => conditionOf(list, filter, asked[name], asked) ?? [])
}

export function matches(list: ListSpec, filters: Filters): (candidate: Candidate) => boolean {
  const conditions = conditionsOf(list, filters)
  return ({ row, folds }) =>
    conditions.every(({ columns, folded, accepts }) =>
      columns.some((column) => accepts(folded ? folds[column] : valueOf(row, column))),
    )
}

function conditionOf(
  list: ListSpec,
  filter: Filter,
  given: string | number | boolean | undefined,
  asked: Filters,
): Condition | null {
  const on = (accepts: Condition['accepts'], isRange = false): Condition => ({
    columns: 'columns' in filter ? filter.columns : [filter.column],
    folded: filter.kind === 'contains',
    accepts,
    isRange,
  })
  if (filter.kind === 'shows')
    return given === true || asksFor(list, filter, asked) ? null : on((value) => value !== filter.value)
  if (given === undefined) return null
  switch (filter.kind) {
    case 'equal': {
      const { column, or } = filter
      if (or?.value !== given) return on((value) => value === given)
      const values: readonly Value[] = [given, ...or.values]
      return { ...on((value) => values.includes(value)), columns: [column, or.column] }
    }
    case 'contains': {
      const part = foldText(String(given))
      return on((text) => typeof text === 'string' && text.includes(part))
    }
    case 'from':
      return on((value) => isKnown(value) && compareValues(value, given) >= 0, true)
    case 'until':
      return on((value) => isKnown(value) && compareValues(beginOf(value, given), given) <= 0, true)
  }
}

/** No value is neither before nor after anything. */
const isKnown = (value: Value) => value !== null && value !== undefined

/** As much of it as is asked about: a time of the last day belongs to a range that ends with that day. */
const beginOf = (value: Value, given: Value) =>
  typeof value === 'string' && typeof given === 'string' ? value.slice(0, given.length) : value

/** Whether another filter asks for just the value that `shows` hides. */
export const asksFor = (list: ListSpec, hidden: Filter & { kind: 'shows' }, asked: Filters) =>
  Object.entries(list.filters).some(
    ([name, filter]) => filter.kind === 'equal' && filter.column === hidden.column && asked[name] === hidden.value,
  )

/** Strings in the order of their UTF-8 bytes: UTF-16 units differ where a surrogate meets U+E000 and above. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return byteRank(left) - byteRank(right)
  }
  return a.length - b.length
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff
const byteRank = (unit: number) => (isSurrogate(unit) ? unit + 0x10000 : unit)

export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return Number(a) - Number(b)
}

const idRank = (id: Id) => (typeof id === 'number' ? id : Number.POSITIVE_INFINITY)

function compareIds(a: Id, b: Id): number {
  if (a === b) return 0
  const [left, right] = [idRank(a), idRank(b)]
  return left === right ? compareText(String(a), String(b)) : left < right ? -1 : 1
}

/** Where a row stands in one order. */
export interface Place {
  value: Value
  id: Id
}

export function placeOf(list: ListSpec, field: string): (candidate: Candidate) => Place {
  const isText = list.sorts[field] === 'text'
  return ({ row, folds }) => ({ value: (isText ? folds[field] : valueOf(row, field)) ?? null, id: row.id })
}

export function comparePlaces(order: 'asc' | 'desc'): (a: Place, b: Place) => number {
  const direction = order === 'desc' ? -1 : 1
  return (a, b) => {
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1
      return direction * compareIds(a.id, b.id)
    }
    return direction * (compareValues(a.value, b.value) || compareIds(a.id, b.id))
  }
}

export function comparer(list: ListSpec, [field, order]: ListSpec['sort']): (a: Candidate, b: Candidate) => number {
  const place = placeOf(list, field)
  const compare = comparePlaces(order)
  return (a, b) => compare(place(a), place(b))
}
