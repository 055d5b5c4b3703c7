/** Writes through the app's own request pipeline in a page (tests/support/device/rig), in a browser that is killed and opened again. */
import { setTimeout as wait } from 'node:timers/promises'
import { enter, loadRig, type EngineStage } from '#tests/campaigns/browsers/stage.ts'
import { checkWrites, type WriteCheck } from '#tests/campaigns/check-writes.ts'
import { createWritePlan, type WritePlan } from '#tests/campaigns/write-plan.ts'
import { people } from '#tests/support/browser/browser.ts'
import type { PlannedWrite, WriteProgress } from '#tests/support/device/rig/rig.ts'

declare global {
  interface Window {
    campaignLog?: WriteProgress[]
  }
}

export interface Writer {
  plan: WritePlan
  /** Resolves when all writes are recorded on the device. Rejects if the browser is killed before. */
  sendWrites(queues: PlannedWrite[][]): Promise<void>
  isRecorded(intent: string): Promise<boolean>
  /** Waits until nothing waits on the device. Returns the waiting writes if there is no progress for a minute. */
  waitUntilSent(): Promise<string[]>
  killBrowser(): Promise<void>
  /** Starts the browser again with the same profile, with an empty page. The server is not needed. */
  startBrowser(): Promise<void>
  /** Opens the portal in a started browser, and resolves at the page's first call to the server, while it is still starting. */
  startPage(): Promise<void>
  /** Opens the portal in a started browser, and logs in if the session is lost. */
  openPage(): Promise<void>
  /** Number of logins that were needed after the first one. */
  countLogins(): number
  /** Closes the browser, stops the server and compares its database with the plan. */
  finish(): Promise<WriteCheck>
}

const settleWithinMs = 60_000

export async function openWriter(stage: EngineStage): Promise<Writer> {
  const { proxy, portal } = stage
  const plan = createWritePlan()
  let logins = 0
  let browser = await stage.open('writes')
  let startedBrowser: Promise<unknown> = Promise.resolve()
  const startBrowser = async () => {
    const opening = stage.open('writes')
    startedBrowser = opening.catch(() => undefined)
    browser = await opening
  }
  const killBrowser = async () => {
    await startedBrowser
    await browser.kill()
  }
  const openPage = async () => {
    if (await enter(browser, proxy.url, people.admin)) logins += 1
    await loadRig(browser)
  }
  const openFirstPages = async () => {
    await openPage()
    const subject = await browser.run(() => window.rig.readSubject())
    if (!subject) throw new Error('no user is signed in')
    // Browsers save cookies with a delay, and when they are closed. A kill before that would lose the session.
    await browser.close()
    await startBrowser()
    await openPage()
    logins = 0
    return subject
  }
  const author = await openFirstPages().catch(async (error: unknown) => {
    await browser.kill()
    throw error
  })
  return {
    plan,
    async sendWrites(queues) {
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
    },
    isRecorded: (intent) => browser.run((intentToCheck) => window.rig.isRecorded(intentToCheck), intent),
    async waitUntilSent() {
      let lastCount = Number.POSITIVE_INFINITY
      for (let deadline = performance.now() + settleWithinMs; ; await wait(100)) {
        const unsentCount = await browser.run(() => window.rig.countUnsent())
        if (unsentCount === 0) return []
        // A busy machine sends slowly, so only a lack of progress counts as stuck.
        if (unsentCount < lastCount) deadline = performance.now() + settleWithinMs
        lastCount = Math.min(lastCount, unsentCount)
        if (performance.now() > deadline) return await browser.run(() => window.rig.describeEntries())
      }
    },
    killBrowser,
    startBrowser,
    async startPage() {
      const arrivalCount = proxy.arrivals.length
      await browser.leaveFor(`${proxy.url}/saas/app/user`)
      for (const deadline = performance.now() + settleWithinMs; proxy.arrivals.length === arrivalCount; await wait(5))
        if (performance.now() > deadline) throw new Error('the page made no call to the server')
    },
    openPage,
    countLogins: () => logins,
    async finish() {
      await browser.kill()
      await portal.stop()
      return await checkWrites({ DATA_DIR: portal.dataDir }, plan, author)
    },
  }
}

/** Returns one line for each fault. */
export const listWriteFaults = (
  { lostWrites, doubledWrites, misorderedWrites, foreignWrites, tornWrites }: WriteCheck,
  { problems }: WritePlan,
): string[] =>
  Object.entries({
    lost: lostWrites,
    doubled: doubledWrites,
    'out of order': misorderedWrites,
    foreign: foreignWrites,
    torn: tornWrites,
    problem: problems,
  }).flatMap(([kind, details]) => details.map((detail) => `${kind}: ${detail}`))

export const describeCheck = (
  { doneCount, lostWrites, doubledWrites, misorderedWrites }: WriteCheck,
  { recorded }: WritePlan,
): string =>
  `${recorded.size} writes recorded, ${doneCount} in the database; ` +
  `${lostWrites.length} lost, ${doubledWrites.length} doubled, ${misorderedWrites.length} out of order`
