/** Reads the credit balances of a company and the latest entries (decision 124). */
import { readAmount, writeAmount } from '#domain/money.ts'
import { toTimestamp } from '#domain/time.ts'
import type { readCredit as endpoint } from '#contract/invoices.ts'
import { listCreditBalances, listCreditEntries } from '#server/db/payments/credit.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { UseCase } from '#server/context/context.ts'
import { runAsCompany } from '#server/use-cases/orders/acting-company.ts'

const maxEntries = 100

/** The bank's numbers of transfers can be read with the system role only. */
export const readCredit: UseCase<typeof endpoint> = (context, { query }) =>
  runAsCompany(context, query.companyId, async ({ context: { db, app }, companyId }) => {
    const { balances, entries } = await runAsSystem(db, async () => ({
      balances: await listCreditBalances(db, companyId),
      entries: await listCreditEntries(db, companyId, maxEntries),
    }))
    return {
      body: {
        balances: balances.map((row) => ({
          currency: row.currency,
          balance: writeAmount(readAmount(row.balance)),
          held: writeAmount(readAmount(row.held)),
        })),
        entries: entries.map(({ create_time: createTime, ...entry }) => ({
          ...entry,
          reference: entry.reference ?? '',
          time: toTimestamp(app.config.timeZone, createTime),
        })),
      },
    }
  })
