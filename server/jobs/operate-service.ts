/**
 * Works off what is to be done to a hosted service, one call of the host a step: each says what is to be, so that a step which a
 * kill cut off is simply done again, and one that another node does at the same time does nothing twice.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { inTransaction } from '#server/db/transaction.ts'
import type { ServiceOperation } from '#contract/services.ts'
import { isStored } from '#contract/verdict.ts'
import { putPassword } from '#server/db/hosting/service-passwords.ts'
import { serviceRowById } from '#server/db/hosting/services.ts'
import { contractById } from '#server/db/orders/contracts.ts'
import type { Config } from '#server/config/config.ts'
import {
  HostingError,
  type InstanceAddress,
  type InstanceConfig,
  type InstanceState,
} from '#server/drivers/hosting/driver.ts'
import type { JobKind, Work } from '#server/jobs/job-kind.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { appsOf } from '#server/use-cases/hosting/running-apps.ts'
import type { OperationInput } from '#server/use-cases/hosting/running-operation.ts'
import { newServicePassword, passwordLifeMs, sealPassword } from '#server/use-cases/hosting/service-passwords.ts'
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

/** A restore is done by stages of its own. */
type HostOperation = Exclude<ServiceOperation, 'restore-backup'>

const plans: Record<HostOperation, readonly Stage[]> = {
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

/** How long it may take until a system answers, and how often it is looked at, ms. */
export const patience = { health: 90_000, look: 400 }

type Operating = Work<OperationInput, OperationPoint>

export const hostOperations = Object.keys(plans) as HostOperation[]

export const operate = (kind: HostOperation): JobKind<OperationInput, OperationPoint, unknown> => ({
  resumes: true,
  ...(kind === 'stop-service' || kind === 'start-service' ? { quiet: true as const } : {}),
  // A host that does not answer is asked for some five minutes.
  wait: (tries) => (tries >= 8 ? null : Math.min(60_000, 2000 * 2 ** tries)),
  settle: settleOperation,
  ended: ({ app: given, input }) => announceServices(given, input.companyId),
  async step(work) {
    const plan = plans[kind]
    const point = work.point ?? { next: 0 }
    const stage = plan[point.next]
    if (stage === undefined) return { kind: 'done', output: null }
    const after = await stages[stage](work, point).catch((error: unknown) => failed(work, error))
    const isThrough = after.next >= plan.length
    if (isThrough && stage !== 'health')
      after.state = await app(work)
        .hosting.look(refOf(work))
        .catch(() => null)
    return {
      kind: 'on',
      point: after,
      percent: Math.min(99, Math.round((after.next / plan.length) * 100)),
      info: { name: work.input.code, message: plan[after.next] ?? '' },
    }
  },
})

const app = ({ app: given }: Operating) => given
const refOf = ({ input: { serviceId, code } }: Operating) => ({ serviceId, code })
const operationOf = ({ input: { fence } }: Operating) => ({ fence })
const onward = (point: OperationPoint, found: Partial<OperationPoint> = {}): OperationPoint => ({
  ...point,
  ...found,
  next: point.next + 1,
})

/** What of a host's refusals is final, which takes a creation back; the rest may turn out differently, and is tried again. */
async function failed(work: Operating, error: unknown): Promise<never> {
  const problem = error instanceof HostingError && error.fault !== 'unreachable' ? problemOf(error) : error
  // A database that is away for a moment is no answer.
  const isFinal = problem instanceof ProblemError && isStored(problem.status, problem.code)
  if (isFinal && work.input.kind === 'create-service') await undo(work)
  throw problem
}

const problemOf = ({ fault, details }: HostingError) =>
  fault === 'no_memory' ? new ProblemError('NO_MEMORY', details) : new ProblemError('STATE_CONFLICT', { why: fault })

/** What was begun is taken away again; data of an earlier system stays. */
const undo = (work: Operating) =>
  app(work)
    .hosting.remove(refOf(work), operationOf(work))
    .catch((error: unknown) =>
      // The health check takes it away later.
      app(work).log.warn({ err: error, service: work.input.code }, 'a system that failed could not be taken away'),
    )

const stages: Record<Stage, (work: Operating, point: OperationPoint) => Promise<OperationPoint>> = {
  async prepare(work, point) {
    const service = await inTransaction(
      app(work),
      system,
      (db) => serviceRowById(db, work.input.companyId, work.input.serviceId),
      'reading',
    )
    if (!service) throw new ProblemError('NOT_FOUND')
    const config: InstanceConfig = { memoryMb: service.task_runtime_memory, tasks: service.task_desire_count }
    const spec = { name: service.shown_name, config }
    const { address, hadData } = await app(work).hosting.prepare(refOf(work), spec, operationOf(work))
    return onward(point, { address: reached(app(work).config, address), hadData })
  },

  async install(work, point) {
    const { serviceId, companyId } = work.input
    const apps = await inTransaction(
      app(work),
      system,
      async (db) => {
        const service = await serviceRowById(db, companyId, serviceId)
        const contract = service?.contract_id ? await contractById(db, companyId, service.contract_id) : null
        return (
          contract && (await appsOf(db, app(work), { modules: contract.modules, clientType: contract.client_type }))
        )
      },
      'reading',
    )
    // One without a contract was set up by hand, and runs what it has.
    if (apps === null) return onward(point)
    await app(work).hosting.install(refOf(work), apps, operationOf(work))
    return onward(point, { apps: Object.fromEntries(apps.map(({ code, version }) => [code, version])) })
  },

  /** Written down before it is set: a kill in between leaves one that nobody has, and the step makes another. */
  async password(work, point) {
    const { serviceId, companyId, userId, kind } = work.input
    if (kind === 'create-service' && point.hadData) return onward(point)
    const password = newServicePassword()
    const sealed = sealPassword(app(work).config, serviceId, password)
    const until = app(work).clock() + passwordLifeMs
    // Nobody asked for what the portal does by itself: a reset gives a password to who needs one.
    if (userId !== 0)
      await inTransaction(app(work), system, (db) => putPassword(db, { serviceId, companyId, userId, sealed, until }))
    await app(work).hosting.setPassword(refOf(work), password, operationOf(work))
    return onward(point)
  },

  async start(work, point) {
    await app(work).hosting.start(refOf(work), { fresh: false }, operationOf(work))
    return onward(point)
  },

  async restart(work, point) {
    await app(work).hosting.start(refOf(work), { fresh: true }, operationOf(work))
    return onward(point)
  },

  /** Asked again and again, a step each, so that a kill in between loses no time. */
  async health(work, point) {
    const since = point.waitsSince ?? app(work).clock()
    const state = await app(work).hosting.look(refOf(work))
    if (state && isUp(state)) return onward(point, { state, waitsSince: since })
    if (app(work).clock() - since > patience.health)
      throw new ProblemError('STATE_CONFLICT', { why: state?.fault ?? 'no_answer' })
    await wait(patience.look)
    return { ...point, waitsSince: since, state }
  },

  async configure(work, point) {
    const { config } = work.input
    if (!config) throw new Error('a configuration is set to nothing')
    await app(work).hosting.configure(refOf(work), config, operationOf(work))
    return onward(point)
  },

  async stop(work, point) {
    await app(work).hosting.stop(refOf(work), operationOf(work))
    return onward(point)
  },

  async remove(work, point) {
    await app(work).hosting.remove(refOf(work), operationOf(work))
    return onward(point)
  },

  async erase(work, point) {
    await app(work).hosting.erase(refOf(work), operationOf(work))
    return onward(point)
  },
}

/** As people reach it: the gateway itself, or the proxy in front of it. */
function reached({ serviceTls }: Pick<Config, 'serviceTls'>, address: InstanceAddress): InstanceAddress {
  if (!serviceTls) return address
  const overTls = (url: string) => `https://${new URL(url).hostname}/`
  return { url: overTls(address.url), adminUrl: overTls(address.adminUrl) }
}

/** As many tasks as there are to be run, by the configuration that is set, and all of them answer. */
function isUp({ config, running, tasks }: InstanceState): boolean {
  if (config.tasks === 0) return tasks.length === 0
  const count = config.tasks === -1 ? Math.max(1, tasks.length) : config.tasks
  const isSame = running?.memoryMb === config.memoryMb && running.tasks === config.tasks
  return isSame && tasks.length === count && tasks.every(({ healthy }) => healthy)
}

const system = { role: 'portal_system' } as const
