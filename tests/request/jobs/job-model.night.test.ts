/**
 * Runs long requests through random events: four kinds of connection faults, pages that open and close, a worker that dies during a poll, a
 * server that is killed in the middle of a step, sign-outs, and a clock that jumps.
 *
 * Checks that every job that the server started is stored on the device and ends with its result once, that percentages never fall, and
 * that each job is polled at most once a second.
 *
 * `RUNS` sets the number of histories. A failure prints its seed and path, which `SEED` and `REPLAY` run again.
 */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyTrail } from '#contract/audit-trail.ts'
import type { Job } from '#local/storage/records.ts'
import { createJobActions } from '#request/page/job-actions.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { watchOpenJobs } from '#request/jobs/job-poller.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { flushEventLoop, type ConnectionState, type Tablet } from '#tests/support/device/device.ts'
import { signInAs, openInstallation, type Installation } from '#tests/support/device/app.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { createPacedJob, type PacedJob } from '#tests/support/pages/paced-job.ts'

const { RUNS = isNight ? '10' : '5', REPLAY } = process.env
const runCount = Number(RUNS)
/** Runs the path that a failure printed. */
const replayOptions = REPLAY === undefined ? {} : { path: REPLAY }

let installation: Installation
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())

type ModelEvent =
  | { kind: 'ask'; isRepeated: boolean }
  | { kind: 'line'; state: ConnectionState }
  | { kind: 'pass'; ms: number; pages: number }
  | { kind: 'work' | 'killed' | 'reload' | 'leave' | 'come' | 'check' }
  | { kind: 'jump'; minutes: number }

const eventArbitrary: fc.Arbitrary<ModelEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const), isRepeated: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('line' as const),
      state: fc.constantFrom<ConnectionState>('up', 'up', 'down', 'answers lost', 'captive'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 250, max: 6_000 }),
      pages: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 6, arbitrary: fc.constant({ kind: 'work' as const }) },
  { weight: 3, arbitrary: fc.constantFrom({ kind: 'killed' as const }, { kind: 'reload' as const }) },
  { weight: 3, arbitrary: fc.constantFrom(...(['leave', 'come', 'check'] as const)).map((kind) => ({ kind })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('jump' as const), minutes: fc.integer({ min: 1, max: 20 }) }) },
)

interface ModelStage {
  tablet: Tablet
  work: PacedJob
  pages: { ports: PagePorts }[]
  /** Intents of forms whose start ended with a problem. */
  intents: string[]
  percentByIntent: Map<string, number>
}

const findPolls = ({ tablet }: ModelStage) =>
  tablet.connection.log.filter(({ request }) => /^\/api\/request\/[^~]/.test(request.path))

async function readLocalJobs({ tablet }: ModelStage): Promise<Job[]> {
  const session = await tablet.session()
  return session && !session.signedOut ? await tablet.device.getDatabase(session).jobs.toArray() : []
}

async function tick({ pages }: ModelStage, count: number): Promise<void> {
  await Promise.all(pages.slice(0, count).map(({ ports }) => watchOpenJobs(ports, { forMs: 0 })))
  await flushEventLoop(5)
}

/** Advances the clock while `count` pages are open, and checks that each job is polled at most once a second. */
async function passTime(stage: ModelStage, ms: number, count: number): Promise<void> {
  const previousPolls = findPolls(stage).length
  for (let index = 0; index < ms; index += 250) {
    await tick(stage, count)
    await installation.clock.advance(250)
    await checkPercents(stage)
  }
  const maxPolls = (await readLocalJobs(stage)).length * (Math.ceil(ms / 1000) * 1.05 + 1)
  expect(findPolls(stage).length - previousPolls).toBeLessThanOrEqual(maxPolls)
}

async function checkPercents(stage: ModelStage): Promise<void> {
  for (const { intent, percent } of await readLocalJobs(stage)) {
    expect(percent).toBeGreaterThanOrEqual(stage.percentByIntent.get(intent) ?? 0)
    stage.percentByIntent.set(intent, percent)
  }
}

function openPages(stage: ModelStage): void {
  stage.pages = [1, 2, 3].map(() => {
    stage.tablet.reopen()
    const { device } = stage.tablet
    return { ports: { ...stage.tablet.ports, device: async () => device } }
  })
}

async function runEvent(stage: ModelStage, event: ModelEvent): Promise<void> {
  const { tablet, work } = stage
  switch (event.kind) {
    case 'ask': {
      const intent = event.isRepeated ? stage.intents.pop() : undefined
      const options = { until: 'started' as const, ...(intent ? { intent } : {}) }
      void tablet.api.call(verifyTrail, { body: { companyId: null } }, options).then((result) => {
        if (result.kind === 'problem' && result.intent) stage.intents.push(result.intent)
      })
      return await flushEventLoop(20)
    }
    case 'line':
      tablet.connection.state = event.state
      return
    case 'pass':
      return await passTime(stage, event.ms, event.pages)
    case 'work':
      await work.stepIfAny()
      return
    case 'killed':
      await work.cut()
      return
    case 'reload':
      return openPages(stage)
    case 'leave':
      return await signOut(tablet)
    case 'come':
      return await signIn(stage)
    case 'check':
      for (const { intent } of await readLocalJobs(stage)) await createJobActions(tablet.ports).retry(intent)
      return
    case 'jump':
      await installation.clock.advance(event.minutes * 60_000)
  }
}

/** Signs out, and advances the clock, because a sign-out waits for it. */
async function signOut(tablet: Tablet): Promise<void> {
  const signingOut = tablet.signOut()
  for (let index = 0; index < 8; index++) await installation.clock.advance(1_000)
  await signingOut
}

async function signIn(stage: ModelStage): Promise<void> {
  const previousState = stage.tablet.connection.state
  stage.tablet.connection.state = 'up'
  await signInAs(stage.tablet, 'admin@m18')
  stage.tablet.connection.state = previousState
}

const readServerJobs = () =>
  bypassPolicies(installation.server.app.database, (db) =>
    db.selectFrom('job').select(['id', 'intent', 'state']).orderBy('create_time').execute(),
  )

/** Removes all faults. Then every started job must end, with its result on the device. */
async function settle(stage: ModelStage): Promise<void> {
  stage.tablet.connection.state = 'up'
  await signIn(stage)
  for (let round = 0; round < 60; round++) {
    while (await stage.work.stepIfAny());
    await installation.clock.advance(16_000)
    await Promise.all(stage.pages.map(({ ports }) => watchOpenJobs(ports, { immediate: true, forMs: 0 })))
    for (const job of await readLocalJobs(stage))
      if (job.state === 'timeout') await createJobActions(stage.tablet.ports).retry(job.intent)
    await flushEventLoop(5)
    const openJobs = (await readLocalJobs(stage)).filter(({ state }) => !['done', 'failed', 'gone'].includes(state))
    const runningJobs = (await readServerJobs()).filter(({ state }) => state !== 'done')
    if (openJobs.length === 0 && runningJobs.length === 0) return
  }
  throw new Error(`stuck: ${JSON.stringify([await readLocalJobs(stage), await readServerJobs()])}`)
}

async function runHistory(events: readonly ModelEvent[]): Promise<void> {
  await installation.server.reset()
  const tablet = await installation.signInTablet('admin@m18')
  const stage: ModelStage = {
    tablet,
    work: createPacedJob(installation.server, 3),
    pages: [],
    intents: [],
    percentByIntent: new Map(),
  }
  openPages(stage)
  for (const event of [{ kind: 'ask', isRepeated: false } as const, ...events]) await runEvent(stage, event)
  await settle(stage)

  const [localJobs, serverJobs] = [await readLocalJobs(stage), await readServerJobs()]
  const intents = serverJobs.map(({ intent }) => intent)
  expect(new Set(intents).size).toBe(intents.length)
  // No started job is lost, and there is no job that the server never started.
  const doneJobs = localJobs.filter(({ state }) => state === 'done')
  expect(doneJobs.map(({ location }) => location).toSorted()).toEqual(
    serverJobs.map(({ id }) => `/api/request/${id}`).toSorted(),
  )
  for (const { answer } of doneJobs) expect(JSON.parse(answer?.body ?? '')).toEqual(stage.work.output)
  for (const job of localJobs) if (job.state !== 'done') expect(job.problem?.code).toBe('NOT_STARTED')
  // Every step of every job ran at most once, except for steps that were repeated because a kill lost their record.
  expect(stage.work.steps()).toBeLessThanOrEqual(serverJobs.length * 4 + stage.work.cuts())
}

it(
  `A started job ends exactly once, in ${runCount} random histories`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(eventArbitrary, { minLength: 12, maxLength: 40, size: 'max' }), runHistory),
      {
        numRuns: runCount,
        ...replayOptions,
      },
    )
  },
  20_000 + runCount * 5_000,
)
