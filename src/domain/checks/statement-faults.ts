/** Reasons why a bank statement cannot be imported (decision 124). */

/** Texts: `fault.<code>` in `locales/en/statements.json`, with `{{line}}` and `{{column}}`. `{{column}}` is untrusted. */
export const statementFaults = [
  /** It is neither camt.053 nor CSV with a head line. */
  'UNKNOWN_FORMAT',
  /** Another message of ISO 20022, such as camt.052, which has entries that may change. */
  'OTHER_MESSAGE',
  'BAD_XML',
  'TOO_DEEP',
  'TOO_MANY_ENTRIES',
  'TOO_COMPLEX',
  /** An element of an entry is missing or has a wrong value. `column` is its name, and `line` its line. */
  'BAD_ENTRY',
  'BAD_QUOTES',
  'WRONG_COLUMN_COUNT',
  'COLUMN_MISSING',
  'COLUMN_TWICE',
  'BAD_DATE',
  /** Days and months cannot be told apart in any row. */
  'AMBIGUOUS_DATE',
  'BAD_AMOUNT',
  /** Decimals and thousands cannot be told apart in any row. */
  'AMBIGUOUS_AMOUNT',
  /** A row says neither that money was received nor that it was paid. */
  'BAD_DIRECTION',
  'BAD_CURRENCY',
  'NO_CURRENCY',
] as const
export type StatementFaultCode = (typeof statementFaults)[number]

export interface StatementFault {
  code: StatementFaultCode
  /** Line in the file, from 1. Null if the fault is not in one line. */
  line: number | null
  /** Name of the column or element, safe to display. Null if the fault is not in one. */
  column: string | null
}

const toDisplayName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
    .slice(0, 60)

export const createStatementFault = (
  code: StatementFaultCode,
  { line = null, column = null }: Partial<Pick<StatementFault, 'line' | 'column'>> = {},
): StatementFault => ({ code, line, column: column === null ? null : toDisplayName(column) })

/** Formats a fault as the single string of a field problem (`named` of BAD_STATEMENT), and parses it. */
export const formatStatementFault = ({ code, line, column }: StatementFault): string =>
  [code, line ?? 0, ...(column === null ? [] : [column])].join(' ')

export function parseStatementFault(faultText: string): StatementFault | null {
  const [, codeText, lineText = '0', column = null] = /^(\w+) (\d{1,9})(?: (.*))?$/s.exec(faultText) ?? []
  const code = statementFaults.find((faultCode) => faultCode === codeText)
  return code ? createStatementFault(code, { line: Number(lineText) || null, column }) : null
}
