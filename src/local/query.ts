/**
 * Filters and orders rows as the server's SQL does (protocol 36), from the contract's data alone: text by its folded
 * key in the order of its UTF-8 bytes, nulls last both ways, ties by id in the same direction, `~intent` after every id.
 */
import type { Fills, Filter, Id, Row } from '#contract/endpoint.ts'
import type { Coverage } from '#local/database.ts'
import { foldText } from '#domain/text.ts'

type Value = string | number | boolean | null | undefined
export type Filters = Record<string, string | number | boolean | undefined>

/** A row with its folded texts at hand. */
export interface Candidate {
  row: Row
  folds: Record<string, string>
}

const valueOf = (row: Row, column: string): Value => (row as unknown as Record<string, Value>)[column]

const textColumns = (fills: Fills) =>
  new Set([
    ...Object.keys(fills.sorts).filter((column) => fills.sorts[column] === 'text'),
    ...Object.values(fills.filters).flatMap((filter) => (filter.is === 'contains' ? filter.columns : [])),
  ])

export function foldsOf(fills: Fills, row: Row): Record<string, string> {
  const folds: Record<string, string> = {}
  for (const column of textColumns(fills)) {
    const value = valueOf(row, column)
    if (typeof value === 'string') folds[column] = foldText(value)
  }
  return folds
}

/** What was asked without what asks for nothing: the same filter always looks the same. */
export function tidyFilters(fills: Fills, filters: Filters): Record<string, string | number | boolean> {
  const kept = Object.entries(filters).filter(([name, value]) => {
    const filter = fills.filters[name]
    if (!filter || value === undefined || value === '') return false
    if (filter.is === 'shows') return value === true
    return filter.is !== 'contains' || foldText(String(value)) !== ''
  })
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, string | number | boolean>
}

export function matches(fills: Fills, filters: Filters): (candidate: Candidate) => boolean {
  const asked = tidyFilters(fills, filters)
  const tests = Object.entries(fills.filters).map(([name, filter]) => testOf(fills, filter, asked[name], asked))
  return (candidate) => tests.every((test) => test(candidate))
}

function testOf(
  fills: Fills,
  filter: Filter,
  value: string | number | boolean | undefined,
  asked: Filters,
): (candidate: Candidate) => boolean {
  if (filter.is === 'shows') {
    if (value === true || asksFor(fills, filter, asked)) return () => true
    return ({ row }) => valueOf(row, filter.column) !== filter.value
  }
  if (value === undefined) return () => true
  switch (filter.is) {
    case 'equal':
      return ({ row }) => valueOf(row, filter.column) === value
    case 'contains': {
      const part = foldText(String(value))
      return ({ folds }) => filter.columns.some((column) => folds[column]?.includes(part))
    }
    case 'from':
      return ({ row }) => compareKnown(valueOf(row, filter.column), value, (order) => order >= 0)
    case 'until':
      return ({ row }) => compareKnown(valueOf(row, filter.column), value, (order) => order <= 0)
  }
}

/** No value is neither before nor after anything. */
const compareKnown = (found: Value, value: Value, fits: (order: number) => boolean) =>
  found !== null && found !== undefined && fits(compareValues(found, value))

/** Whether another filter asks for just the value that `shows` hides. */
const asksFor = (fills: Fills, hidden: Filter & { is: 'shows' }, asked: Filters) =>
  Object.entries(fills.filters).some(
    ([name, filter]) => filter.is === 'equal' && filter.column === hidden.column && asked[name] === hidden.value,
  )

/** Whether every row that `wanted` means is also meant by `known`. */
export function covers(fills: Fills, known: Filters, wanted: Filters): boolean {
  return Object.entries(fills.filters).every(([name, filter]) => {
    if (filter.is === 'shows') {
      const shown = (filters: Filters) => filters[name] === true || asksFor(fills, filter, filters)
      return shown(known) || !shown(wanted)
    }
    return known[name] === undefined || known[name] === wanted[name]
  })
}

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

function compareValues(a: Value, b: Value): number {
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

export function comparer(fills: Fills, sort: Fills['sort']): (a: Candidate, b: Candidate) => number {
  const [field, order] = sort
  const isText = fills.sorts[field] === 'text'
  const direction = order === 'desc' ? -1 : 1
  const keyOf = ({ row, folds }: Candidate) => (isText ? folds[field] : valueOf(row, field)) ?? null
  return (a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)]
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1
      return direction * compareIds(a.row.id, b.row.id)
    }
    return direction * (compareValues(left, right) || compareIds(a.row.id, b.row.id))
  }
}

export const coverageId = (table: string, scope: number | null, filters: Filters) =>
  `${table}|${scope ?? ''}|${JSON.stringify(filters)}`
export const fillId = (table: string, scope: number | null) => `${table}|${scope ?? ''}`
export const pageId = (coverage: string, sort: Fills['sort'], results: number, page: number) =>
  `${coverage}|${sort.join(' ')}|${results}|${page}`

/** Whether the stretches read so far are the whole list. */
export const isWhole = ({ spans, total }: Coverage) => total === 0 || (spans[0]?.[0] === 0 && spans[0][1] >= total)

/** Adds a stretch, joining what it touches. */
export function addSpan(spans: readonly [number, number][], added: [number, number]): [number, number][] {
  const sorted = [...spans, added].sort((a, b) => a[0] - b[0])
  const joined: [number, number][] = []
  for (const [from, to] of sorted) {
    const last = joined.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}
