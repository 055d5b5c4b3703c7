/**
 * Names by which rows refer to each other. Queued writes with a common name are sent in order. A write that needs a name waits for the
 * write that creates it (decision 82).
 */
import { normaliseText } from '#domain/text.ts'

type RowFields = Readonly<Record<string, unknown>>

export interface RowNames {
  getOwnNames: (fields: RowFields) => string[]
  /** Names of other rows that a row with these fields refers to. */
  getNeededNames?: (fields: RowFields) => string[]
}

const joinNameParts = (...parts: unknown[]) => parts.map(String).join(' ')

/** Module codes are unique within a client type. */
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

/** The e-mail address of a deleted user can be used again. */
export const userRowNames: RowNames = {
  getOwnNames: ({ email }) => [joinNameParts('user', normaliseText(String(email)))],
}
