/** The overview of all money for the provider's finance staff (decision 124). */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { customerCredit } from '#contract/staff/bank-transfers.ts'
import { amount } from '#contract/values.ts'

/** The code of a currency, also of one that the portal does not support (decision 62). */
const sum = z.object({ currency: z.string(), amount, count: z.int() })

/** All sums are of one currency each, because amounts of different currencies cannot be added. */
export const readMoneyOverview = defineEndpoint({
  name: 'readMoneyOverview',
  method: 'GET',
  path: '/api/money',
  summary: 'Returns what was received this month, what is open by age, refunds, disputes, unmatched money and credit',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  output: z.object({
    /** The current month in the business time zone, `yyyy-MM`. */
    month: z.string(),
    /** Money that arrived, by method. Payments with credit are left out, because their money arrived before. */
    received: z.array(z.object({ ...sum.shape, method: z.string() })),
    /** The same of the last twelve months, oldest first, for all methods together. */
    months: z.array(z.object({ ...sum.shape, month: z.string() })),
    /** What is not paid, by days since it was ordered or invoiced: 0 to 7, 8 to 30, 31 to 60, 61 and more. */
    open: z.array(z.object({ ...sum.shape, age: z.enum(['week', 'month', 'twoMonths', 'older']) })),
    /** Refunds of this month that are done, and those that are in progress. */
    refunds: z.array(z.object({ ...sum.shape, state: z.enum(['done', 'running']) })),
    /** Open disputes without inquiries. */
    disputes: z.array(sum),
    /** Open transfers, and payments that could not be applied (decision 62). */
    unmatched: z.array(z.object({ ...sum.shape, kind: z.enum(['transfer', 'task']) })),
    credit: z.array(customerCredit),
  }),
  offline: 'read',
})
export type MoneyOverview = z.output<typeof readMoneyOverview.output>
