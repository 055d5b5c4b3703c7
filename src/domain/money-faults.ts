/** Faults of the daily check of all money (decisions 123 and 124). */
import { groupThousands } from '#domain/money.ts'

export const moneyRules = [
  'received',
  'payment',
  'refunds',
  'register',
  'creditNotes',
  'documents',
  'numbers',
  'disputes',
  'creditBalance',
  'creditEntries',
  'creditInUse',
  'creditTransfers',
  'creditRefunds',
  'creditContracts',
] as const
export type MoneyRule = (typeof moneyRules)[number]

/** Returns the values of a fault with grouped amounts, for its text (`money.json`). Counts and codes stay as they are. */
export const formatFaultValues = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, /^\d+\.\d\d$/.test(value) ? groupThousands(value) : value]),
  )
