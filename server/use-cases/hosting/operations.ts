/**
 * What people ask to be done to a hosted service: checked, written down in its row, and begun as a long request, all in one
 * transaction (contracts 4, 6, D41, D43, D50).
 */
import { isProvider } from '#domain/access.ts'
import { type ServiceAct, whyNotAct } from '#domain/hosting.ts'
import type * as contract from '#contract/services.ts'
import type { Id } from '#contract/endpoint.ts'
import { userById } from '#server/db/accounts/users.ts'
import * as rows from '#server/db/hosting/services.ts'
import type { RunningOperation } from '#server/db/tables/hosting-tables.ts'
import type { Answer, UseCase, UseCaseContext } from '#server/context/context.ts'
import type { InstanceConfig } from '#server/drivers/hosting/driver.ts'
import { forbidden, notFound, ProblemError } from '#server/problems/problem-error.ts'
import { beginJob, newProgressKey } from '#server/use-cases/job-requests.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { behindFence, type OnService } from '#server/use-cases/hosting/acting-on-service.ts'
import { type OperationInput, refuseLocked, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { serviceRowOf } from '#server/use-cases/hosting/service-rows.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

interface Asked {
  kind: contract.ServiceOperation
  act: ServiceAct
  /** As the trail calls it. */
  operation: string
  config?: InstanceConfig
}

/** Of the service, or of the contract that it belongs to. */
type Named = { of: 'service' | 'contract'; id: Id }

/** Throws NOT_FOUND, FORBIDDEN, STATE_CONFLICT with `why`, and RESOURCE_LOCKED with who is doing what. */
async function operate(context: UseCaseContext, { of, id }: Named, asked: Asked): Promise<Answer<never>> {
  const { app, db, caller } = context
  // Nobody would ever work it off.
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const user = await userById(db, caller.companyId, caller.userId)
  const progressKey = newProgressKey()
  const input = await behindFence(context, of, id, async (companyId, rowId, on) => {
    const serviceId = of === 'service' ? rowId : await rows.serviceOfContract(db, companyId, rowId)
    if (serviceId === null) throw notFound()
    return await begin(context, { companyId, serviceId, on }, asked, { userName: user?.name ?? '', progressKey })
  })
  return beginJob(context, { kind: asked.kind, input, progressKey })
}

async function begin(
  context: UseCaseContext,
  { companyId, serviceId, on }: { companyId: number; serviceId: number; on: OnService },
  { kind, act, operation, config }: Asked,
  by: Pick<RunningOperation, 'userName' | 'progressKey'>,
): Promise<OperationInput> {
  const { app, db, caller, now, requestId, intent } = context
  const toProvider = isProvider(caller)
  const moment = momentOf(context)
  const held = await rows.serviceForUpdate(db, serviceId)
  const row = await rows.serviceRowById(db, companyId, serviceId)
  if (!held || !row) throw notFound()
  const why = whyNotAct(act, serviceRowOf(app, row, moment, toProvider), caller, moment.today)
  if (why === 'not_allowed') throw forbidden()
  refuseLocked(held, toProvider)
  if (why) throw new ProblemError('STATE_CONFLICT', { why })
  const running = { kind, userId: caller.userId, byProvider: row.company_id !== caller.companyId, since: now, ...by }
  const fence = await startOperation(db, held, running)
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
    ...(config && { changes: changesOf(row, config) }),
    ...on.log,
  })
  return {
    kind,
    serviceId: row.id,
    companyId: row.company_id,
    code: row.code,
    fence,
    userId: caller.userId,
    userCompanyId: caller.companyId,
    toProvider,
    config: config ?? null,
    trail: { operation, info, ...on.log },
    requestId,
    intent,
  }
}

const changesOf = (row: rows.ServiceRow, { memoryMb, tasks }: InstanceConfig) =>
  [
    { field: 'task_runtime_memory', before: row.task_runtime_memory, after: memoryMb },
    { field: 'task_desire_count', before: row.task_desire_count, after: tasks },
  ].filter(({ before, after }) => before !== after)

/** `operation`: as the trail calls it. */
const onService =
  (act: ServiceAct, kind: contract.ServiceOperation, operation: string) =>
  (context: UseCaseContext, { params }: { params: { id: Id } }) =>
    operate(context, { of: 'service', id: params.id }, { act, kind, operation })

export const update: UseCase<typeof contract.updateService> = onService('update', 'update-service', 'update')
export const remove: UseCase<typeof contract.removeService> = onService('remove', 'remove-service', 'remove')
export const erase: UseCase<typeof contract.deleteService> = onService('delete', 'delete-service', 'delete')
export const reboot: UseCase<typeof contract.rebootService> = onService('reboot', 'reboot-service', 'reboot')
export const resetPassword: UseCase<typeof contract.resetServicePassword> = onService(
  'reset',
  'reset-service-password',
  'reset',
)

export const create: UseCase<typeof contract.createService> = (context, { query }) =>
  operate(
    context,
    { of: 'contract', id: query.contractId },
    { act: 'create', kind: 'create-service', operation: 'create' },
  )

export const configure: UseCase<typeof contract.configureService> = (context, { query }) => {
  const config = { memoryMb: query.task_runtime_memory, tasks: query.task_desire_count }
  const asked = { act: 'configure', kind: 'configure-service', operation: 'config', config } as const
  return operate(context, { of: 'service', id: query.serviceId }, asked)
}
