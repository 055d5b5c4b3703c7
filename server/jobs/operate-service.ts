/** Runs operations on a hosted service. Each step is one host call that names the target state, so it can be repeated. */
import { setTimeout as wait } from 'node:timers/promises'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { ServiceOperation } from '#contract/services.ts'
import { isStored } from '#contract/verdict.ts'
import { storePassword } from '#server/db/hosting/service-passwords.ts'
import { findServiceRow } from '#server/db/hosting/services.ts'
import { findContractById } from '#server/db/orders/contracts.ts'
import type { Config } from '#server/config/config.ts'
import {
  HostingError,
  type InstanceAddress,
  type InstanceApp,
  type InstanceConfig,
  type InstanceState,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { JobKind, JobContext } from '#server/jobs/job-kind.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { readRunningApps } from '#server/use-cases/hosting/running-apps.ts'
import { findStoredPackage } from '#server/use-cases/uploads/stored-packages.ts'
import type { OperationInput } from '#server/use-cases/hosting/running-operation.ts'
import { createServicePassword, passwordLifeMs, sealPassword } from '#server/use-cases/hosting/service-passwords.ts'
import { type OperationPoint, settleOperation } from '#server/use-cases/hosting/settle-operation.ts'

type Stage =
  | 'prepare'
  | 'install'
  | 'password'
  | 'start'
  | 'restart'
  | 'health'
  | 'configure'
  | 'stop'
  | 'remove'
  | 'erase'

type HostOperation = Exclude<ServiceOperation, 'restore-backup'>

const stagesByOperation: Record<HostOperation, readonly Stage[]> = {
  'create-service': ['prepare', 'install', 'password', 'start', 'health'],
  'update-service': ['install', 'restart', 'health'],
  'reboot-service': ['restart', 'health'],
  'configure-service': ['configure'],
  'reset-service-password': ['password'],
  'stop-service': ['stop'],
  'start-service': ['start', 'health'],
  'remove-service': ['remove'],
  'delete-service': ['erase'],
}

/** How long a started system may take until it is healthy, and how often it is checked, in ms. */
export const healthCheckMs = { timeout: 90_000, interval: 400 }

type OperationContext = JobContext<OperationInput, OperationPoint>

export const hostOperations = Object.keys(stagesByOperation) as HostOperation[]

export const createServiceOperationJob = (kind: HostOperation): JobKind<OperationInput, OperationPoint, unknown> => ({
  isResumable: true,
  ...(kind === 'stop-service' || kind === 'start-service' ? { isQuiet: true as const } : {}),
  // Retries an unreachable host for about five minutes.
  getRetryDelay: (tries) => (tries >= 8 ? null : Math.min(60_000, 2000 * 2 ** tries)),
  settle: settleOperation,
  onEnded: ({ app, input }) => announceServices(app, input.companyId),
  async step(context) {
    const stagePlan = stagesByOperation[kind]
    const point = context.point ?? { next: 0 }
    const stage = stagePlan[point.next]
    if (stage === undefined) return { kind: 'done', output: null }
    const nextPoint = await stageHandlers[stage](context, point).catch((error: unknown) => failStage(context, error))
    const isComplete = nextPoint.next >= stagePlan.length
    if (isComplete && stage !== 'health')
      nextPoint.state = await context.app.hosting.look(getServiceRef(context)).catch(() => null)
    return {
      kind: 'on',
      point: nextPoint,
      percent: Math.min(99, Math.round((nextPoint.next / stagePlan.length) * 100)),
      info: { name: context.input.code, message: stagePlan[nextPoint.next] ?? '' },
    }
  },
})

const getServiceRef = ({ input: { serviceId, code } }: OperationContext) => ({ serviceId, code })
const getOperation = ({ input: { fence } }: OperationContext) => ({ fence })
const advance = (point: OperationPoint, changes: Partial<OperationPoint> = {}): OperationPoint => ({
  ...point,
  ...changes,
  next: point.next + 1,
})

/** Throws the error, as a problem if the host refused the operation. A final problem first undoes a creation. Other errors are retried. */
async function failStage(context: OperationContext, error: unknown): Promise<never> {
  const problem = error instanceof HostingError && error.fault !== 'unreachable' ? toProblem(error) : error
  // A database that is briefly unavailable is not a final refusal.
  const isFinal = problem instanceof ProblemError && isStored(problem.status, problem.code)
  if (isFinal && context.input.kind === 'create-service') await undoCreation(context)
  throw problem
}

const toProblem = ({ fault, details }: HostingError) =>
  fault === 'no_memory' ? new ProblemError('NO_MEMORY', details) : new ProblemError('STATE_CONFLICT', { why: fault })

/** Removes the instance that the creation has started. Data of an earlier instance stays. */
const undoCreation = (context: OperationContext) =>
  context.app.hosting.remove(getServiceRef(context), getOperation(context)).catch((error: unknown) =>
    // The health check removes it later.
    context.app.log.warn(
      { event: 'failed_instance_removal_failed', err: error, service: context.input.code },
      'could not remove an instance whose creation failed',
    ),
  )

const stageHandlers: Record<Stage, (context: OperationContext, point: OperationPoint) => Promise<OperationPoint>> = {
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

  /** Each check is a step of its own, so that a kill does not reset the time that the job has waited. */
  async health(context, point) {
    const waitingSince = point.waitsSince ?? context.app.clock()
    const state = await context.app.hosting.look(getServiceRef(context))
    if (state && isServiceUp(state)) return advance(point, { state, waitsSince: waitingSince })
    if (context.app.clock() - waitingSince > healthCheckMs.timeout)
      throw new ProblemError('STATE_CONFLICT', { why: state?.fault ?? 'no_answer' })
    await wait(healthCheckMs.interval)
    return { ...point, waitsSince: waitingSince, state }
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

/** Whether the configured number of tasks runs with the current configuration and all of them respond. */
function isServiceUp({ config, running, tasks }: InstanceState): boolean {
  if (config.tasks === 0) return tasks.length === 0
  const count = config.tasks === -1 ? Math.max(1, tasks.length) : config.tasks
  const isSame = running?.memoryMb === config.memoryMb && running.tasks === config.tasks
  return isSame && tasks.length === count && tasks.every(({ healthy }) => healthy)
}
