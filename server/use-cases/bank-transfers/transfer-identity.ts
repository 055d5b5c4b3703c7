/** Identities of received transfers, by which a statement that is imported again adds nothing twice (decision 124). */
import { createHash } from 'node:crypto'
import { normaliseText } from '#domain/text.ts'
import type { BankAccount } from '#contract/invoices.ts'
import type { StatementEntry } from '#server/drivers/statements/statement.ts'
import { findBankAccount, toAccountKey } from '#server/use-cases/bank-transfers/find-bank-account.ts'

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
  const text = JSON.stringify([toAccountKey(account), day, currency, amount, ...facts, occurrence])
  return createHash('sha256').update(text).digest('base64url')
}

export interface IdentifiedEntry {
  /** `account` is that of the settings, if the statement means it. */
  fields: IdentityFields & Pick<StatementEntry, 'currency'>
  identity: string
  /** The identity with the account as the statement names it, which a row has that was imported with other settings. */
  written: string
  /** The identity without the account, as of a transfer that the staff recorded by hand. Null without a number of the bank. */
  loose: { first: string; own: string } | null
}

/** Returns a function that formats the identity of the next entry, and counts equal ones. */
function createCounter() {
  const counts = new Map<string, number>()
  return (fields: IdentityFields) => {
    const first = formatIdentity(fields, 1)
    const occurrence = (counts.get(first) ?? 0) + 1
    counts.set(first, occurrence)
    return { first, own: formatIdentity(fields, occurrence) }
  }
}

export function identifyEntries(
  entries: readonly StatementEntry[],
  bankAccounts: readonly BankAccount[],
): IdentifiedEntry[] {
  const [count, countWritten, countLoose] = [createCounter(), createCounter(), createCounter()]
  return entries.map(({ bankReference: bank_reference, ...entry }) => {
    const writtenFields = { ...entry, bank_reference }
    const fields = { ...writtenFields, account: findBankAccount(bankAccounts, entry)?.account ?? entry.account }
    const hasNumber = !noNumber.test(normaliseText(bank_reference))
    return {
      fields,
      identity: count(fields).own,
      written: countWritten(writtenFields).own,
      loose: hasNumber ? countLoose({ ...fields, account: '' }) : null,
    }
  })
}

export const listIdentities = (entries: readonly IdentifiedEntry[]): string[] =>
  entries.flatMap(({ identity, written, loose }) => [identity, written, ...(loose ? [loose.own] : [])])

/**
 * Returns the entries that are in no known row. A row without an account, such as one that the staff recorded by hand, is known as the
 * entry with the same number of the bank, but each such row only as one entry. Entries that are known with their account come first.
 */
export function selectUnknown(
  entries: readonly IdentifiedEntry[],
  knownIdentities: ReadonlySet<string>,
): IdentifiedEntry[] {
  const identities = new Set(entries.flatMap(({ identity, written }) => [identity, written]))
  const looseCounts = new Map<string, number>()
  for (const { loose } of entries)
    if (loose && knownIdentities.has(loose.own) && !identities.has(loose.own))
      looseCounts.set(loose.first, (looseCounts.get(loose.first) ?? 0) + 1)
  return entries.filter(({ identity, written, loose }) => {
    if (knownIdentities.has(identity) || knownIdentities.has(written)) return false
    const count = loose ? (looseCounts.get(loose.first) ?? 0) : 0
    if (loose && count > 0) looseCounts.set(loose.first, count - 1)
    return count === 0
  })
}
