/** An operation on a service stands in the service's row from its begin to its end: there is one at a time (contracts 4, M49). */
import type { ServiceOperation } from '#contract/services.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { type ServiceRecord, updateService } from '#server/db/hosting/services.ts'
import type { RunningOperation } from '#server/db/tables/hosting-tables.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { InstanceConfig } from '#server/drivers/hosting/hosting-driver.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** What its long request goes by. */
export interface OperationInput {
  kind: ServiceOperation
  serviceId: number
  companyId: number
  code: string
  /** Of this operation: what an earlier one still does after it has begun is refused. */
  fence: number
  /** Who asked; 0: the portal itself. */
  userId: number
  userCompanyId: number
  /** Whether the answer names the provider's own people. */
  toProvider: boolean
  /** To be set. */
  config: InstanceConfig | null
  /** How a failure is written into the trail. */
  trail: { code?: AuditEntry['code']; operation: string; info: Record<string, unknown> } & Pick<AuditEntry, 'company'>
  requestId: string
  intent: string | null
}

/** While it is done (D40): 1 creating, 3 updating. What is not here leaves it as it is. */
const statusWhileRunning: Partial<Record<ServiceOperation, number>> = {
  'create-service': 1,
  'update-service': 3,
  'reboot-service': 3,
  'start-service': 3,
}

/** In the row, which is locked. Answers the operation's fence. */
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
    ...(status === undefined ? {} : { system_status: status }),
  }
  await updateService(db, service.id, fields, operation.since)
  return fence
}

/** Who does it, as far as the reader may know: no name of the portal itself, nor of the provider's people to a customer. */
export const getVisibleName = (
  { userId, userName, byProvider: isByProvider }: Pick<RunningOperation, 'userId' | 'userName' | 'byProvider'>,
  isForProvider: boolean,
): string | null => (userId !== 0 && (isForProvider || !isByProvider) ? userName : null)

/** Throws RESOURCE_LOCKED with who is doing what, as far as the caller may know. */
export function requireNotLocked({ operation }: Pick<ServiceRecord, 'operation'>, isForProvider: boolean): void {
  if (operation === null) return
  throw new ProblemError(
    'RESOURCE_LOCKED',
    { user: getVisibleName(operation, isForProvider), action: operation.kind },
    10,
  )
}
