/** What a bank statement contains, whatever its format (decision 124). */
import type { Currency } from '#domain/money.ts'
import { createStatementFault, type StatementFault, type StatementFaultCode } from '#domain/checks/statement-faults.ts'
import type { PlainDate } from '#domain/time.ts'

/** Money that arrived. */
export interface StatementEntry {
  /** The provider's account, as the statement names it. Empty if it does not. */
  account: string
  day: PlainDate
  currency: Currency
  /** Positive, with two decimals. */
  amount: string
  sender: string
  /** What the sender wrote. */
  reference: string
  /** The bank's own number of the entry, or empty. */
  bankReference: string
}

export interface Statement {
  entries: StatementEntry[]
  /** Number of entries that are not received money of a supported currency. */
  skipped: number
}

export const maxEntries = 10_000

/** Thrown if the statement cannot be read completely. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  readonly fault: StatementFault

  constructor(code: StatementFaultCode, position: { line?: number; column?: string } = {}) {
    super(code)
    this.fault = createStatementFault(code, position)
  }
}

const codesByName: Record<string, Currency | undefined> = {
  HKD: 'HKD',
  HK$: 'HKD',
  港币: 'HKD',
  港幣: 'HKD',
  港元: 'HKD',
  USD: 'USD',
  US$: 'USD',
  美元: 'USD',
  美金: 'USD',
  RMB: 'RMB',
  CNY: 'RMB',
  CNH: 'RMB',
  人民币: 'RMB',
  人民幣: 'RMB',
  元: 'RMB',
}

/** `unsupported`: a currency that the portal does not have. Null: the text is not a currency. */
export function readCurrency(text: string): Currency | 'unsupported' | null {
  const name = text.normalize('NFKC').trim().toUpperCase()
  return (
    codesByName[name] ??
    (/^[A-Z]{3}$/.test(name) || /^\p{Script=Han}{1,6}[元币幣镑鎊郎圆圓]$/u.test(name) ? 'unsupported' : null)
  )
}

/** Joins texts of a statement to one line without control characters and characters that change the text direction. */
export const joinTexts = (texts: readonly string[], maxLength: number): string =>
  texts
    .map((text) =>
      text
        .toWellFormed()
        .normalize('NFC')
        .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, ' ')
        .trim(),
    )
    .filter((text) => text !== '')
    .join(' ')
    .slice(0, maxLength)
    .toWellFormed()

export const maxLengths = { account: 100, sender: 200, reference: 1000, bankReference: 100 } as const
