/** Withdraws and deletes price lists, and reinstates withdrawn ones (D81). */
import type { deletePriceList } from '#contract/prices.ts'
import type { reinstatePriceList } from '#contract/staff/withdrawn-price-lists.ts'
import { lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import { isWithdrawn, findPriceListInForce, updatePriceList } from '#server/db/catalogue/price-lists.ts'
import type { UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { requireValidDraft } from '#server/use-cases/catalogue/price-content.ts'
import { finishListWrite, lockPriceList, readCallerName } from '#server/use-cases/catalogue/price-lists.ts'
import { requireUsableList } from '#server/use-cases/catalogue/usable-price-list.ts'

const createConflictError = (reason: string, details: Record<string, unknown> = {}) =>
  new ProblemError('STATE_CONFLICT', { why: reason, ...details })

/**
 * Withdraws a confirmed list, or deletes one that was never confirmed. Throws STATE_CONFLICT for the list in force and for a withdrawn
 * list, and STEP_UP_REQUIRED for a confirmed list.
 */
export const withdrawPriceList: UseCase<typeof deletePriceList> = async (context, { params }) => {
  const { db, now } = context
  const listBefore = await lockPriceList(context, params.id)
  if (isWithdrawn(listBefore)) throw createConflictError('withdrawn')
  await lockCatalogue(db)
  const listInForce = await findPriceListInForce(db, listBefore.type, getBusinessMoment(context).today)
  if (listBefore.confirmed && listInForce?.id === listBefore.id) throw createConflictError('inForce')
  if (listBefore.confirmed) context.requirePassword()
  const storedList = await updatePriceList(db, listBefore.id, {
    deleted: true,
    update_user_name: await readCallerName(context),
    update_time: now,
  })
  await finishListWrite(context, storedList, [listBefore.confirmed ? 'withdraw' : 'delete'])
  return { status: 204, body: null }
}

/**
 * Throws STATE_CONFLICT if the list is not withdrawn or a later list is in force, VERSION_CONFLICT, and VALIDATION_ERROR for its date or
 * content.
 */
export const reinstateWithdrawnList: UseCase<typeof reinstatePriceList> = async (context, { params }) => {
  const { db, now } = context
  const listBefore = await lockPriceList(context, params.id)
  if (!isWithdrawn(listBefore)) throw createConflictError('notWithdrawn')
  const { type, effective_date, description, content } = listBefore
  await lockCatalogue(db)
  const listInForce = await findPriceListInForce(db, type, getBusinessMoment(context).today)
  if (listInForce && listInForce.effective_date > effective_date)
    throw createConflictError('laterInForce', {
      effective_date: listInForce.effective_date,
      desc: listInForce.description,
    })
  await requireValidDraft(context, { type, effective_date, description, content })
  await requireUsableList(context, { type, content })
  const storedList = await updatePriceList(db, listBefore.id, {
    deleted: false,
    effective_date,
    update_user_name: await readCallerName(context),
    update_time: now,
  })
  return finishListWrite(context, storedList, ['restore'])
}
