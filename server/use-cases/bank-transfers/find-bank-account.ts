/** Finds the account of the provider that a statement means, because banks write one account in several ways (decision 124). */
import type { BankAccount } from '#contract/invoices.ts'

/** Letters and digits only, because one format of a bank has spaces and signs in the account, and another one has not. */
export const toAccountKey = (account: string): string =>
  account
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Length from which the end of an account is enough to know it. */
const minEndLength = 6

/** An IBAN, or a number with the code of the bank, ends with the number that the bank uses itself. */
function isSameAccount(one: string, other: string): boolean {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other]
  return one === other || (shorter.length >= minEndLength && longer.endsWith(shorter))
}

/**
 * Returns the account of the settings, or null if it is another one. A statement without an account is that of the currency's account. One
 * account may have several currencies.
 */
export function findBankAccount(
  bankAccounts: readonly BankAccount[],
  { account, currency }: { account: string; currency: string },
): BankAccount | null {
  const key = toAccountKey(account)
  const ofCurrency = bankAccounts.filter((bankAccount) => bankAccount.currency === currency)
  if (key === '') return ofCurrency[0] ?? null
  const isMeant = (bankAccount: BankAccount) => isSameAccount(toAccountKey(bankAccount.account), key)
  return ofCurrency.find(isMeant) ?? bankAccounts.find(isMeant) ?? null
}
