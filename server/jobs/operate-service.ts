/**
 * Runs operations on a hosted service, for every driver: brings it to the target state in named steps. Each step is one host call that can be
 * repeated, and is shown to everybody who sees the service. If the new instances do not become healthy, the service returns to the version that
 * ran before.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { OperationStep, ServiceOperation } from '#contract/services.ts'
import { isStored } from '#contract/verdict.ts'
import { storePassword } from '#server/db/hosting/service-passwords.ts'
import { findServiceRow } from '#server/db/hosting/services.ts'
import { findContractById } from '#server/db/orders/contracts.ts'
import type { RunningStep } from '#server/db/tables/hosting-tables.ts'
import type { Config } from '#server/config/config.ts'
import {
  HostingError,
  type HostingFault,
  type InstanceAddress,
  type InstanceApp,
  type InstanceConfig,
  type InstanceFault,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { JobKind, JobContext } from '#server/jobs/job-kind.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { readRunningApps } from '#server/use-cases/hosting/running-apps.ts'
import { findStoredPackage } from '#server/use-cases/uploads/stored-packages.ts'
import { checkHealth, countInstances, healthCheckMs } from '#server/use-cases/hosting/health-wait.ts'
import { type OperationInput, writeOperationStep } from '#server/use-cases/hosting/running-operation.ts'
import { createServicePassword, passwordLifeMs, sealPassword } from '#server/use-cases/hosting/service-passwords.ts'
import { type OperationPoint, settleOperation } from '#server/use-cases/hosting/settle-operation.ts'

/** Steps that an operation plans. It returns to the previous version only if the wait for health is given up. */
type PlannedStep = Exclude<OperationStep, 'rollback'>

type HostOperation = Exclude<ServiceOperation, 'restore-backup'>

const stepsByOperation: Record<HostOperation, readonly PlannedStep[]> = {
  'create-service': ['prepare', 'install', 'password', 'start', 'health', 'switch'],
  'update-service': ['install', 'restart', 'health', 'switch'],
  'reboot-service': ['restart', 'health', 'switch'],
  'configure-service': ['configure'],
  'reset-service-password': ['password'],
  'stop-service': ['stop'],
  'start-service': ['start', 'health', 'switch'],
  'remove-service': ['remove'],
  'delete-service': ['erase'],
}

type OperationContext = JobContext<OperationInput, OperationPoint>

export const hostOperations = Object.keys(stepsByOperation) as HostOperation[]

export const createServiceOperationJob = (kind: HostOperation): JobKind<OperationInput, OperationPoint, unknown> => ({
  isResumable: true,
  ...(kind === 'stop-service' || kind === 'start-service' ? { isQuiet: true as const } : {}),
  // Retries an unreachable or busy host for about five minutes.
  // Every 10 s, because a throttled host may accept calls for a few seconds only.
  getRetryDelay: (tries) => (tries >= 31 ? null : Math.min(10_000, 2000 * 2 ** tries)),
  settle: settleOperation,
  onEnded: ({ app, input }) => announceServices(app, input.companyId),
  async step(context) {
    const plan = stepsByOperation[kind]
    const point = context.point ?? { next: 0 }
    const name = point.givenUp ? 'rollback' : plan[point.next]
    if (name === undefined) return { kind: 'done', output: null }
    const runningStep = describeStep(context, name, point)
    await announceStep(context, runningStep)
    const nextPoint = await stepHandlers[name](context, point).catch((error: unknown) =>
      failStep(context, point, error),
    )
    if (nextPoint.next >= plan.length)
      nextPoint.state = await context.app.hosting.look(getServiceRef(context)).catch(() => point.state ?? null)
    return {
      kind: 'on',
      point: nextPoint,
      percent: calculatePercent(plan, nextPoint, describeStep(context, name, nextPoint)),
      info: { name: context.input.code, message: nextPoint.givenUp ? 'rollback' : (plan[nextPoint.next] ?? '') },
    }
  },
})

/** While the operation waits for health, the step has the numbers of the latest check. */
function describeStep({ input }: OperationContext, name: OperationStep, point: OperationPoint): RunningStep {
  if (name !== 'health' || !point.state) return { name, healthy: null, wanted: null }
  return { name, ...countInstances(point.state, input.fence) }
}

/** Stores the step in the service's row and announces the row. Progress only informs users, so a failure does not fail the operation. */
async function announceStep({ app, input }: OperationContext, step: RunningStep): Promise<void> {
  const isNew = await writeAsSystem(app, (db) => writeOperationStep(db, input, step, app.clock())).catch(() => false)
  if (isNew) announceServices(app, input.companyId)
}

function calculatePercent(plan: readonly PlannedStep[], { next }: OperationPoint, step: RunningStep): number {
  const isWaiting = plan[next] === 'health' && step.wanted !== null && step.healthy !== null && step.wanted > 0
  const share = isWaiting ? Math.min(1, (step.healthy ?? 0) / (step.wanted ?? 1)) : 0
  return Math.min(99, Math.round(((next + share) / plan.length) * 100))
}

const getServiceRef = ({ input: { serviceId, code } }: OperationContext) => ({ serviceId, code })
const getOperation = ({ input: { fence } }: OperationContext) => ({ fence })
const advance = (point: OperationPoint, changes: Partial<OperationPoint> = {}): OperationPoint => ({
  ...point,
  ...changes,
  next: point.next + 1,
})

/**
 * Gives the operation up if the host has refused to start the new version. Otherwise throws the error, as a problem if the host refused the
 * operation. A final problem first undoes a creation. Other errors are retried.
 */
async function failStep(context: OperationContext, point: OperationPoint, error: unknown): Promise<OperationPoint> {
  logRefusal(context, error)
  const isRefusal = error instanceof HostingError && !retriedFaults.includes(error.fault)
  const fault = isRefusal ? startFaults.find((name) => name === error.fault) : undefined
  if (isRefusal && fault && startOperations.includes(context.input.kind) && !point.givenUp)
    return { ...point, givenUp: { fault, details: error.details, isRolledBack: false } }
  const problem = isRefusal ? toProblem(error) : error
  // A database that is briefly unavailable is not a final refusal.
  const isFinal = problem instanceof ProblemError && isStored(problem.status, problem.code)
  if (isFinal && context.input.kind === 'create-service') await undoCreation(context)
  throw problem
}

/** The user sees only the kind of fault. The operator needs the sentence, for example why an image cannot be used. */
function logRefusal({ app, input: { code, kind } }: OperationContext, error: unknown): void {
  if (!(error instanceof HostingError) || retriedFaults.includes(error.fault)) return
  app.log.warn(
    { event: 'service_operation_refused', service: code, operation: kind, fault: error.fault, err: error },
    'the platform of hosted services refused an operation',
  )
}

/** A later attempt may succeed. */
const retriedFaults: readonly HostingFault[] = ['unreachable', 'throttled']

/** Faults for which a host refuses to start tasks. The row of the service keeps them until the next start. */
const startFaults = ['no_image', 'no_memory'] as const
/** A creation has nothing to return to: its instance is removed, and its row gets the fault from the problem. */
const startOperations: readonly ServiceOperation[] = ['update-service', 'reboot-service', 'start-service']

interface Refusal {
  fault: HostingFault | InstanceFault
  details?: Readonly<Record<string, string>>
}

/** Without details, the fault was observed after the start. */
const toProblem = ({ fault, details }: Refusal) =>
  fault === 'no_memory' && details
    ? new ProblemError('NO_MEMORY', details)
    : new ProblemError('STATE_CONFLICT', { why: fault })

/** Removes the instance that the creation has started. Data of an earlier instance stays. */
const undoCreation = (context: OperationContext) =>
  context.app.hosting.remove(getServiceRef(context), getOperation(context)).catch((error: unknown) =>
    // The health check removes it later.
    context.app.log.warn(
      { event: 'failed_instance_removal_failed', err: error, service: context.input.code },
      'could not remove an instance whose creation failed',
    ),
  )

const stepHandlers: Record<
  OperationStep,
  (context: OperationContext, point: OperationPoint) => Promise<OperationPoint>
> = {
  async prepare(context, point) {
    const service = await readAsSystem(context.app, (db) =>
      findServiceRow(db, context.input.companyId, context.input.serviceId),
    )
    if (!service) throw new ProblemError('NOT_FOUND')
    const config: InstanceConfig = { memoryMb: service.task_runtime_memory, tasks: service.task_desire_count }
    const spec = { name: service.display_name, config }
    const { address, hadData } = await context.app.hosting.prepare(getServiceRef(context), spec, getOperation(context))
    return advance(point, { address: toPublicAddress(context.app.config, address), hadData })
  },

  async install(context, point) {
    const { serviceId, companyId } = context.input
    const apps = await readAsSystem(context.app, async (db) => {
      const service = await findServiceRow(db, companyId, serviceId)
      const contract = service?.contract_id ? await findContractById(db, companyId, service.contract_id) : null
      return contract && (await readRunningApps(db, { modules: contract.modules, clientType: contract.client_type }))
    })
    // A service without a contract was set up by an operator and keeps its apps.
    if (apps === null) return advance(point)
    const instanceApps: InstanceApp[] = []
    // After the transaction, because the packages may have to be copied from a bucket.
    for (const { sha256, ...app } of apps)
      instanceApps.push({ ...app, package: await findStoredPackage(context.app, sha256) })
    await context.app.hosting.install(getServiceRef(context), instanceApps, getOperation(context))
    return advance(point, { apps: Object.fromEntries(apps.map(({ code, version }) => [code, version])) })
  },

  /** The password is stored before it is set at the host. After a kill in between, the repeated step stores and sets another password. */
  async password(context, point) {
    const { serviceId, companyId, userId, kind } = context.input
    if (kind === 'create-service' && point.hadData) return advance(point)
    const password = createServicePassword()
    const sealedText = sealPassword(context.app.config, serviceId, password)
    const until = context.app.clock() + passwordLifeMs
    // Not stored for operations that the portal started by itself. A user who needs a password resets it.
    if (userId !== 0)
      await writeAsSystem(context.app, (db) => storePassword(db, { serviceId, companyId, userId, sealedText, until }))
    await context.app.hosting.setPassword(getServiceRef(context), password, getOperation(context))
    return advance(point)
  },

  async start(context, point) {
    await context.app.hosting.start(getServiceRef(context), { fresh: false }, getOperation(context))
    return advance(point)
  },

  async restart(context, point) {
    await context.app.hosting.start(getServiceRef(context), { fresh: true }, getOperation(context))
    return advance(point)
  },

  /** Each check is stored, so that a kill does not reset the time that the operation has waited. */
  async health(context, point) {
    const { app, input } = context
    const state = await app.hosting.look(getServiceRef(context))
    const result = checkHealth(state, point.wait, { fence: input.fence, now: app.clock() })
    if (result.kind === 'healthy') return advance(point, { state })
    if (result.kind === 'givenUp') return { ...point, state, givenUp: { fault: result.fault, isRolledBack: false } }
    await wait(healthCheckMs.interval)
    return { ...point, state, wait: result.wait }
  },

  async switch(context, point) {
    await context.app.hosting.switchOver(getServiceRef(context), getOperation(context))
    return advance(point)
  },

  /** A failed creation has no previous version: its instance is removed when the operation fails. */
  async rollback(context, point) {
    const { hosting } = context.app
    const { givenUp } = point
    if (!givenUp) throw new Error('the operation was not given up')
    if (givenUp.isRolledBack || context.input.kind === 'create-service') throw toProblem(givenUp)
    await hosting.rollBack(getServiceRef(context), givenUp.fault, getOperation(context))
    const state = await hosting.look(getServiceRef(context))
    return { ...point, state, givenUp: { ...givenUp, isRolledBack: true } }
  },

  async configure(context, point) {
    const { config } = context.input
    if (!config) throw new Error('the input has no configuration')
    await context.app.hosting.configure(getServiceRef(context), config, getOperation(context))
    return advance(point)
  },

  async stop(context, point) {
    await context.app.hosting.stop(getServiceRef(context), getOperation(context))
    return advance(point)
  },

  async remove(context, point) {
    await context.app.hosting.remove(getServiceRef(context), getOperation(context))
    return advance(point)
  },

  async erase(context, point) {
    await context.app.hosting.erase(getServiceRef(context), getOperation(context))
    return advance(point)
  },
}

/** Returns the address that users open: that of the gateway, or of the proxy in front of it. */
function toPublicAddress({ serviceTls }: Pick<Config, 'serviceTls'>, address: InstanceAddress): InstanceAddress {
  if (!serviceTls) return address
  const toHttpsUrl = (url: string) => `https://${new URL(url).hostname}/`
  return { url: toHttpsUrl(address.url), adminUrl: toHttpsUrl(address.adminUrl) }
}
