/** Contracts in force: changed and extended by orders of their own, and what came before them (contracts 4, D34). */
import { contractAnchor, statusNumber } from '#domain/contracts.ts'
import { toDue } from '#domain/dues.ts'
import type { PeriodAnchor } from '#domain/period.ts'
import { timestampIn } from '#domain/time.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { changeContract, getContractHistory } from '#contract/orders.ts'
import { contractById, type ContractRecord, contractsUpTo } from '#server/db/orders/contracts.ts'
import { type ContractSale, contractSales } from '#server/db/orders/contract-sales.ts'
import { restoredContracts } from '#server/db/orders/restored-contracts.ts'
import { orderById, unpaidOf } from '#server/db/orders/orders.ts'
import { settleCode } from '#server/db/orders/service-codes.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'
import { type ActingCompany, forRow } from '#server/use-cases/orders/acting-company.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { requireAppsConfirmed } from '#server/use-cases/orders/confirm-app-changes.ts'
import { requireDiscardConfirmed } from '#server/use-cases/orders/confirm-discard.ts'
import { agreedOf, place, replace, runningFrom } from '#server/use-cases/orders/orders.ts'
import { requireShown } from '#server/use-cases/orders/quotes.ts'
import { contractStateOf, termsOfChange } from '#server/use-cases/orders/order-terms.ts'

export const change: UseCase<typeof changeContract> = (context, { body }) =>
  forRow(context, 'contract', body.contract_id, async (desk) => {
    const { db, now } = context
    const { companyId } = desk
    const terms = await termsOfChange(desk, body)
    const { base } = terms
    if (!base) throw notFound()
    requireShown(desk, terms, body)
    requireDiscardConfirmed(terms, body.confirm_discard)
    await settleCode(db, base.service_code, momentOf(context))
    if (body.replaces !== undefined) await replace(desk, body.replaces, base.service_code)
    await requireNoneUnpaid(desk, base)
    const former = await orderById(db, companyId, momentOf(context), base.order_id)
    if (!former) throw notFound()
    const { code, name, description, service } = former
    await requireAppsConfirmed(desk, terms, { key: body.confirmKey, code, service })
    return { body: await place(desk, terms, { code, name, description, createTime: now }) }
  })

/** At most one order of a service waits to be paid; the one that does is replaced by its name (D32). */
async function requireNoneUnpaid({ context, companyId }: ActingCompany, base: ContractRecord): Promise<void> {
  const found = await unpaidOf(context.db, companyId, momentOf(context), base.service_code)
  if (!found) return
  const { id, type, amount, due } = found
  const dues = found.unpaid_matters.map((matter) => toDue(matter, context.app.config.timeZone))
  const { change, until } = dues.find((one) => one.contractType === 'CONTRACT') ?? {}
  throw new ProblemError('STATE_CONFLICT', { why: 'unpaid', unpaid: { id, type, amount, due, change, until } })
}

export const history: UseCase<typeof getContractHistory> = (context, { params }) =>
  forRow(context, 'contract', params.id, async ({ companyId }, id) => {
    const found = await contractById(context.db, companyId, id)
    if (!found) throw notFound()
    const all = await contractsUpTo(context.db, companyId, found)
    const restored = await restoredContracts(context.db, companyId, all)
    const sales = await contractSales(context.db, companyId, all)
    const moment = momentOf(context)
    return {
      body: all.map((one) => ({
        ...rowOf(context.app, one, contractStateOf(one, moment)),
        ...saleFields(sales.get(one.order_id)),
        restores: restored.get(one.id) ?? null,
      })),
    }
  })

function saleFields(sale: ContractSale | undefined): ContractSale {
  if (!sale) throw new Error('a contract has no order')
  return sale
}

const anchorFields = ({ date, months }: PeriodAnchor) => ({ anchor_date: date, anchor_months: months })

/** Reading A (D27). */
const rowOf = (
  { config }: AppContext,
  record: ContractRecord,
  state: ReturnType<typeof contractStateOf>,
): Omit<OutputOf<typeof getContractHistory>[number], 'restores' | keyof ContractSale> => ({
  ...anchorFields(contractAnchor(record)),
  id: record.id,
  code: record.code,
  service_code: record.service_code,
  order_id: record.order_id,
  type: record.type,
  status: statusNumber(state, 'contract'),
  state,
  ...agreedOf(runningFrom(record, record.period_start)),
  segments: record.segments,
  create_time: timestampIn(config.timeZone, record.create_time),
})
