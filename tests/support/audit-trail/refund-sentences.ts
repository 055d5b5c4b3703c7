/** Entries about refunds, as the server writes them, with their sentences in English. */
import type { SentenceEntry } from '#features/audit-trail/sentence/choose-sentence.ts'

const money = { ServiceCode: 'acdesenl', OrderId: 7, Amount: 'HKD 29000.00', Gateway: 'stripe', Reference: 'pi_1' }
const portal = { exec_user_id: null, exec_user_name: '' }
const byStaff = { ...portal, by_provider: true }
const buildEntry = (outcome: string, writer: Partial<SentenceEntry> = byStaff): Partial<SentenceEntry> => ({
  ...writer,
  info: { ...money, Outcome: outcome },
})

export const refundCases: [sentence: string, kind: string, entry: Partial<SentenceEntry>][] = [
  ['Provider staff requested the refund of HKD 29,000.00 for acdesenl', 'order.refund', buildEntry('refunding')],
  ['Provider staff refunded HKD 29,000.00 for acdesenl', 'backup.refund', buildEntry('refunded')],
  [
    'The portal found a refund of HKD 29,000.00 for acdesenl at the payment provider',
    'order.refund',
    buildEntry('refunded', portal),
  ],
  [
    'Provider staff checked the refund of HKD 29,000.00 for acdesenl at the payment provider',
    'order.refund',
    buildEntry('seen'),
  ],
  [
    'Provider staff assigned the refund of HKD 29,000.00 for acdesenl to an invoice',
    'backup.refund',
    buildEntry('assigned'),
  ],
]
