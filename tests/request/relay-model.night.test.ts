/**
 * Long requests through whatever may happen, drawn at random: lines that fail in four ways, pages that come and go, a
 * worker that dies with a poll on its way, a server killed in mid-step, sign-outs, a clock that jumps. The model is as
 * small as the promise: what the server has begun is known here and comes to its result, once; percents never fall; no
 * second holds more than one poll a job. `RUNS` sets how many histories; a failing one is printed with its seed and path, which
 * `SEED` and `REPLAY` play again.
 */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyTrail } from '#contract/audit-trail.ts'
import type { Job } from '#local/storage/records.ts'
import { jobsOf } from '#request/page/job-actions.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { watch } from '#request/jobs/job-poller.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import { breathe, type LineState, type Tablet } from '#tests/support/device/device.ts'
import { comeIn, openInstallation, type Installation } from '#tests/support/device/app.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { paced, type Paced } from '#tests/support/pages/paced.ts'

const { RUNS = isNight ? '10' : '5', REPLAY } = process.env
const runs = Number(RUNS)
/** As a failure prints them. */
const replay = REPLAY === undefined ? {} : { path: REPLAY }

let app: Installation
beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())

type Event =
  | { kind: 'ask'; again: boolean }
  | { kind: 'line'; state: LineState }
  | { kind: 'pass'; ms: number; pages: number }
  | { kind: 'work' | 'killed' | 'reload' | 'leave' | 'come' | 'check' }
  | { kind: 'jump'; minutes: number }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const), again: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('line' as const),
      state: fc.constantFrom<LineState>('up', 'up', 'down', 'answers lost', 'captive'),
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

interface Stage {
  tablet: Tablet
  work: Paced
  pages: { ports: PagePorts }[]
  /** Wishes of forms that were told it did not work. */
  intents: string[]
  seen: Map<string, number>
}

const polled = ({ tablet }: Stage) => tablet.line.log.filter(({ sent }) => /^\/api\/request\/[^~]/.test(sent.path))

async function jobsHere({ tablet }: Stage): Promise<Job[]> {
  const session = await tablet.session()
  return session && !session.signedOut ? await tablet.device.of(session).jobs.toArray() : []
}

async function tick({ pages }: Stage, count: number): Promise<void> {
  await Promise.all(pages.slice(0, count).map(({ ports }) => watch(ports, { forMs: 0 })))
  await breathe(5)
}

/** No job may be asked about more often than once a second, over any stretch. */
async function pass(stage: Stage, ms: number, count: number): Promise<void> {
  const before = polled(stage).length
  for (let at = 0; at < ms; at += 250) {
    await tick(stage, count)
    await app.clock.turn(250)
    await checkPercents(stage)
  }
  const most = (await jobsHere(stage)).length * (Math.ceil(ms / 1000) * 1.05 + 1)
  expect(polled(stage).length - before).toBeLessThanOrEqual(most)
}

async function checkPercents(stage: Stage): Promise<void> {
  for (const { intent, percent } of await jobsHere(stage)) {
    expect(percent).toBeGreaterThanOrEqual(stage.seen.get(intent) ?? 0)
    stage.seen.set(intent, percent)
  }
}

function openPages(stage: Stage): void {
  stage.pages = [1, 2, 3].map(() => {
    stage.tablet.reopen()
    const { device } = stage.tablet
    return { ports: { ...stage.tablet.ports, device: async () => device } }
  })
}

async function happen(stage: Stage, event: Event): Promise<void> {
  const { tablet, work } = stage
  switch (event.kind) {
    case 'ask': {
      const intent = event.again ? stage.intents.pop() : undefined
      const asking = { until: 'started' as const, ...(intent ? { intent } : {}) }
      void tablet.api.call(verifyTrail, { body: { companyId: null } }, asking).then((result) => {
        if (result.kind === 'problem' && result.intent) stage.intents.push(result.intent)
      })
      return await breathe(20)
    }
    case 'line':
      tablet.line.state = event.state
      return
    case 'pass':
      return await pass(stage, event.ms, event.pages)
    case 'work':
      await work.stepIfAny()
      return
    case 'killed':
      await work.cut()
      return
    case 'reload':
      return openPages(stage)
    case 'leave':
      return await leave(tablet)
    case 'come':
      return await come(stage)
    case 'check':
      for (const { intent } of await jobsHere(stage)) await jobsOf(tablet.ports).again(intent)
      return
    case 'jump':
      await app.clock.turn(event.minutes * 60_000)
  }
}

/** Signing out waits for a moment of the clock, which is turned for it. */
async function leave(tablet: Tablet): Promise<void> {
  const leaving = tablet.signOut()
  for (let at = 0; at < 8; at++) await app.clock.turn(1_000)
  await leaving
}

async function come(stage: Stage): Promise<void> {
  const was = stage.tablet.line.state
  stage.tablet.line.state = 'up'
  await comeIn(stage.tablet, 'admin@m18')
  stage.tablet.line.state = was
}

const atServer = () =>
  pastPolicies(app.server.app.database, (db) =>
    db.selectFrom('job').select(['id', 'intent', 'state']).orderBy('create_time').execute(),
  )

/** The weather clears: everything that was begun must come to its end, and be here. */
async function settle(stage: Stage): Promise<void> {
  stage.tablet.line.state = 'up'
  await come(stage)
  for (let round = 0; round < 60; round++) {
    while (await stage.work.stepIfAny());
    await app.clock.turn(16_000)
    await Promise.all(stage.pages.map(({ ports }) => watch(ports, { hurry: true, forMs: 0 })))
    for (const job of await jobsHere(stage))
      if (job.state === 'timeout') await jobsOf(stage.tablet.ports).again(job.intent)
    await breathe(5)
    const open = (await jobsHere(stage)).filter(({ state }) => !['done', 'failed', 'gone'].includes(state))
    const atWork = (await atServer()).filter(({ state }) => state !== 'done')
    if (open.length === 0 && atWork.length === 0) return
  }
  throw new Error(`stuck: ${JSON.stringify([await jobsHere(stage), await atServer()])}`)
}

async function live(events: readonly Event[]): Promise<void> {
  await app.server.reset()
  const tablet = await app.signedIn('admin@m18')
  const stage: Stage = { tablet, work: paced(app.server, 3), pages: [], intents: [], seen: new Map() }
  openPages(stage)
  for (const event of [{ kind: 'ask', again: false } as const, ...events]) await happen(stage, event)
  await settle(stage)

  const [here, there] = [await jobsHere(stage), await atServer()]
  const intents = there.map(({ intent }) => intent)
  expect(new Set(intents).size).toBe(intents.length)
  // Nothing that was begun is lost, nothing is here that never was.
  const done = here.filter(({ state }) => state === 'done')
  expect(done.map(({ location }) => location).toSorted()).toEqual(
    there.map(({ id }) => `/api/request/${id}`).toSorted(),
  )
  for (const { answer } of done) expect(JSON.parse(answer?.body ?? '')).toEqual(stage.work.output)
  for (const job of here) if (job.state !== 'done') expect(job.problem?.code).toBe('NOT_STARTED')
  // Every step of every job was done once, unless a kill took its record.
  expect(stage.work.steps()).toBeLessThanOrEqual(there.length * 4 + stage.work.cuts())
}

it(
  `what was begun comes to its end, once, through ${runs} histories`,
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 12, maxLength: 40, size: 'max' }), live), {
      numRuns: runs,
      ...replay,
    })
  },
  20_000 + runs * 5_000,
)
