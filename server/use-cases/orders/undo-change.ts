/** A change that discarded money, undone on the day of its order: an order over 0.00 restores the contract before it. */
import { fieldChanges } from '#domain/audit-log/changes.ts'
import { joined } from '#domain/catalogue/modules.ts'
import { dueOf } from '#domain/contracts.ts'
import { explainUndo } from '#domain/fees/explain-undo.ts'
import { whyNotUndone } from '#domain/undo-change.ts'
import type { undoChange } from '#contract/orders.ts'
import { modulesOf } from '#server/db/catalogue/modules.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { contractById, type ContractRecord, contractForUpdate } from '#server/db/orders/contracts.ts'
import { insertOrder, orderById, type OrderRecord } from '#server/db/orders/orders.ts'
import { settleCode } from '#server/db/orders/service-codes.ts'
import { payableOrder } from '#server/db/payments/payables.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'
import { type ActingCompany, forRow } from '#server/use-cases/orders/acting-company.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'
import { type AppTerms, requireAppsConfirmed } from '#server/use-cases/orders/confirm-app-changes.ts'
import { orderRowOf } from '#server/use-cases/orders/orders.ts'
import { toUndoable } from '#server/use-cases/orders/undo-until.ts'
import { takeEffect } from '#server/use-cases/payments/payable-orders.ts'

export const undo: UseCase<typeof undoChange> = (context, { params, body }) =>
  forRow(context, 'contract', params.id, async (desk, id) => {
    const { db, app, caller } = context
    const { companyId } = desk
    const moment = momentOf(context)
    // Locked until the commit: no other order can build on this contract meanwhile.
    const changed = await contractForUpdate(db, companyId, id)
    if (!changed) throw notFound()
    requireType(caller, changed.client_type)
    await settleCode(db, changed.service_code, moment)
    const change = await orderById(db, companyId, moment, changed.order_id)
    if (!change) throw notFound()
    const why = whyNotUndone(toUndoable(app.config, change), moment.now)
    if (why) throw new ProblemError('STATE_CONFLICT', { why })
    const former = change.base_id === null ? null : await contractById(db, companyId, change.base_id)
    if (!former) throw new Error('the contract before a change is not there')
    const terms = await appTerms(context, changed, former)
    await requireAppsConfirmed(desk, terms, { key: body.confirmKey, code: change.code, service: change.service })
    const made = await restore(desk, { changed, change, former })
    return { body: orderRowOf(app, made, moment) }
  })

/** What the restored contract has, and what the changed one has, as the question about apps compares them. */
async function appTerms(
  { db }: UseCaseContext,
  changed: ContractRecord,
  { user_mode, users, modules, uat, period, client_type }: ContractRecord,
): Promise<AppTerms> {
  const all = await modulesOf(db, client_type)
  const visible = all.filter(({ hidden }) => !hidden)
  const hidden = all.filter((module) => module.hidden)
  return {
    type: 'change',
    choice: { user_mode, users, modules, uat },
    period,
    base: changed,
    visible,
    joining: joined(hidden, modules),
    former: [...visible.filter(({ code }) => changed.modules.includes(code)), ...joined(hidden, changed.modules)],
  }
}

interface Undoing {
  changed: ContractRecord
  /** The order that made it. */
  change: OrderRecord
  /** The contract before it. */
  former: ContractRecord
}

/** Restores what was sold and reprices nothing, so that a price list of today cannot stand in the way. */
async function restore(desk: ActingCompany, { changed, change, former }: Undoing): Promise<OrderRecord> {
  const { context, companyId, info, log } = desk
  const { db, now } = context
  const moment = momentOf(context)
  const [undone, sold] = [await payableOrder(db, change.id), await payableOrder(db, former.order_id)]
  if (!undone || !sold) throw new Error('an order of a contract is not there')
  const stamp = { change: await takeChange(db, companyId), time: now }
  const id = await insertOrder(db, {
    company_id: companyId,
    code: change.code,
    name: change.name,
    description: change.description,
    type: 'change',
    stored: 'unpaid',
    invalid_why: null,
    currency: former.currency,
    user_mode: former.user_mode,
    users: former.users,
    modules: JSON.stringify(former.modules),
    uat: former.uat,
    client_type: former.client_type,
    price_id: former.price_id,
    annual: former.annual,
    // The time that is left is worth what was paid for it, so nothing is due.
    contract_amount: change.residual_amount,
    residual_amount: change.residual_amount,
    amount: '0.00',
    pay_amount: '0.00',
    period: former.period,
    period_start: change.period_start,
    period_end: former.period_end,
    uat_bound: sold.uat_bound,
    steps: JSON.stringify(explainUndo(undone.steps)),
    base_id: changed.id,
    restores_id: former.id,
    contract_id: null,
    due: dueOf(moment.now),
    alert_date: null,
    change: stamp.change,
    create_time: now,
    update_time: now,
  })
  await takeEffect(context, { id, companyId, code: change.code }, stamp)
  const made = await orderById(db, companyId, moment, id)
  if (!made) throw new Error('an order that was just made is not there')
  context.setResultRow('order', id, made.row_version)
  await context.audit({
    ...log,
    code: 'order',
    operation: 'update',
    info: {
      ...info,
      ServiceCode: made.code,
      OrderId: id,
      OrderType: made.type,
      Amount: `${made.currency} ${made.amount}`,
      ContractCode: made.contract,
      Undoes: changed.code,
      Restores: former.code,
    },
    changes: fieldChanges(change, made, ['user_mode', 'users', 'modules', 'uat', 'price_id', 'amount']),
  })
  return made
}
