/** Entries about bank transfers, as the server writes them, with their sentences in English. */
import type { SentenceEntry } from '#features/audit-trail/sentence/choose-sentence.ts'
import { refundCases } from '#tests/support/audit-trail/refund-sentences.ts'

const byStaff = { exec_user_id: null, exec_user_name: '', by_provider: true }
const transfer = { TransferId: 3, Amount: 'HKD 29000.00', TransferDate: '2026-11-30' }
const buildEntry = (outcome: string): Partial<SentenceEntry> => ({
  ...byStaff,
  info: { ...transfer, Outcome: outcome },
})
const refused = (path: string): Partial<SentenceEntry> => ({ info: { path } })
type TransferCase = [sentence: string, kind: string, entry: Partial<SentenceEntry>]

/** All entries about money that was sent back or transferred. */
export const moneyCases: TransferCase[] = [
  ...refundCases,
  [
    'Amelia Chan requested pro-forma invoice PF202611000001 of HKD 29,000.00 for acdesenl',
    'order.create',
    { info: { ServiceCode: 'acdesenl', ProformaNo: 'PF202611000001', Amount: 'HKD 29000.00' } },
  ],
  [
    'Amelia Chan opened pro-forma invoice PF202611000001 of acdesenl',
    'order.print',
    { info: { ServiceCode: 'acdesenl', ProformaNo: 'PF202611000001' } },
  ],
  ['Provider staff recorded a bank transfer of HKD 29,000.00', 'order.create', buildEntry('recorded')],
  [
    'Provider staff recorded that a bank transfer of HKD 29,000.00 was returned to its sender',
    'order.update',
    buildEntry('returned'),
  ],
  [
    "Provider staff recorded that a bank transfer of HKD 29,000.00 is not a customer's payment",
    'order.update',
    buildEntry('dismissed'),
  ],
  ['Provider staff added a bank transfer of HKD 29,000.00 to the credit', 'order.confirm', buildEntry('credited')],
  [
    'Provider staff took back a bank transfer of HKD 29,000.00 that was credited by mistake',
    'order.withdraw',
    buildEntry('corrected'),
  ],
  [
    'Amelia Chan imported the bank statement november.xml',
    'order.import',
    { info: { File: 'november.xml', TransferCount: 1, KnownCount: 4, SkippedCount: 2 } },
  ],
]

export const failedTransferCases: TransferCase[] = [
  ['Amelia Chan could not record a bank transfer', 'order.create', refused('/api/bank-transfers')],
  ['Amelia Chan could not import a bank statement', 'order.import', refused('/api/bank-transfers/import')],
  [
    "Amelia Chan could not add a bank transfer to a customer's credit",
    'order.confirm',
    refused('/api/bank-transfers/3/credit'),
  ],
  ['Amelia Chan could not close a bank transfer', 'order.update', refused('/api/bank-transfers/3/close')],
  ['Amelia Chan could not take back a bank transfer', 'order.withdraw', refused('/api/bank-transfers/3/correct')],
]
