/**
 * Filters and orders rows as the server's SQL does (protocol 36), using only the contract. Text is compared by its normalised key in UTF-8
 * byte order. Nulls come last in both orders. Equal values are ordered by id in the same direction, and `~intent` comes after every id.
 */
import type { ListSpec, ListFilter, RowRef, VersionedRow } from '#contract/endpoint.ts'
import { normaliseText } from '#domain/text.ts'

export type ColumnValue = string | number | boolean | null | undefined
export type FilterValues = Record<string, string | number | boolean | undefined>

export interface ListCandidate {
  row: VersionedRow
  folds: Record<string, string>
}

/** A dot in the column name reads from a nested object, as in `pending.type`. */
export function getColumnValue(row: VersionedRow, column: string): ColumnValue {
  const values = row as unknown as Record<string, ColumnValue>
  if (!column.includes('.')) return values[column]
  const [name = '', innerName = ''] = column.split('.')
  return (values[name] as unknown as Record<string, ColumnValue> | null | undefined)?.[innerName]
}

const getTextColumns = (list: ListSpec) =>
  new Set([
    ...Object.keys(list.sorts).filter((column) => list.sorts[column] === 'text'),
    ...Object.values(list.filters).flatMap((filter) => (filter.kind === 'contains' ? filter.columns : [])),
  ])

export function normaliseTexts(list: ListSpec, row: VersionedRow): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const column of getTextColumns(list)) {
    const value = getColumnValue(row, column)
    if (typeof value === 'string') texts[column] = normaliseText(value)
  }
  return texts
}

/** Removes filters without effect, so that equal filters always have the same form. */
export function normaliseFilters(list: ListSpec, filters: FilterValues): Record<string, string | number | boolean> {
  const usedFilters = Object.entries(filters).filter(([name, value]) => {
    const filter = list.filters[name]
    if (!filter || value === undefined || value === '') return false
    if (filter.kind === 'shows' || filter.kind === 'hides') return value === true
    return filter.kind !== 'contains' || normaliseText(String(value)) !== ''
  })
  return Object.fromEntries(usedFilters.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<
    string,
    string | number | boolean
  >
}

/** One filter as a test of values. A row matches if any of the columns has an accepted value. */
export interface FilterCondition {
  columns: readonly string[]
  usesNormalisedText: boolean
  isAccepted: (value: ColumnValue) => boolean
  /** True if a value between two accepted values is accepted too. */
  isRange: boolean
}

export function buildConditions(list: ListSpec, filters: FilterValues): FilterCondition[] {
  const usedFilters = normaliseFilters(list, filters)
  return Object.entries(list.filters).flatMap(
    ([name, filter]) => buildCondition(list, filter, usedFilters[name], usedFilters) ?? [],
  )
}

export function createRowMatcher(list: ListSpec, filters: FilterValues): (candidate: ListCandidate) => boolean {
  const conditions = buildConditions(list, filters)
  return ({ row, folds: normalisedTexts }) =>
    conditions.every(({ columns, usesNormalisedText, isAccepted }) =>
      columns.some((column) => isAccepted(usesNormalisedText ? normalisedTexts[column] : getColumnValue(row, column))),
    )
}

function buildCondition(
  list: ListSpec,
  filter: ListFilter,
  filterValue: string | number | boolean | undefined,
  usedFilters: FilterValues,
): FilterCondition | null {
  const createCondition = (isAccepted: FilterCondition['isAccepted'], isRange = false): FilterCondition => ({
    columns: 'columns' in filter ? filter.columns : [filter.column],
    usesNormalisedText: filter.kind === 'contains',
    isAccepted,
    isRange,
  })
  if (filter.kind === 'shows')
    return filterValue === true || isValueRequested(list, filter, usedFilters)
      ? null
      : createCondition((value) => value !== filter.value)
  if (filterValue === undefined) return null
  switch (filter.kind) {
    case 'equal': {
      const { column, or } = filter
      if (or?.value !== filterValue) return createCondition((value) => value === filterValue)
      const values: readonly ColumnValue[] = [filterValue, ...or.values]
      return { ...createCondition((value) => values.includes(value)), columns: [column, or.column] }
    }
    case 'hides':
      return createCondition((value) => value !== filter.value)
    case 'contains': {
      const normalisedPart = normaliseText(String(filterValue))
      return createCondition((text) => typeof text === 'string' && text.includes(normalisedPart))
    }
    case 'from':
      return createCondition((value) => hasValue(value) && compareValues(value, filterValue) >= 0, true)
    case 'until':
      return createCondition(
        (value) => hasValue(value) && compareValues(getPrefix(value, filterValue), filterValue) <= 0,
        true,
      )
  }
}

const hasValue = (value: ColumnValue) => value !== null && value !== undefined

/** Cuts the value to the length of the filter value, so that a time range that ends with a day includes all times of that day. */
const getPrefix = (value: ColumnValue, filterValue: ColumnValue) =>
  typeof value === 'string' && typeof filterValue === 'string' ? value.slice(0, filterValue.length) : value

export const isValueRequested = (list: ListSpec, hiddenFilter: ListFilter & { kind: 'shows' }, filters: FilterValues) =>
  Object.entries(list.filters).some(
    ([name, filter]) =>
      filter.kind === 'equal' && filter.column === hiddenFilter.column && filters[name] === hiddenFilter.value,
  )

/** Compares strings in UTF-8 byte order. UTF-16 order differs between surrogates and characters from U+E000 on. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const codeA = a.charCodeAt(i)
    const codeB = b.charCodeAt(i)
    if (codeA !== codeB) return getByteRank(codeA) - getByteRank(codeB)
  }
  return a.length - b.length
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff
const getByteRank = (unit: number) => (isSurrogate(unit) ? unit + 0x10000 : unit)

export function compareValues(a: ColumnValue, b: ColumnValue): number {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return Number(a) - Number(b)
}

const getIdRank = (id: RowRef) => (typeof id === 'number' ? id : Number.POSITIVE_INFINITY)

function compareIds(a: RowRef, b: RowRef): number {
  if (a === b) return 0
  const [rankA, rankB] = [getIdRank(a), getIdRank(b)]
  return rankA === rankB ? compareText(String(a), String(b)) : rankA < rankB ? -1 : 1
}

export interface ListPosition {
  value: ColumnValue
  id: RowRef
}

export function createPositionReader(list: ListSpec, field: string): (candidate: ListCandidate) => ListPosition {
  const isText = list.sorts[field] === 'text'
  return ({ row, folds: normalisedTexts }) => ({
    value: (isText ? normalisedTexts[field] : getColumnValue(row, field)) ?? null,
    id: row.id,
  })
}

export function createPositionComparer(order: 'asc' | 'desc'): (a: ListPosition, b: ListPosition) => number {
  const direction = order === 'desc' ? -1 : 1
  return (a, b) => {
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1
      return direction * compareIds(a.id, b.id)
    }
    return direction * (compareValues(a.value, b.value) || compareIds(a.id, b.id))
  }
}

export function createRowComparer(
  list: ListSpec,
  [field, order]: ListSpec['sort'],
): (a: ListCandidate, b: ListCandidate) => number {
  const readPosition = createPositionReader(list, field)
  const compare = createPositionComparer(order)
  return (a, b) => compare(readPosition(a), readPosition(b))
}
