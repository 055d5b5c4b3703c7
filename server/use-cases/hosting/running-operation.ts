/** Starts operations. A service has at most one running operation, stored in its row from start to end (contracts 4, M49). */
import type { ServiceOperation } from '#contract/services.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { lockService, type ServiceRecord, updateService } from '#server/db/hosting/services.ts'
import type { RunningOperation, RunningStep } from '#server/db/tables/hosting-tables.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { InstanceConfig } from '#server/drivers/hosting/hosting-driver.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export interface OperationInput {
  kind: ServiceOperation
  serviceId: number
  companyId: number
  code: string
  /** Fence of this operation. After the operation has begun, the host refuses calls with an earlier fence. */
  fence: number
  /** Id of the requesting user, or 0 for the portal. */
  userId: number
  userCompanyId: number
  /** Whether the response may name the provider's own staff. */
  toProvider: boolean
  config: InstanceConfig | null
  /** Fields of the audit entry if the operation fails. */
  trail: { code?: AuditEntry['code']; operation: string; info: Record<string, unknown> } & Pick<AuditEntry, 'company'>
  requestId: string
  intent: string | null
}

/** Status of the service during an operation (D40): 1 creating, 3 updating. Other operations do not change the status. */
const statusWhileRunning: Partial<Record<ServiceOperation, number>> = {
  'create-service': 1,
  'update-service': 3,
  'reboot-service': 3,
  'start-service': 3,
}

export async function startOperation(
  db: DatabaseHandle,
  service: Pick<ServiceRecord, 'id' | 'fence'>,
  operation: RunningOperation,
): Promise<number> {
  const fence = service.fence + 1
  const status = statusWhileRunning[operation.kind]
  const fields = {
    operation: JSON.stringify(operation),
    fence,
    ...(status === undefined ? {} : { system_status: status, deployment_fault: null }),
  }
  await updateService(db, service.id, fields, operation.since)
  return fence
}

/**
 * Stores the step for everybody who sees the service. Returns false if it is stored already, or if the operation with this fence is no longer
 * running.
 */
export async function writeOperationStep(
  db: DatabaseHandle,
  { serviceId, fence }: Pick<OperationInput, 'serviceId' | 'fence'>,
  step: RunningStep,
  now: number,
): Promise<boolean> {
  const service = await lockService(db, serviceId)
  if (!service?.operation || service.fence !== fence) return false
  const { name, healthy, wanted: wantedCount } = service.operation.step ?? {}
  if (name === step.name && healthy === step.healthy && wantedCount === step.wanted) return false
  await updateService(db, serviceId, { operation: JSON.stringify({ ...service.operation, step }) }, now)
  return true
}

/** Returns the user's name, or null for the portal itself. For customers it is also null for the provider's staff. */
export const getVisibleName = (
  { userId, userName, byProvider: isByProvider }: Pick<RunningOperation, 'userId' | 'userName' | 'byProvider'>,
  isForProvider: boolean,
): string | null => (userId !== 0 && (isForProvider || !isByProvider) ? userName : null)

/** Throws RESOURCE_LOCKED with the operation and, if the caller may see it, the user's name. */
export function requireNotLocked({ operation }: Pick<ServiceRecord, 'operation'>, isForProvider: boolean): void {
  if (operation === null) return
  throw new ProblemError(
    'RESOURCE_LOCKED',
    { user: getVisibleName(operation, isForProvider), action: operation.kind },
    10,
  )
}
