/** Writes over a faulty connection while browsers are killed, then checks the server's database. */
import { setTimeout as wait } from 'node:timers/promises'
import { createWritePlan } from '#tests/campaigns/write-plan.ts'
import { type WriteCheck, checkWrites } from '#tests/campaigns/check-writes.ts'
import { enter, loadRig, type EngineStage } from '#tests/campaigns/engines/stage.ts'
import { people } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'
import { createRandomFaults, type Fault } from '#tests/support/network/fault-proxy.ts'
import type { PlannedWrite, WriteProgress } from '#tests/support/device/rig/rig.ts'

declare global {
  interface Window {
    campaignLog?: WriteProgress[]
  }
}

export interface WriteReport extends WriteCheck {
  recorded: number
  arrivals: number
  metFaults: Partial<Record<Fault, number>>
  kills: number
  logins: number
  /** Writes that were reported as stored but were missing when the browser was reopened. */
  missingIntents: string[]
  problems: string[]
  /** Writes that still waited a minute after the last one was sent. */
  stuck: string[]
}

/** Faults of this campaign. Faults that hang take half a minute each, so they are tested in Chromium only. */
const faults: readonly Fault[] = [
  'cut before the answer',
  'cut in the answer',
  'late',
  'slow',
  'twice',
  'gateway timeout',
  'gateway error',
  'reset',
  'login page',
]
const queuesAtOnce = 4
const renamingCount = 5
const writesPerRound = queuesAtOnce * (renamingCount + 1)
const cutMs = 1_000
const settleWithinMs = 60_000
/** Maximum time in ms between the page's message and the kill. */
const killWithinMs = 200

export async function writeUnderFaults(
  stage: EngineStage,
  random: Random,
  { writes, kills }: { writes: number; kills: number },
  report: (line: string) => void,
): Promise<WriteReport> {
  const { proxy, portal } = stage
  const plan = createWritePlan()
  const missingIntents: string[] = []
  const stuck: string[] = []
  let logins = 0
  const openEnteredBrowser = async () => {
    const browser = await stage.open('writes')
    try {
      if (await enter(browser, proxy.url, people.admin)) logins += 1
      await loadRig(browser)
      return browser
    } catch (error) {
      await browser.kill()
      throw error
    }
  }
  let browser = await openEnteredBrowser()
  logins = 0
  const author = await browser.run(() => window.rig.readSubject())
  const sendWrites = async (queues: PlannedWrite[][]) => {
    await browser.run((writesByQueue) => {
      window.campaignLog = []
      void window.rig
        .writeAll(writesByQueue, (progress) => window.campaignLog?.push(progress))
        .then(() => (window.campaignLog ??= []))
    }, queues)
    const unrecordedIntents = new Set(queues.flat().map(({ intent }) => intent))
    for (const deadline = performance.now() + settleWithinMs; unrecordedIntents.size > 0; await wait(20)) {
      for (const progress of await browser.run(() => window.campaignLog?.splice(0) ?? [])) {
        plan.recordProgress(progress)
        unrecordedIntents.delete(progress.intent)
      }
      if (performance.now() > deadline) throw new Error(`${unrecordedIntents.size} writes were not recorded`)
    }
  }
  const waitUntilSent = async (description: string) => {
    let lastCount = Number.POSITIVE_INFINITY
    for (let deadline = performance.now() + settleWithinMs; ; await wait(100)) {
      const unsentCount = await browser.run(() => window.rig.countUnsent())
      if (unsentCount === 0) return
      // A busy machine sends slowly, so only a lack of progress counts as stuck.
      if (unsentCount < lastCount) deadline = performance.now() + settleWithinMs
      lastCount = Math.min(lastCount, unsentCount)
      if (performance.now() < deadline) continue
      stuck.push(`${description}: ${(await browser.run(() => window.rig.describeEntries())).join('; ')}`)
      return
    }
  }
  try {
    for (let round = 1; plan.recorded.size < writes; round++) {
      const queues = Array.from({ length: queuesAtOnce }, () => plan.addQueue(renamingCount).writes)
      proxy.set(createRandomFaults(random, faults, { share: 0.2 + 0.5 * random() }))
      await sendWrites(queues)
      if (round % 3 === 0) {
        proxy.cut()
        await wait(cutMs)
      }
      await wait(drawBetween(random, 500, 1_500))
      proxy.clearFaults()
      await waitUntilSent(`round ${round}`)
      if (stuck.length > 0) break
      report(`${plan.recorded.size} of ${Math.ceil(writes / writesPerRound) * writesPerRound} writes under faults`)
    }
    for (let kill = 1; kill <= kills && stuck.length === 0; kill++) {
      const { creationIntent, writes: plannedWrites } = plan.addQueue(1)
      // Every second browser is killed while its writes are being sent.
      if (kill % 2) proxy.cut()
      await sendWrites([plannedWrites])
      await wait(drawBetween(random, 0, killWithinMs))
      await browser.kill()
      proxy.clearFaults()
      browser = await openEnteredBrowser()
      for (const { intent } of plannedWrites)
        if (!(await browser.run((intentToCheck) => window.rig.isRecorded(intentToCheck), intent)))
          missingIntents.push(`${creationIntent}: ${intent}`)
      report(`${kill} of ${kills} kills, ${missingIntents.length} writes lost, ${logins} logins`)
    }
    if (stuck.length === 0) await waitUntilSent('after the kills')
  } finally {
    await browser.kill()
  }
  await portal.stop()
  if (!author) throw new Error('no user was signed in')
  const metFaults: WriteReport['metFaults'] = {}
  for (const { fault } of proxy.arrivals) if (fault) metFaults[fault] = (metFaults[fault] ?? 0) + 1
  return {
    ...(await checkWrites({ DATA_DIR: portal.dataDir }, plan, author)),
    recorded: plan.recorded.size,
    arrivals: proxy.arrivals.reduce((sum, { keys }) => sum + keys.length, 0),
    metFaults,
    kills,
    logins,
    missingIntents,
    problems: plan.problems,
    stuck,
  }
}
