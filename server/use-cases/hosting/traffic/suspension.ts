/** Suspends backups that cause traffic: because of an overdue month, or because the staff have decided so (D31). */
import { type Currency, writeAmount } from '#domain/money.ts'
import { getSmallestPayable } from '#domain/payments.ts'
import type { ServiceKey } from '#server/db/hosting/backups.ts'
import type { ExpiryBounds } from '#server/db/hosting/expired-backups.ts'
import { touchService, updateService, lockService } from '#server/db/hosting/services.ts'
import { hasOverdueTraffic, type OverdueBounds } from '#server/db/hosting/traffic.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

type SuspensionContext = Pick<UseCaseContext, 'db' | 'app' | 'now'>

export function getLapseBounds(context: Pick<SuspensionContext, 'app' | 'now'>): ExpiryBounds {
  const { payableSince, today } = getBusinessMoment(context)
  return { createdBefore: payableSince, today }
}

/** Returns the limits from which traffic is overdue. An amount that is too small to be paid does not suspend a service. */
export function getOverdueBounds(context: Pick<SuspensionContext, 'app' | 'now'>): OverdueBounds {
  const { types } = context.app.payments
  const getMinAmount = (currency: Currency) => writeAmount(getSmallestPayable(types, currency))
  return {
    createdBefore: getBusinessMoment(context).payableSince,
    minAmounts: { HKD: getMinAmount('HKD'), USD: getMinAmount('USD'), RMB: getMinAmount('RMB') },
  }
}

/**
 * Returns whether the service's backups are suspended. `isBlocked` is the new setting of the staff, if it changes. Locks the service, so
 * call it last.
 */
export async function settleSuspension(
  context: SuspensionContext,
  { companyId, serviceId }: ServiceKey,
  isBlocked?: boolean,
): Promise<boolean> {
  const { db, now } = context
  const isOverdue = await hasOverdueTraffic(db, serviceId, getOverdueBounds(context))
  const service = await lockService(db, serviceId)
  // A service that belongs to another company by now is left unchanged.
  if (service?.company_id !== companyId) return isOverdue
  const traffic_blocked = isBlocked ?? service.traffic_blocked
  const traffic_disabled = traffic_blocked || isOverdue
  if (traffic_disabled === service.traffic_disabled && traffic_blocked === service.traffic_blocked)
    await touchService(db, companyId, service.code)
  else await updateService(db, serviceId, { traffic_blocked, traffic_disabled }, now)
  return traffic_disabled
}
