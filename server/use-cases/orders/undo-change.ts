/** Undoes a change that discarded money, on the day on which it was ordered. An order over 0.00 restores the former contract. */
import { findFieldChanges } from '#domain/audit-log/changes.ts'
import { filterJoiningModules } from '#domain/catalogue/modules.ts'
import { getDueTime } from '#domain/contracts.ts'
import { explainUndo } from '#domain/fees/explain-undo.ts'
import { getUndoRefusal } from '#domain/undo-change.ts'
import type { undoChange } from '#contract/orders.ts'
import { listModulesOfType } from '#server/db/catalogue/modules.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { findContractById, type ContractRecord, lockContract } from '#server/db/orders/contracts.ts'
import { insertOrder, findOrderById, type OrderRecord } from '#server/db/orders/orders.ts'
import { settleServiceCode } from '#server/db/orders/service-codes.ts'
import { lockPayableOrder } from '#server/db/payments/payables.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { type ActingCompany, runForRow } from '#server/use-cases/orders/acting-company.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'
import { type AppTerms, requireAppsConfirmed } from '#server/use-cases/orders/confirm-app-changes.ts'
import { toOrderRow } from '#server/use-cases/orders/orders.ts'
import { toUndoableOrder } from '#server/use-cases/orders/undo-until.ts'
import { claimContractCredit, takeBackContractCredit } from '#server/use-cases/orders/contract-credit.ts'
import { putIntoEffect } from '#server/use-cases/payments/payable-orders.ts'

export const undoContractChange: UseCase<typeof undoChange> = (context, { params, body }) =>
  runForRow(context, 'contract', params.id, async (actingCompany, id) => {
    const { db, app, caller } = context
    const { companyId } = actingCompany
    const moment = getBusinessMoment(context)
    // The contract is locked until the commit, so that no other order can build on it.
    const changedContract = requireRow(await lockContract(db, companyId, id))
    requireType(caller, changedContract.client_type)
    await settleServiceCode(db, changedContract.service_code, moment)
    const changeOrder = requireRow(await findOrderById(db, companyId, moment, changedContract.order_id))
    const refusal = getUndoRefusal(toUndoableOrder(app.config, changeOrder), moment.now)
    if (refusal) throw new ProblemError('STATE_CONFLICT', { why: refusal })
    const formerContract =
      changeOrder.base_id === null ? null : await findContractById(db, companyId, changeOrder.base_id)
    if (!formerContract) throw new Error('the contract before the change does not exist')
    const terms = await buildAppTerms(context, changedContract, formerContract)
    await requireAppsConfirmed(actingCompany, terms, {
      key: body.confirmKey,
      code: changeOrder.code,
      service: changeOrder.service,
    })
    const restoringOrder = await placeRestoringOrder(actingCompany, { changedContract, changeOrder, formerContract })
    return { body: toOrderRow(app, restoringOrder, moment) }
  })

async function buildAppTerms(
  { db }: UseCaseContext,
  changedContract: ContractRecord,
  { user_mode, users, modules, uat, period, client_type }: ContractRecord,
): Promise<AppTerms> {
  const allModules = await listModulesOfType(db, client_type)
  const visibleModules = allModules.filter(({ hidden }) => !hidden)
  const hiddenModules = allModules.filter((module) => module.hidden)
  return {
    type: 'change',
    choice: { user_mode, users, modules, uat },
    period,
    base: changedContract,
    visibleModules,
    joiningModules: filterJoiningModules(hiddenModules, modules),
    formerModules: [
      ...visibleModules.filter(({ code }) => changedContract.modules.includes(code)),
      ...filterJoiningModules(hiddenModules, changedContract.modules),
    ],
  }
}

interface UndoInput {
  changedContract: ContractRecord
  changeOrder: OrderRecord
  formerContract: ContractRecord
}

/** Places an order that restores the former terms. No new price is calculated, so the current price list does not matter. */
async function placeRestoringOrder(
  actingCompany: ActingCompany,
  { changedContract, changeOrder, formerContract }: UndoInput,
): Promise<OrderRecord> {
  const { context, companyId, info, log } = actingCompany
  const { db, now } = context
  const moment = getBusinessMoment(context)
  const [undoneOrder, soldOrder] = [
    await lockPayableOrder(db, changeOrder.id),
    await lockPayableOrder(db, formerContract.order_id),
  ]
  if (!undoneOrder || !soldOrder) throw new Error('an order of the contract does not exist')
  const contractCredit = await claimContractCredit(
    context,
    { companyId, currency: formerContract.currency },
    changedContract.id,
  )
  const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
  const id = await insertOrder(db, {
    company_id: companyId,
    code: changeOrder.code,
    name: changeOrder.name,
    description: changeOrder.description,
    type: 'change',
    stored: 'unpaid',
    invalid_reason: null,
    currency: formerContract.currency,
    user_mode: formerContract.user_mode,
    users: formerContract.users,
    modules: JSON.stringify(formerContract.modules),
    uat: formerContract.uat,
    client_type: formerContract.client_type,
    price_id: formerContract.price_id,
    annual: formerContract.annual,
    // The value of the remaining time is what was paid for it, so no amount is due.
    contract_amount: changeOrder.residual_amount,
    residual_amount: changeOrder.residual_amount,
    amount: '0.00',
    pay_amount: '0.00',
    period: formerContract.period,
    period_start: changeOrder.period_start,
    period_end: formerContract.period_end,
    uat_bound: soldOrder.uat_bound,
    steps: JSON.stringify(explainUndo(undoneOrder.steps)),
    base_id: changedContract.id,
    restores_id: formerContract.id,
    contract_id: null,
    due: getDueTime(moment.now),
    alert_date: null,
    change: changeStamp.change,
    create_time: now,
    update_time: now,
  })
  const contractId = await putIntoEffect(context, { id, companyId, code: changeOrder.code }, changeStamp)
  await takeBackContractCredit(context, contractCredit, contractId)
  const restoringOrder = await findOrderById(db, companyId, moment, id)
  if (!restoringOrder) throw new Error('the created order does not exist')
  context.setResultRow('order', id, restoringOrder.row_version)
  await context.audit({
    ...log,
    code: 'order',
    operation: 'update',
    info: {
      ...info,
      ServiceCode: restoringOrder.code,
      OrderId: id,
      OrderType: restoringOrder.type,
      Amount: `${restoringOrder.currency} ${restoringOrder.amount}`,
      ContractCode: restoringOrder.contract,
      Undoes: changedContract.code,
      Restores: formerContract.code,
    },
    changes: findFieldChanges(changeOrder, restoringOrder, [
      'user_mode',
      'users',
      'modules',
      'uat',
      'price_id',
      'amount',
    ]),
  })
  return restoringOrder
}
