/** Reads what is unpaid, and proposes what open transfers are for. */
import { getDueTimeWithin } from '#domain/contracts.ts'
import { toTimestamp } from '#domain/time.ts'
import type { PayableItem, TransferProposal } from '#contract/staff/bank-transfers.ts'
import type { TransferRecord } from '#server/db/payments/bank-transfers.ts'
import {
  findProformasByCode,
  findServicesByNumber,
  listCompanyCredit,
  listCustomerNames,
  listUnpaidItems,
  type UnpaidItem,
} from '#server/db/payments/unpaid-items.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import {
  findDocumentCodes,
  findProformaCodes,
  type OpenItem,
  ProposalIndex,
} from '#server/use-cases/bank-transfers/find-proposals.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

type ReadContext = Pick<UseCaseContext, 'db' | 'app' | 'now'>

const contractTypes = { order: 'CONTRACT', backup: 'PDBORDER', traffic: 'TRAFFIC' } as const

/** Returns the unpaid items of a company, or of all. */
export async function readUnpaidItems(context: ReadContext, companyId: number | null): Promise<OpenItem[]> {
  const items = await listUnpaidItems(context.db, getBusinessMoment(context), companyId)
  return items.map((item) => ({ ...toPayableItem(context, item), company_id: item.company_id }))
}

function toPayableItem({ app }: ReadContext, item: UnpaidItem): PayableItem {
  const { kind, id, type, service_code, currency, amount, create_time, period_end } = item
  const created = () => toTimestamp(app.config.timeZone, create_time)
  return {
    contractType: contractTypes[kind],
    id,
    type,
    service_code,
    currency,
    amount,
    due: kind === 'backup' ? getDueTimeWithin(created(), period_end) : item.due,
  }
}

/** Returns the proposals by the id of the transfer. Reads everything once, whatever the number of transfers. */
export async function readProposals(
  context: ReadContext,
  transfers: readonly TransferRecord[],
): Promise<Map<number, TransferProposal[]>> {
  if (transfers.length === 0) return new Map()
  const { db } = context
  const references = transfers.map(({ reference }) => reference)
  const index = new ProposalIndex({
    items: await readUnpaidItems(context, null),
    credit: await listCompanyCredit(db, null),
    customers: await listCustomerNames(db),
    proformas: await findProformasByCode(db, references.flatMap(findProformaCodes)),
    services: await findServicesByNumber(db, references.flatMap(findDocumentCodes)),
  })
  return new Map(transfers.map((transfer) => [transfer.id, index.propose(transfer)]))
}
