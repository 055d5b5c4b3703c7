/**
 * The values of a list's view as data: how each is read from the address, printed in it, and what it asks the server for. A value
 * that cannot be read is left at its default, never an error (C-01).
 */
import type { RowRef } from '#contract/endpoint.ts'
import { isDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

type FieldQuery = Record<string, string | number | boolean | undefined>

interface ViewFieldOptions<T> {
  /** Its name in the address, where that is another than in the view. */
  param?: string
  /** Fields of the call's query. Without it: the value under the field's own name, nothing for the default. */
  toQuery?(value: T): FieldQuery
  /** Chooses which list is shown: an empty one is not said to be filtered. */
  isScope?: true
  /** Part of the address and not of the list: the open drawer. It turns no page and is not remembered. */
  isOutsideList?: true
}

/** One value of a view; `undefined` from `parse`: the text is no value of it. */
export interface ViewField<T> extends ViewFieldOptions<T> {
  defaultValue: T
  parse(text: string): T | undefined
  print(value: T): string
}

/** The largest id of the database. */
const maxId = 2_147_483_647

/** A whole number from 1 to `max`; null for all else. */
export function parseWholeNumber(value: string | null, max: number): number | null {
  if (value === null || !/^\d{1,10}$/.test(value)) return null
  const number = Number(value)
  return number >= 1 && number <= max ? number : null
}

export const parseId = (text: string | null): number | null => parseWholeNumber(text, maxId)

/** An id, or the name of a row that waits to be created. */
export const parseRowRef = (text: string | null): RowRef | null =>
  text !== null && /^~[0-9a-f-]{36}$/i.test(text) ? (text as `~${string}`) : parseId(text)

/** One of these values; null: any of them. */
export const oneOf = <T extends string | number>(
  values: readonly T[],
  options: ViewFieldOptions<T | null> = {},
): ViewField<T | null> => ({
  ...options,
  defaultValue: null,
  parse: (text) => values.find((value) => String(value) === text),
  print: String,
})

/** One of these values, the first unless `defaultValue` says another. */
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

/** `YYYY-MM-DD`. */
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

/** The row in the drawer, or `new` for a form without one. */
export const openRow = (options: ViewFieldOptions<RowRef | 'new' | null> = {}): ViewField<RowRef | 'new' | null> => ({
  isOutsideList: true,
  ...options,
  defaultValue: null,
  parse: (text) => (text === 'new' ? text : (parseRowRef(text) ?? undefined)),
  print: String,
})
