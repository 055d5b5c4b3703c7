/**
 * Tests the outbox on a faulty connection: two tabs of the portal in Chromium, its worker, the real server, and a proxy that cuts responses
 * after the commit, hangs, or returns the login page of a hotel. The worker is stopped while it sends, browser and server are killed and
 * restarted. Then the server's database is checked: every write that a device recorded is there once, in order, by its author.
 *
 * npm run campaign -- faults [writes] [seed]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type WritePlan, type WriteQueue, createWritePlan } from '#tests/campaigns/write-plan.ts'
import { type WriteCheck, checkWrites } from '#tests/campaigns/check-writes.ts'
import { applyDisruption, type DisruptionKind, disruptionKinds } from '#tests/campaigns/disruptions.ts'
import { openTabs, type CampaignTabs, tabCount } from '#tests/campaigns/tabs.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random, createRandom, pick } from '#tests/support/runner/random.ts'
import {
  createRandomFaults,
  type Fault,
  faults,
  type FaultProxy,
  openFaultProxy,
  type FaultProfile,
} from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'

/** A round with the given faults and at most one disruption. It has about 44 writes. */
export interface FaultRound {
  faults: readonly Fault[]
  /** Share of the calls that get a fault, 0 to 1. */
  share: number
  /** If set, every nth call gets a fault instead. */
  everyNth?: number
  disruption: DisruptionKind | null
  /** Number of users that each tab creates and renames. Default: 4. */
  queues?: number
}

export interface FaultCampaign {
  seed: number
  rounds: readonly FaultRound[]
  log?: (line: string) => void
}

export interface FaultReport extends WriteCheck {
  seed: number
  writes: number
  /** Number of idempotency keys that reached the proxy. A key that is sent again is counted again. */
  arrivals: number
  metFaults: Partial<Record<Fault, number>>
  disruptionCounts: Partial<Record<DisruptionKind, number>>
  signIns: number
  /** Problems that pages showed for valid writes. */
  problems: string[]
  /** Rounds after which a write still waited a minute after the faults were cleared. */
  stuck: string[]
  /** Time in ms from clearing the faults until nothing waits, per round, sorted. */
  recoveryMs: number[]
}

const allFaults = Object.keys(faults) as Fault[]
const hangingFaults = allFaults.filter((fault) => fault.startsWith('hang'))
const quickFaults = allFaults.filter((fault) => !hangingFaults.includes(fault))

/** Faults that the client sees as a failed call: an error status or a network error. */
const refusingFaults = ['gateway error', 'reset', 'cut before the answer'] as const
/** R-43 */
const everyNthValues = [2, 3, 5, 7]

const queuesPerTab = 4
const renamingsPerQueue = 5
const writesPerRound = tabCount * queuesPerTab * (renamingsPerQueue + 0.5)
const stuckMs = 60_000

const groupByThree = (someFaults: readonly Fault[]) =>
  Array.from({ length: Math.ceil(someFaults.length / 3) }, (_, index) => someFaults.slice(3 * index, 3 * index + 3))

/** Plans rounds that use each fault and each disruption once, then random rounds from the seed. */
export function planRounds(seed: number, writes: number): FaultRound[] {
  const random = createRandom(seed)
  const plannedRounds = [
    ...groupByThree(quickFaults).map(
      (someFaults): FaultRound => ({ faults: someFaults, share: 0.7, disruption: null }),
    ),
    ...disruptionKinds.map((disruption): FaultRound => ({ faults: quickFaults, share: 0.35, disruption })),
    ...everyNthValues.map((everyNth): FaultRound => ({ faults: refusingFaults, share: 0, everyNth, disruption: null })),
    // One hanging fault per round, because the first one blocks all other writes for half a minute.
    ...hangingFaults.map((fault): FaultRound => ({ faults: [fault], share: 0.6, disruption: null })),
  ]
  while (plannedRounds.length * writesPerRound < writes) {
    const isHarsh = random() < 0.2
    plannedRounds.push({
      faults: isHarsh ? allFaults : quickFaults,
      share: isHarsh ? 0.15 : 0.1 + 0.6 * random(),
      disruption: random() < 0.7 ? pick(random, disruptionKinds) : null,
    })
  }
  return plannedRounds
}

interface FaultStage {
  portal: Portal
  proxy: FaultProxy
  random: Random
  plan: WritePlan
  tabs: CampaignTabs
  report: FaultReport
  open: () => Promise<CampaignTabs>
}

export async function runFaultCampaign({ seed, rounds, log = () => undefined }: FaultCampaign): Promise<FaultReport> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-weather-'))
  await buildRig(join(folder, 'rig'))
  // Tokens expire during the campaign, so they are renewed over the faulty connection too.
  const portal = await startPortal({ ACCESS_SECONDS: '60' })
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/saas/rig/', join(folder, 'rig'))
  let stage: FaultStage | null = null
  try {
    stage = await setUpStage(portal, proxy, join(folder, 'profile'), seed)
    log('the tabs are open')
    for (const [index, round] of rounds.entries()) {
      const recordedBefore = stage.plan.recorded.size
      const tookMs = await playRound(stage, round)
      log(
        `${index + 1}/${rounds.length} ${describeRound(round)}: ${stage.plan.recorded.size - recordedBefore} writes, ${Math.round(tookMs)} ms`,
      )
      // Later writes would only wait behind the stuck one.
      if (stage.report.stuck.length > 0) break
    }
    log('what became of the writes is counted')
    return await countWrites(stage)
  } finally {
    await stage?.tabs.browser.kill()
    await proxy.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const describeRound = ({ faults: roundFaults, everyNth, disruption: roundDisruption }: FaultRound) =>
  `${roundFaults.length > 3 ? `${roundFaults.length} faults` : roundFaults.join(' and ')}${everyNth ? ` at every call number ${everyNth}` : ''}${roundDisruption ? `, ${roundDisruption}` : ''}`

async function setUpStage(portal: Portal, proxy: FaultProxy, profile: string, seed: number): Promise<FaultStage> {
  const plan = createWritePlan()
  const report: FaultReport = { ...createEmptyReport(), seed }
  const tabOptions = {
    url: proxy.url,
    profile,
    recordProgress: plan.recordProgress,
    onSignIn: () => void (report.signIns += 1),
  }
  const openAll = () => openTabs(tabOptions)
  // Closes the browser normally once. It saves cookies half a minute late, so a kill before that would lose the session.
  await (await openAll()).browser.close()
  report.signIns = 0
  return { portal, proxy, random: createRandom(seed), plan, tabs: await openAll(), report, open: openAll }
}

const createEmptyReport = (): Omit<FaultReport, 'seed'> => ({
  writes: 0,
  arrivals: 0,
  metFaults: {},
  disruptionCounts: {},
  signIns: 0,
  problems: [],
  stuck: [],
  recoveryMs: [],
  doneCount: 0,
  lostWrites: [],
  doubledWrites: [],
  misorderedWrites: [],
  foreignWrites: [],
  tornWrites: [],
})

/** Writes under the faults and the disruption. Returns the time from clearing the faults until nothing waits. */
async function playRound(stage: FaultStage, round: FaultRound): Promise<number> {
  const { proxy, random, plan, report } = stage
  const queues = Array.from({ length: tabCount }, () => planQueues(plan, random, round.queues))
  if (round.disruption === 'a tab without a worker') await stage.tabs.loseWorker()
  const randomProfile = createRandomFaults(random, round.faults, { share: round.share })
  proxy.set(
    round.everyNth
      ? createEveryNth(round.everyNth, createRandomFaults(random, round.faults))
      : createEachFirst(round.faults, randomProfile),
  )
  const disruptionCount = await settleBoth(
    stage.tabs.write(queues),
    round.disruption
      ? applyDisruption(round.disruption, { ...stage, waitForRecorded: createRecordedWait(plan) })
      : Promise.resolve(0),
  )
  if (round.disruption)
    report.disruptionCounts[round.disruption] = (report.disruptionCounts[round.disruption] ?? 0) + disruptionCount
  // Leaves time for some failed attempts before the faults are cleared.
  await wait(drawBetween(random, 500, 1_500))
  proxy.clearFaults()
  if (round.disruption === 'device offline') await stage.tabs.browser.context.setOffline(false)
  if (!stage.tabs.browser.isRunning()) stage.tabs = await stage.open()
  return await waitUntilSent(stage, round)
}

/** Waits for both before it throws, so no disruption hits a stage that is already torn down. */
async function settleBoth<T>(writePromise: Promise<void>, disruptionPromise: Promise<T>): Promise<T> {
  await Promise.allSettled([writePromise, disruptionPromise])
  await writePromise
  return await disruptionPromise
}

/** Returns a profile in which each fault occurs on one of the first writes, so that the seed decides only how often a fault occurs. */
function createEachFirst(someFaults: readonly Fault[], nextProfile: FaultProfile): FaultProfile {
  const remainingFaults = [...someFaults]
  return (call) => {
    const fault = nextProfile(call)
    return call.method === 'GET' ? fault : (remainingFaults.shift() ?? fault)
  }
}

function createEveryNth(interval: number, nextProfile: FaultProfile): FaultProfile {
  let callCount = 0
  return (call) => (++callCount % interval === 0 ? nextProfile(call) : null)
}

/** Resolves when this many more writes are recorded, or after five seconds, because the browser may have been killed earlier. */
const createRecordedWait =
  ({ recorded }: WritePlan) =>
  async (additionalCount: number) => {
    const targetCount = recorded.size + additionalCount
    const deadline = Date.now() + 5_000
    while (recorded.size < targetCount && Date.now() < deadline) await wait(5)
  }

async function waitUntilSent({ tabs, report }: FaultStage, round: FaultRound): Promise<number> {
  const healedAt = performance.now()
  for (;;) {
    const unsentCount = await tabs.countUnsent()
    const tookMs = performance.now() - healedAt
    if (unsentCount > 0 && tookMs < stuckMs) {
      await wait(25)
      continue
    }
    report.recoveryMs.push(tookMs)
    if (unsentCount > 0)
      report.stuck.push(`${unsentCount} writes after ${describeRound(round)}: ${await tabs.describeEntries()}`)
    return tookMs
  }
}

/** Plans the queues of one tab. Every second one changes a user that an earlier round created, if there is one. */
function planQueues(plan: WritePlan, random: Random, queueCount = queuesPerTab): WriteQueue[] {
  const isFullyRecorded = ({ writes }: WriteQueue) => writes.every(({ intent }) => plan.recorded.has(intent))
  const settledQueues = [...plan.queues.values()].filter(isFullyRecorded)
  return Array.from({ length: queueCount }, (_, index) => {
    const settledQueue = index % 2 ? settledQueues.splice(Math.floor(random() * settledQueues.length), 1)[0] : undefined
    return settledQueue
      ? plan.extendQueue(settledQueue.creationIntent, renamingsPerQueue, null)
      : plan.addQueue(renamingsPerQueue)
  })
}

async function countWrites({ tabs, portal, plan, proxy, report }: FaultStage): Promise<FaultReport> {
  const author = await tabs.readAuthor()
  if (!author) throw new Error('no user is signed in at the end')
  await tabs.browser.close()
  await portal.stop()
  for (const { keys, fault } of proxy.arrivals) {
    report.arrivals += keys.length
    if (fault) report.metFaults[fault] = (report.metFaults[fault] ?? 0) + 1
  }
  return {
    ...report,
    ...(await checkWrites({ DATA_DIR: portal.dataDir }, plan, author)),
    writes: plan.recorded.size,
    problems: plan.problems,
    recoveryMs: report.recoveryMs.toSorted((a, b) => a - b),
  }
}

export const listFaults = ({
  lostWrites,
  doubledWrites,
  misorderedWrites,
  foreignWrites,
  tornWrites,
  stuck,
  problems,
}: FaultReport): string[] =>
  Object.entries({
    lost: lostWrites,
    doubled: doubledWrites,
    disordered: misorderedWrites,
    foreign: foreignWrites,
    torn: tornWrites,
    stuck,
    problems,
  }).flatMap(([kind, details]) => details.map((detail) => `${kind}: ${detail}`))

export function toText(report: FaultReport): string {
  const { recoveryMs, lostWrites, doubledWrites, misorderedWrites, foreignWrites, tornWrites, stuck } = report
  const percentile = (share: number) => Math.round(recoveryMs[Math.ceil(recoveryMs.length * share) - 1] ?? 0)
  const formatCounts = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ')
  return [
    `${report.writes} writes recorded, ${report.doneCount} in the database, ${report.arrivals} arrivals`,
    `faults met: ${formatCounts(report.metFaults)}`,
    `disruptions: ${formatCounts(report.disruptionCounts)}; ${report.signIns} sign-ins afterwards`,
    `${lostWrites.length} lost, ${doubledWrites.length} doubled, ${misorderedWrites.length} out of order, ${foreignWrites.length} foreign, ` +
      `${tornWrites.length} torn, ${stuck.length} stuck`,
    `outbox empty ${percentile(0.5)} ms (median), ${percentile(0.95)} ms (p95), ${percentile(1)} ms (longest) after the end of the faults`,
    ...listFaults(report).slice(0, 20),
  ].join('\n')
}

export async function run([writes = '1000', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`faults: ${writes} writes, seed ${seed}`)
  const rounds = planRounds(Number(seed), Number(writes))
  const report = await runFaultCampaign({ seed: Number(seed), rounds, log: (line) => console.log(`  ${line}`) })
  console.log(toText(report))
  if (listFaults(report).length > 0) process.exitCode = 1
}
