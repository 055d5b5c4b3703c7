import { readCredit } from '#contract/invoices.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { type Currency, type Hundredths, readAmount } from '#domain/money.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'

/** Returns the input of `readCredit`. The user's own company has no id in it, so that all pages share one stored response. */
export const buildCreditInput = (companyId: number, ownCompanyId: number) =>
  companyId === ownCompanyId ? { query: {} } : { query: { companyId } }

const getAvailable = ({ balances }: OutputOf<typeof readCredit>, currency: Currency): Hundredths => {
  const row = balances.find((balance) => balance.currency === currency)
  return row ? readAmount(row.balance) - readAmount(row.held) : 0n
}

interface CompanyCredit {
  /** False until the device or the server has responded. If neither can, the credit counts as 0: the server has the last word. */
  isKnown: boolean
  /** What a payment in this currency can use. */
  available: Hundredths
}

/** Returns the credit of a company in one currency (decision 124). Without `companyId` it is that of the user's company. */
export function useCompanyCredit(companyId: number | undefined, currency: Currency): CompanyCredit {
  const { user } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const id = companyId ?? user.company_id
  const { record, problem } = useRecord(readCredit, buildCreditInput(id, user.company_id))
  return {
    isKnown: record ? true : record === null && (problem !== null || !isOnline),
    available: record ? getAvailable(record, currency) : 0n,
  }
}
