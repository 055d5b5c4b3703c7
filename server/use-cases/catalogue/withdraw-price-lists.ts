/** Price lists that go, and withdrawn ones that come back (D81). */
import type { deletePriceList } from '#contract/prices.ts'
import type { reinstatePriceList } from '#contract/price-lists/withdrawn.ts'
import { lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import { isWithdrawn, priceListInForce, updatePriceList } from '#server/db/catalogue/price-lists.ts'
import type { UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { requireSound } from '#server/use-cases/catalogue/price-content.ts'
import { answer, held, nameOf } from '#server/use-cases/catalogue/price-lists.ts'
import { requireUsable } from '#server/use-cases/catalogue/usable-price-list.ts'

const conflict = (why: string, more: Record<string, unknown> = {}) =>
  new ProblemError('STATE_CONFLICT', { why, ...more })

/** Deletes a list that was never confirmed, and withdraws one that was. Throws STATE_CONFLICT for the one in force, STEP_UP_REQUIRED. */
export const remove: UseCase<typeof deletePriceList> = async (context, { params }) => {
  const { db, now } = context
  const before = await held(context, params.id)
  if (isWithdrawn(before)) throw conflict('withdrawn')
  await lockCatalogue(db)
  const present = await priceListInForce(db, before.type, momentOf(context).today)
  if (before.confirmed && present?.id === before.id) throw conflict('inForce')
  if (before.confirmed) context.requirePassword()
  const stored = await updatePriceList(db, before.id, {
    deleted: true,
    update_user_name: await nameOf(context),
    update_time: now,
  })
  await answer(context, stored, [before.confirmed ? 'withdraw' : 'delete'])
  return { status: 204, body: null }
}

/**
 * Throws STATE_CONFLICT if a later list is in force, and VERSION_CONFLICT; VALIDATION_ERROR for a day that another list begins on and
 * for a list by which customers could not order.
 */
export const reinstate: UseCase<typeof reinstatePriceList> = async (context, { params }) => {
  const { db, now } = context
  const before = await held(context, params.id)
  if (!isWithdrawn(before)) throw conflict('notWithdrawn')
  const { type, effective_date, description, content } = before
  await lockCatalogue(db)
  const present = await priceListInForce(db, type, momentOf(context).today)
  if (present && present.effective_date > effective_date)
    throw conflict('laterInForce', { effective_date: present.effective_date, desc: present.description })
  await requireSound(context, { type, effective_date, description, content })
  await requireUsable(context, { type, content })
  const stored = await updatePriceList(db, before.id, {
    deleted: false,
    effective_date,
    update_user_name: await nameOf(context),
    update_time: now,
  })
  return answer(context, stored, ['restore'])
}
