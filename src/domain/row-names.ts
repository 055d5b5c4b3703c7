/**
 * Names that rows have beside their ids: writes that share one are sent in the order in which they were made, and what needs a name
 * waits for the write that brings it (decision 82).
 */
import { normaliseText } from '#domain/text.ts'

type RowFields = Readonly<Record<string, unknown>>

export interface RowNames {
  /** Names that no other row has, of a row with these fields. */
  getOwnNames: (fields: RowFields) => string[]
  /** Names of other rows that a row with these fields needs. */
  getNeededNames?: (fields: RowFields) => string[]
}

const joinNameParts = (...parts: unknown[]) => parts.map(String).join(' ')

/** Codes of modules are unique within a client type. */
const toModuleNames = (type: unknown, codes: unknown): string[] =>
  (Array.isArray(codes) ? codes : []).map((code) =>
    joinNameParts('module', type ?? 'saas', normaliseText(String(code))),
  )

export const moduleRowNames: RowNames = {
  getOwnNames: ({ type, code }) => (code ? toModuleNames(type, [code]) : []),
  getNeededNames: ({ type, dependencies, conditions }) => [
    ...toModuleNames(type, dependencies),
    ...toModuleNames(type, conditions),
  ],
}

export const orderRowNames: RowNames = {
  getOwnNames: ({ code }) => [joinNameParts('order', code)],
  getNeededNames: ({ client_type: type, modules }) => toModuleNames(type, modules),
}

export const priceListRowNames: RowNames = {
  getOwnNames: ({ type, effective_date: day }) => (day ? [joinNameParts('price list', type, day)] : []),
  getNeededNames: ({ type, module }) =>
    toModuleNames(
      type,
      ((module ?? []) as { code: string }[]).map(({ code }) => code),
    ),
}

/** A deleted user's address is free again. */
export const userRowNames: RowNames = {
  getOwnNames: ({ email }) => [joinNameParts('user', normaliseText(String(email)))],
}
