/** Changes and extends contracts, and reads the history of a contract (contracts 4, D34). */
import { getContractAnchor, toStatusNumber } from '#domain/contracts.ts'
import { toDue } from '#domain/dues.ts'
import { getLastDay, type PeriodAnchor } from '#domain/plain-dates.ts'
import { toTimestamp } from '#domain/time.ts'
import type { OutputOf, RowRef } from '#contract/endpoint.ts'
import type { changeContract, getContractHistory } from '#contract/orders.ts'
import { findContractById, type ContractRecord, listContractHistory } from '#server/db/orders/contracts.ts'
import { type ContractSale, readContractSales } from '#server/db/orders/contract-sales.ts'
import { readRestoredContracts } from '#server/db/orders/restored-contracts.ts'
import { findOrderById, findUnpaidOrder, lockOrder } from '#server/db/orders/orders.ts'
import { settleServiceCode } from '#server/db/orders/service-codes.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { createNotFoundProblem, ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { type ActingCompany, runForRow } from '#server/use-cases/orders/acting-company.ts'
import { lockContractCredit, splitUnusedAmount } from '#server/use-cases/orders/contract-credit.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { requireAppsConfirmed } from '#server/use-cases/orders/confirm-app-changes.ts'
import { requireDiscardConfirmed } from '#server/use-cases/orders/confirm-discard.ts'
import { placeOrder, replaceUnpaidOrder, toRunningTerms } from '#server/use-cases/orders/orders.ts'
import { requireSameQuote } from '#server/use-cases/orders/quotes.ts'
import { getStoredContractState, buildChangeTerms, type OrderTerms } from '#server/use-cases/orders/order-terms.ts'

export const orderContractChange: UseCase<typeof changeContract> = (context, { body }) =>
  runForRow(context, 'contract', body.contract_id, async (actingCompany) => {
    const { db, now } = context
    const { companyId } = actingCompany
    const terms = await buildChangeTerms(actingCompany, body)
    const { base } = terms
    if (!base) throw createNotFoundProblem()
    requireSameQuote(actingCompany, terms, body)
    requireDiscardConfirmed(terms, body.confirm_discard)
    await settleServiceCode(db, base.service_code, getBusinessMoment(context))
    if (body.replaces !== undefined) await replaceChange(actingCompany, body.replaces, terms, base)
    await requireNoUnpaidOrder(actingCompany, base)
    const formerOrder = requireRow(await findOrderById(db, companyId, getBusinessMoment(context), base.order_id))
    const { code, name, description, service } = formerOrder
    await requireAppsConfirmed(actingCompany, terms, { key: body.confirmKey, code, service })
    return { body: await placeOrder(actingCompany, terms, { code, name, description, createTime: now }) }
  })

/** Locks the balance between the order and its change number, as payments do. */
async function replaceChange(
  actingCompany: ActingCompany,
  id: RowRef,
  terms: OrderTerms,
  { currency, service_code: code }: ContractRecord,
): Promise<void> {
  const { context, companyId } = actingCompany
  if (typeof id === 'number') await lockOrder(context.db, companyId, getBusinessMoment(context), id)
  await lockContractCredit(context, { companyId, currency, amount: splitUnusedAmount(terms).credited })
  await replaceUnpaidOrder(actingCompany, id, code)
}

/** Throws STATE_CONFLICT if the service has an unpaid order. A new order must name that order to replace it (D32). */
async function requireNoUnpaidOrder({ context, companyId }: ActingCompany, base: ContractRecord): Promise<void> {
  const unpaidOrder = await findUnpaidOrder(context.db, companyId, getBusinessMoment(context), base.service_code)
  if (!unpaidOrder) return
  const { id, type, amount, due } = unpaidOrder
  const dues = unpaidOrder.unpaid_matters.map((matter) => toDue(matter, context.app.config.timeZone))
  const { change, until } = dues.find((due) => due.contractType === 'CONTRACT') ?? {}
  throw new ProblemError('STATE_CONFLICT', { why: 'unpaid', unpaid: { id, type, amount, due, change, until } })
}

export const readContractHistory: UseCase<typeof getContractHistory> = (context, { params }) =>
  runForRow(context, 'contract', params.id, async ({ companyId }, id) => {
    const namedContract = requireRow(await findContractById(context.db, companyId, id))
    const contracts = await listContractHistory(context.db, companyId, namedContract)
    const restoresById = await readRestoredContracts(context.db, companyId, contracts)
    const salesByOrder = await readContractSales(context.db, companyId, contracts)
    const moment = getBusinessMoment(context)
    return {
      body: contracts.map((contract) => ({
        ...toContractRow(context.app, contract, getStoredContractState(contract, moment)),
        ...requireSale(salesByOrder.get(contract.order_id)),
        restores: restoresById.get(contract.id) ?? null,
      })),
    }
  })

function requireSale(sale: ContractSale | undefined): ContractSale {
  if (!sale) throw new Error('the order of the contract does not exist')
  return sale
}

const toAnchorFields = ({ date, months }: PeriodAnchor) => ({ anchor_date: date, anchor_months: months })

/** Returns the row of a contract. Its `status` follows reading A of the specification (D27). */
const toContractRow = (
  { config }: AppContext,
  record: ContractRecord,
  state: ReturnType<typeof getStoredContractState>,
): Omit<OutputOf<typeof getContractHistory>[number], 'restores' | keyof ContractSale> => ({
  ...toRunningTerms(record, record.period_start),
  ...toAnchorFields(getContractAnchor(record)),
  status: toStatusNumber(state, 'contract'),
  state,
  expired_date: getLastDay(record.period_end),
  create_time: toTimestamp(config.timeZone, record.create_time),
})
