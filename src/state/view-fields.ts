/** Fields of a list's view: address, defaults and query. An invalid value becomes its default (C-01). */
import type { RowRef } from '#contract/endpoint.ts'
import { isDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

type FieldQuery = Record<string, string | number | boolean | undefined>

interface ViewFieldOptions<T> {
  /** The field's name in the address, if it differs from the name in the view. */
  param?: string
  /** Returns the field's part of the call's query. The default is the value under the field's name, or nothing for the default value. */
  toQuery?(value: T): FieldQuery
  /** True if the field selects which list is shown. It is not a filter, so it is not a reason why a list is empty. */
  isScope?: true
  /**
   * True if the field belongs to the address but not to the list, such as the open drawer. A change of it keeps the page number, and it is
   * not part of the saved query.
   */
  isOutsideList?: true
}

/** One value of a view. `parse` returns undefined for an invalid text. */
export interface ViewField<T> extends ViewFieldOptions<T> {
  defaultValue: T
  parse(text: string): T | undefined
  print(value: T): string
}

const maxId = 2_147_483_647

/** Returns a whole number from 1 to `max`, or null for any other text. */
export function parseWholeNumber(value: string | null, max: number): number | null {
  if (value === null || !/^\d{1,10}$/.test(value)) return null
  const number = Number(value)
  return number >= 1 && number <= max ? number : null
}

export const parseId = (text: string | null): number | null => parseWholeNumber(text, maxId)

/** Returns an id, or the intent reference of a row that waits to be created. */
export const parseRowRef = (text: string | null): RowRef | null =>
  text !== null && /^~[0-9a-f-]{36}$/i.test(text) ? (text as `~${string}`) : parseId(text)

/** A field with one of these values, or null for any. */
export const oneOf = <T extends string | number>(
  values: readonly T[],
  options: ViewFieldOptions<T | null> = {},
): ViewField<T | null> => ({
  ...options,
  defaultValue: null,
  parse: (text) => values.find((value) => String(value) === text),
  print: String,
})

/** A field with one of these values. The default is the first one, unless `defaultValue` is given. */
export const choice = <T extends string | number>(
  values: readonly [T, ...T[]],
  { defaultValue = values[0], ...options }: ViewFieldOptions<T> & { defaultValue?: T } = {},
): ViewField<T> => ({
  ...options,
  defaultValue,
  parse: (text) => values.find((value) => String(value) === text),
  print: String,
})

export const id = (options: ViewFieldOptions<number | null> = {}): ViewField<number | null> => ({
  ...options,
  defaultValue: null,
  parse: (text) => parseId(text) ?? undefined,
  print: String,
})

/** A field with a date in the format `YYYY-MM-DD`. */
export const date = (options: ViewFieldOptions<PlainDate | null> = {}): ViewField<PlainDate | null> => ({
  ...options,
  defaultValue: null,
  parse: (text) => (isDay(text) ? text : undefined),
  print: String,
})

export const flag = (options: ViewFieldOptions<boolean> = {}): ViewField<boolean> => ({
  ...options,
  defaultValue: false,
  parse: (text) => (text === 'true' ? true : undefined),
  print: String,
})

/** A field with the row that is open in the drawer, or `new` for an empty form. */
export const openRow = (options: ViewFieldOptions<RowRef | 'new' | null> = {}): ViewField<RowRef | 'new' | null> => ({
  isOutsideList: true,
  ...options,
  defaultValue: null,
  parse: (text) => (text === 'new' ? text : (parseRowRef(text) ?? undefined)),
  print: String,
})
