/** Whether the backups of a service that cause traffic are suspended: by the staff, or because a month is overdue (D31). */
import { type Currency, writeAmount } from '#domain/money.ts'
import { smallestPayable } from '#domain/payments.ts'
import type { OfService } from '#server/db/hosting/backups.ts'
import type { LapseBounds } from '#server/db/hosting/lapsed-backups.ts'
import { touchService, updateService, serviceForUpdate } from '#server/db/hosting/services.ts'
import { isAnyOverdue, type OverdueBounds } from '#server/db/hosting/traffic.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

type Work = Pick<UseCaseContext, 'db' | 'app' | 'now'>

/** Which orders of backups that are not paid have lapsed by now. */
export function lapseBounds(work: Pick<Work, 'app' | 'now'>): LapseBounds {
  const { payableSince, today } = momentOf(work)
  return { before: payableSince, today }
}

/** What nobody can pay because it is so little suspends nothing. */
export function overdueBounds(work: Pick<Work, 'app' | 'now'>): OverdueBounds {
  const { types } = work.app.payments
  const least = (currency: Currency) => writeAmount(smallestPayable(types, currency))
  return { before: momentOf(work).payableSince, smallest: { HKD: least('HKD'), USD: least('USD'), RMB: least('RMB') } }
}

/**
 * Writes down how it is now, and that the service's row has changed. `blocked`: what the staff want from now on. Answers whether it
 * is suspended. Services are locked last.
 */
export async function settleSuspension(
  work: Work,
  { companyId, serviceId }: OfService,
  blocked?: boolean,
): Promise<boolean> {
  const { db, now } = work
  const isOverdue = await isAnyOverdue(db, serviceId, overdueBounds(work))
  const service = await serviceForUpdate(db, serviceId)
  // It may be another company's by now, whose matter this is not.
  if (service?.company_id !== companyId) return isOverdue
  const traffic_blocked = blocked ?? service.traffic_blocked
  const traffic_disabled = traffic_blocked || isOverdue
  if (traffic_disabled === service.traffic_disabled && traffic_blocked === service.traffic_blocked)
    await touchService(db, companyId, service.code)
  else await updateService(db, serviceId, { traffic_blocked, traffic_disabled }, now)
  return traffic_disabled
}
