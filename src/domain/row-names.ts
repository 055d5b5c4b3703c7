/**
 * Names that rows have beside their ids: writes that share one are sent in the order in which they were made, and what needs a name
 * waits for the write that brings it (decision 82).
 */
import { foldText } from '#domain/text.ts'

type RowFields = Readonly<Record<string, unknown>>

export interface RowNames {
  /** Names that no other row has, of a row with these fields. */
  own: (fields: RowFields) => string[]
  /** Names of other rows that a row with these fields needs. */
  needs?: (fields: RowFields) => string[]
}

const nameOf = (...parts: unknown[]) => parts.map(String).join(' ')

/** Codes of modules are unique within a client type. */
const moduleNames = (type: unknown, codes: unknown): string[] =>
  (Array.isArray(codes) ? codes : []).map((code) => nameOf('module', type ?? 'saas', foldText(String(code))))

export const moduleRowNames: RowNames = {
  own: ({ type, code }) => (code ? moduleNames(type, [code]) : []),
  needs: ({ type, dependencies, conditions }) => [...moduleNames(type, dependencies), ...moduleNames(type, conditions)],
}

export const orderRowNames: RowNames = {
  own: ({ code }) => [nameOf('order', code)],
  needs: ({ client_type: type, modules }) => moduleNames(type, modules),
}

export const priceListRowNames: RowNames = {
  own: ({ type, effective_date: day }) => (day ? [nameOf('price list', type, day)] : []),
  needs: ({ type, module }) =>
    moduleNames(
      type,
      ((module ?? []) as { code: string }[]).map(({ code }) => code),
    ),
}

/** A deleted user's address is free again. */
export const userRowNames: RowNames = { own: ({ email }) => [nameOf('user', foldText(String(email)))] }
