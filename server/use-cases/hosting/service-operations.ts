/** Starts operations on a service that users request (contracts 4, 6, D41, D43, D50). */
import { type ActingConsent, type Caller, isProvider } from '#domain/access.ts'
import { type ServiceAction, getServiceActionRefusal } from '#domain/hosting.ts'
import type * as contract from '#contract/services.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { buildActingInfo } from '#server/db/audit/audit-entry.ts'
import { findUserById } from '#server/db/accounts/users.ts'
import * as rows from '#server/db/hosting/services.ts'
import type { RunningOperation } from '#server/db/tables/hosting-tables.ts'
import type { UseCaseResponse, UseCase, UseCaseContext } from '#server/context/context.ts'
import type { InstanceConfig } from '#server/drivers/hosting/hosting-driver.ts'
import { createForbiddenProblem, createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'
import { startJob, createProgressKey } from '#server/use-cases/job-requests.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { runBehindFence, type ServiceTrailDetails } from '#server/use-cases/hosting/run-for-service.ts'
import { type OperationInput, requireNotLocked, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { toServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

interface OperationRequest {
  kind: contract.ServiceOperation
  action: ServiceAction
  operation: string
  config?: InstanceConfig
}

/** A service is given by its own id or by that of its contract. */
type OperationTarget = { kind: 'service' | 'contract'; id: RowRef }

/**
 * Throws NOT_SUPPORT without a host, NOT_FOUND, FORBIDDEN, STATE_CONFLICT with `why`, or RESOURCE_LOCKED with the user and the operation.
 */
async function startServiceOperation(
  context: UseCaseContext,
  { kind: targetKind, id }: OperationTarget,
  request: OperationRequest,
): Promise<UseCaseResponse<never>> {
  const { app, db, caller } = context
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const userName = caller.actingConsent?.staffName ?? (await findUserById(db, caller.companyId, caller.userId))?.name
  const progressKey = createProgressKey()
  const input = await runBehindFence(context, targetKind, id, async (companyId, rowId, trailDetails) => {
    const serviceId = targetKind === 'service' ? rowId : await rows.findServiceOfContract(db, companyId, rowId)
    if (serviceId === null) throw createNotFoundProblem()
    return await beginOperation(context, { companyId, serviceId, trailDetails }, request, {
      userName: userName ?? '',
      progressKey,
    })
  })
  return startJob(context, { kind: request.kind, input, progressKey })
}

async function beginOperation(
  context: UseCaseContext,
  {
    companyId,
    serviceId,
    trailDetails: on,
  }: { companyId: number; serviceId: number; trailDetails: ServiceTrailDetails },
  { kind, action, operation, config }: OperationRequest,
  requester: Pick<RunningOperation, 'userName' | 'progressKey'>,
): Promise<OperationInput> {
  const { app, db, caller, now, requestId, intent } = context
  const isForProvider = isProvider(caller)
  const moment = getBusinessMoment(context)
  const lockedService = await rows.lockService(db, serviceId)
  const row = await rows.findServiceRow(db, companyId, serviceId)
  if (!lockedService || !row) throw createNotFoundProblem()
  const refusal = getServiceActionRefusal(
    action,
    toServiceResponse(app, row, moment, isForProvider),
    caller,
    moment.today,
  )
  if (refusal === 'not_allowed') throw createForbiddenProblem()
  requireNotLocked(lockedService, isForProvider)
  if (refusal) throw new ProblemError('STATE_CONFLICT', { why: refusal })
  const runningOperation = {
    kind,
    userId: caller.userId,
    byProvider: row.company_id !== caller.companyId,
    since: now,
    ...requester,
  }
  const fence = await startOperation(db, lockedService, runningOperation)
  const consent = caller.actingConsent
  const info = {
    ServiceCode: row.code,
    ContractCode: row.contract ?? undefined,
    ...(config && { TaskRuntimeMemory: config.memoryMb, TaskDesireCount: config.tasks }),
    ...on.info,
  }
  context.afterCommit(() => announceServices(app, companyId))
  await context.audit({
    code: 'service',
    operation,
    info,
    ...(config && { changes: getConfigChanges(row, config) }),
    ...on.log,
  })
  return {
    kind,
    serviceId: row.id,
    companyId: row.company_id,
    code: row.code,
    fence,
    userId: caller.userId,
    userCompanyId: consent?.staffCompanyId ?? caller.companyId,
    toProvider: isForProvider,
    config: config ?? null,
    trail: consent ? toActingTrail(caller, consent, { operation, info }) : { operation, info, ...on.log },
    requestId,
    intent,
  }
}

/** Fields of the entry if the operation fails. The staff's company records it, in the log of the customer (decision 116). */
const toActingTrail = (
  { companyId }: Caller,
  consent: ActingConsent,
  { operation, info }: Pick<OperationInput['trail'], 'operation' | 'info'>,
): OperationInput['trail'] => ({
  operation,
  info: { ...info, ...buildActingInfo(consent) },
  company: { id: companyId, actor: consent.staffCompanyCode },
})

const getConfigChanges = (row: rows.ServiceListRow, { memoryMb, tasks }: InstanceConfig) =>
  [
    { field: 'task_runtime_memory', before: row.task_runtime_memory, after: memoryMb },
    { field: 'task_desire_count', before: row.task_desire_count, after: tasks },
  ].filter(({ before, after }) => before !== after)

const createServiceUseCase =
  (action: ServiceAction, kind: contract.ServiceOperation) =>
  (context: UseCaseContext, { params }: { params: { id: RowRef } }) =>
    startServiceOperation(context, { kind: 'service', id: params.id }, { action, kind, operation: action })

export const updateService: UseCase<typeof contract.updateService> = createServiceUseCase('update', 'update-service')
export const removeService: UseCase<typeof contract.removeService> = createServiceUseCase('remove', 'remove-service')
export const eraseService: UseCase<typeof contract.deleteService> = createServiceUseCase('delete', 'delete-service')
export const rebootService: UseCase<typeof contract.rebootService> = createServiceUseCase('reboot', 'reboot-service')
export const resetServicePassword: UseCase<typeof contract.resetServicePassword> = createServiceUseCase(
  'reset',
  'reset-service-password',
)

export const createService: UseCase<typeof contract.createService> = (context, { query }) =>
  startServiceOperation(
    context,
    { kind: 'contract', id: query.contractId },
    { action: 'create', kind: 'create-service', operation: 'create' },
  )

export const configureService: UseCase<typeof contract.configureService> = (context, { query }) => {
  const config = { memoryMb: query.task_runtime_memory, tasks: query.task_desire_count }
  const request = { action: 'configure', kind: 'configure-service', operation: 'config', config } as const
  return startServiceOperation(context, { kind: 'service', id: query.serviceId }, request)
}
