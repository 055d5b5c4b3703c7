/** Backups that cause traffic are suspended by the staff or because of an overdue month (D31). */
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

/** An amount that is too small to be paid does not suspend a service. */
export function getOverdueBounds(context: Pick<SuspensionContext, 'app' | 'now'>): OverdueBounds {
  const { types } = context.app.payments
  const getMinAmount = (currency: Currency) => writeAmount(getSmallestPayable(types, currency))
  return {
    createdBefore: getBusinessMoment(context).payableSince,
    minAmounts: { HKD: getMinAmount('HKD'), USD: getMinAmount('USD'), RMB: getMinAmount('RMB') },
  }
}

/** Returns whether it is suspended. `isBlocked` is the staff's new setting. Locks the service, so call it last. */
export async function settleSuspension(
  context: SuspensionContext,
  { companyId, serviceId }: ServiceKey,
  isBlocked?: boolean,
): Promise<boolean> {
  const { db, now } = context
  const isOverdue = await hasOverdueTraffic(db, serviceId, getOverdueBounds(context))
  const service = await lockService(db, serviceId)
  // The service may belong to another company by now. Then it is left unchanged.
  if (service?.company_id !== companyId) return isOverdue
  const traffic_blocked = isBlocked ?? service.traffic_blocked
  const traffic_disabled = traffic_blocked || isOverdue
  if (traffic_disabled === service.traffic_disabled && traffic_blocked === service.traffic_blocked)
    await touchService(db, companyId, service.code)
  else await updateService(db, serviceId, { traffic_blocked, traffic_disabled }, now)
  return traffic_disabled
}
