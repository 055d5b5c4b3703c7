/** Decides when an outage of a service, and its end, are reported to users. */
import type { ServiceRecord } from '#server/db/hosting/services.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { notifyOfService } from '#server/use-cases/notifications/notify.ts'

type OutageFields = Pick<ServiceRecord, 'online' | 'fault' | 'system_status' | 'is_reported_down'>

/**
 * Returns whether users know of an outage after this observation. It ends only when the service is online again: a starting service, or one
 * whose state is unknown for a moment, is neither down nor up. A service that is not set up has no outage.
 */
export function isOutageReported({
  online,
  fault,
  system_status,
  is_reported_down: wasReported,
}: OutageFields): boolean {
  if (system_status === 0 || online === 1) return false
  return wasReported || (fault !== null && fault !== 'throttled')
}

/**
 * Reports the outage or its end, if `fields` change it. Call it before the service is written, because that locks the services' counter.
 * Runs as the system role.
 */
export async function reportOutage(
  db: DatabaseHandle,
  service: Pick<ServiceRecord, 'id' | 'company_id' | 'code' | 'row_version' | 'is_reported_down'>,
  fields: Pick<OutageFields, 'system_status' | 'is_reported_down'>,
  now: number,
): Promise<void> {
  if (fields.system_status === 0 || fields.is_reported_down === service.is_reported_down) return
  await notifyOfService(db, service, fields.is_reported_down ? 'service-down' : 'service-up', now)
}
