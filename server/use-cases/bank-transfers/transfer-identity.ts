/** Identities of received transfers, by which a statement that is imported again adds nothing twice (decision 124). */
import { createHash } from 'node:crypto'
import { normaliseText } from '#domain/text.ts'
import type { StatementEntry } from '#server/drivers/statements/statement.ts'

interface IdentityFields {
  account: string
  day: string
  currency: string
  amount: string
  sender: string
  reference: string
  bank_reference: string
}

/** Texts that banks write if there is no number. */
const noNumber = /^(|0+|-+|n\/?a|nonref|not ?provided)$/

/**
 * `occurrence` numbers equal entries of a file, from 1. Overlapping statements have the same entries of a day. The bank's number alone is not
 * enough, because some banks count entries from 1 each day.
 */
export function formatIdentity(fields: IdentityFields, occurrence: number): string {
  const { account, day, currency, amount, sender, reference, bank_reference } = fields
  const number = normaliseText(bank_reference)
  const facts = noNumber.test(number) ? ['text', sender, reference].map(normaliseText) : ['number', number]
  const text = JSON.stringify([normaliseText(account), day, currency, amount, ...facts, occurrence])
  return createHash('sha256').update(text).digest('base64url')
}

export interface IdentifiedEntry {
  fields: IdentityFields & Pick<StatementEntry, 'currency'>
  identity: string
  /** The identity if the staff have recorded the transfer by hand, or null. */
  staffIdentity: string | null
}

export function identifyEntries(entries: readonly StatementEntry[]): IdentifiedEntry[] {
  const counts = new Map<string, number>()
  return entries.map(({ bankReference: bank_reference, ...entry }) => {
    const fields = { ...entry, bank_reference }
    const first = formatIdentity(fields, 1)
    const occurrence = (counts.get(first) ?? 0) + 1
    counts.set(first, occurrence)
    const hasNumber = !noNumber.test(normaliseText(bank_reference))
    return {
      fields,
      identity: formatIdentity(fields, occurrence),
      staffIdentity: hasNumber ? formatIdentity({ ...fields, account: '' }, occurrence) : null,
    }
  })
}
