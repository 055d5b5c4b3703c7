/**
 * Works off long requests: claim (a transaction), a step (none), record (a transaction), and so on to the end. Whoever
 * is killed leaves a lease that runs out; the next one goes on from the last recorded step, or says that it cannot. What
 * is done under an old claim is never recorded (the fence), so two at work on one job end it once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { isStored } from '#contract/verdict.ts'
import type { Handle } from '#server/db/handle.ts'
import {
  type ClaimedJob,
  claimJob,
  dropJob,
  endJob,
  freeLeases,
  keepLease,
  putBackJob,
  recordPercent,
  recordStep,
} from '#server/db/jobs.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobKind, Step } from '#server/jobs/job-kind.ts'
import { endpointOf, type Kinds } from '#server/jobs/registry.ts'
import { outputOf } from '#server/context/response-schema.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import {
  jobsChannel,
  type Progress,
  progressChannel,
  type ProgressOf,
  progressOf,
} from '#server/use-cases/job-requests.ts'

/** In ms. A step longer than the lease keeps it alive by itself. */
export const pace = { lease: 15_000, heartbeat: 5_000, look: 5_000, stop: 5_000, firstRetry: 2_000 }
/** So often one step may fail, or be cut off, before the job is given up, where its kind says nothing else. */
const usualTries = 5
const usualWait = (tries: number) => (tries >= usualTries ? null : pace.firstRetry * 2 ** tries)
const waitOf = ({ wait = usualWait }: JobKind, tries: number) => wait(tries)
/** Of each crew. */
const atOnce = 2

const asSystem = <T>(app: AppContext, work: (db: Handle) => Promise<T>) =>
  inTransaction(app, { role: 'portal_system' }, work)

/** Takes one job and works on it until it ends or `stop` is asked for. False: there was none to take. */
export async function workOne(app: AppContext, kinds: Kinds, stop = new AbortController().signal): Promise<boolean> {
  const names = Object.keys(kinds)
  const job = await asSystem(app, (db) => claimJob(db, { kinds: names, now: app.clock(), leaseMs: pace.lease }))
  if (!job) return false
  const kind = kinds[job.kind]
  if (!kind) throw new Error(`no kind of job is named ${job.kind}`)
  await workOn({ app, kind, job, stop })
  return true
}

interface JobRun {
  app: AppContext
  kind: JobKind
  job: ClaimedJob
  stop: AbortSignal
}

async function workOn(desk: JobRun): Promise<void> {
  const { app, kind, job, stop } = desk
  if ((job.orphaned && !kind.resumes) || waitOf(kind, job.tries - 1) === null)
    return await fail(desk, new ProblemError('INTERRUPTED'))
  for (;;) {
    if (stop.aborted) return void (await asSystem(app, (db) => putBackJob(db, job, 0)))
    const step = await keepingLease(desk, () => kind.step(workOf(desk))).catch((error: unknown) => asFailure(error))
    if ('failed' in step) return await giveUp(desk, step.failed)
    if (step.kind === 'done') return await finish(desk, step.output)
    if (!(await record(desk, step))) return
    await rest(app, stop)
  }
}

/** Between two steps people's requests go first: the embedded database has one connection for all. */
const rest = ({ config }: AppContext, stop: AbortSignal) =>
  wait(config.jobRestMs, undefined, { signal: stop }).catch(() => undefined)

/** What a step tells of itself is for those who wait; that it cannot be told is no failure of the step. */
const workOf = ({ app, kind, job }: JobRun) => ({
  app,
  input: job.input,
  point: job.point,
  async tell(percent: number, info?: Progress['info']) {
    if (kind.quiet) return
    job.percent = Math.max(Math.floor(percent), job.percent)
    const isOurs = await asSystem(app, (db) => recordPercent(db, job, job.percent)).catch(() => false)
    if (isOurs) await tell(app, job, 'active', info)
  },
})

async function keepingLease<T>({ app, job }: JobRun, work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => {
    asSystem(app, (db) => keepLease(db, job, app.clock() + pace.lease)).catch((error: unknown) =>
      app.log.warn({ err: error, job: job.id }, 'the lease of a job could not be kept'),
    )
  }, pace.heartbeat)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}

async function record({ app, job }: JobRun, { point, percent, info }: Step<unknown, unknown> & { kind: 'on' }) {
  const leaseUntil = app.clock() + pace.lease
  if (!(await asSystem(app, (db) => recordStep(db, job, { point, percent, leaseUntil })))) return false
  Object.assign(job, { point, percent: Math.max(percent, job.percent), tries: 0 })
  await tell(app, job, 'active', info)
  return true
}

async function finish(run: JobRun, output: unknown): Promise<void> {
  const { app, kind, job } = run
  const isOurs = await atItsEnd(run, null, async (db, settled) => {
    if (kind.quiet) return await dropJob(db, job)
    const endpoint = endpointOf(job.kind)
    if (!endpoint) throw new Error(`no endpoint relays ${job.kind}`)
    const said = kind.settle ? settled : output
    const body = endpoint.output === null ? null : JSON.stringify(outputOf(endpoint, said))
    return await endJob(db, job, { state: 'done', status: body === null ? 204 : 200, body, now: app.clock() })
  })
  if (isOurs && !kind.quiet) await tell(app, { ...job, percent: 100 }, 'success')
}

/** Somebody else holds the job by now, and with it what its end leaves. */
class Overtaken extends Error {}

/** In one transaction what the end leaves, and that it has ended. False: it is another's by now, and nothing was written. */
async function atItsEnd(
  run: JobRun,
  problem: ProblemError | null,
  end: (db: Handle, settled: unknown) => Promise<boolean>,
): Promise<boolean> {
  const { app, kind } = run
  const work = workOf(run)
  try {
    await asSystem(app, async (db) => {
      const settled = await kind.settle?.(db, work, problem)
      if (!(await end(db, settled))) throw new Overtaken()
    })
    kind.ended?.(work)
    return true
  } catch (error) {
    if (error instanceof Overtaken) return false
    throw error
  }
}

interface Failure {
  failed: unknown
}
const asFailure = (failed: unknown): Failure => ({ failed })

/** A refusal is an answer. What may turn out differently is tried again, where a step may be done twice. */
async function giveUp(desk: JobRun, error: unknown): Promise<void> {
  const { app, kind, job } = desk
  if (error instanceof ProblemError && isStored(error.status, error.code)) return await fail(desk, error)
  app.log.error({ err: error, job: job.id, kind: job.kind }, 'a step of a job failed')
  if (!kind.resumes) return await fail(desk, new ProblemError('INTERRUPTED'))
  const waitMs = waitOf(kind, job.tries)
  if (waitMs === null) return await fail(desk, new ProblemError('SERVER_ERROR'))
  await asSystem(app, (db) => putBackJob(db, job, app.clock() + waitMs))
}

async function fail(run: JobRun, problem: ProblemError): Promise<void> {
  const { app, kind, job } = run
  const { code, status, data } = problem
  if (kind.quiet) app.log.error({ job: job.id, kind: job.kind, tries: job.tries, problem: code }, 'a job was given up')
  const body = JSON.stringify({ code, data })
  const isOurs = await atItsEnd(run, problem, (db) =>
    kind.quiet ? dropJob(db, job) : endJob(db, job, { state: 'failed', status, body, now: app.clock() }),
  )
  if (isOurs && !kind.quiet) await tell(app, job, 'exception')
}

/**
 * Waited for, because two announcements on two connections may overtake each other and percents never fall. Progress is
 * an accelerator: a poll knows the same, so one that cannot be told is only logged.
 */
async function tell(
  app: AppContext,
  job: ClaimedJob,
  status: Progress['data']['status'],
  info?: Progress['info'],
): Promise<void> {
  const told: ProgressOf = { companyId: job.company_id, userId: job.user_id, progress: progressOf(job, status, info) }
  await app.database.announce(progressChannel, JSON.stringify(told)).catch((error: unknown) => {
    app.log.warn({ err: error, job: job.id }, 'the progress of a job could not be told')
  })
}

/**
 * Works jobs as they come: at once when one is announced, and by looking now and then. The crews work beside each other,
 * each on its kinds. Answers how to stop.
 */
export function runJobs(app: AppContext, ...crews: Kinds[]): () => Promise<void> {
  const stop = new AbortController()
  /** What wakes each worker from its wait. */
  const bells = new Map<number, () => void>()
  const ring = () => bells.forEach((wake) => wake())
  const unhear = app.database.listen(jobsChannel, ring)
  const bell = (worker: number) => new Promise<void>((rung) => bells.set(worker, rung))

  async function work(kinds: Kinds, worker: number): Promise<void> {
    while (!stop.signal.aborted) {
      // Before it looks: a job that comes meanwhile rings for the next look.
      const next = Promise.race([bell(worker), wait(pace.look, undefined, { signal: stop.signal, ref: false })])
        // The end may come while nobody waits for it: unheard, it would end the process as a bug (S-92).
        .catch(() => undefined)
      const worked = app.database.hasFreeSpace() && (await workOne(app, kinds, stop.signal).catch(missed))
      if (!worked) await next
    }
  }
  const missed = (error: unknown) => {
    app.log[error instanceof ProblemError ? 'warn' : 'error']({ err: error }, 'a job could not be worked on')
    return false
  }
  // One process at a time has the embedded folder: what was held before this start is held by nobody.
  const freed = app.database.engine === 'embedded' ? asSystem(app, freeLeases).catch(missed) : Promise.resolve()
  const workers = crews.flatMap((kinds) => Array.from({ length: atOnce }, () => kinds))
  const working = freed.then(() => Promise.all(workers.map(work)))
  return async () => {
    stop.abort()
    unhear()
    ring()
    await Promise.race([working, wait(pace.stop, undefined, { ref: false })])
  }
}
