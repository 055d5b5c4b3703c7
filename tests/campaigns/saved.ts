/**
 * kills the browser as soon as the page knows that a write is stored on the device. After reopening, every stored write must be there
 * and arrive once.
 *
 * npm run campaign -- saved [times] [seed]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createWritePlan } from '#tests/campaigns/write-plan.ts'
import { checkWrites, type WriteCheck } from '#tests/campaigns/check-writes.ts'
import { enter } from '#tests/campaigns/tabs.ts'
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import { startPortal } from '#tests/support/browser/browser.ts'
import { drawBetween, createRandom } from '#tests/support/runner/random.ts'
import { startChromium } from '#tests/support/browser/chromium.ts'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'

export interface SavedReport {
  kills: number
  /** Writes that were reported as stored but were missing when the browser was reopened. */
  missingIntents: string[]
  writeCheck: WriteCheck
}

const settledWithinMs = 60_000
/** Maximum delay in ms between the page's message and the kill. The first attempts to send may have failed by then. */
const maxDelayMs = 20

export async function measureSaved(
  killCount: number,
  seed: number,
  log: (line: string) => void = () => undefined,
): Promise<SavedReport> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-saved-'))
  await buildRig(join(folder, 'rig'))
  const portal = await startPortal()
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/saas/rig/', join(folder, 'rig'))
  const profile = join(folder, 'profile')
  const random = createRandom(seed)
  const plannedWrites = createWritePlan()
  const missingIntents: string[] = []
  let author: Awaited<ReturnType<typeof window.rig.readSubject>> = null
  let { browser, page } = await openEnteredPage(profile, proxy.url)
  try {
    author = await page.evaluate(() => window.rig.readSubject())
    // Chromium saves cookies every 30 seconds and when it is closed. A kill before that loses the session.
    await browser.close()
    ;({ browser, page } = await openEnteredPage(profile, proxy.url))
    for (let killIndex = 0; killIndex < killCount; killIndex++) {
      const { creationIntent: intent, writes: queueWrites } = plannedWrites.addQueue(0)
      proxy.cut()
      await page.evaluate((writes) => window.rig.writeAll([writes], () => undefined), queueWrites)
      await wait(drawBetween(random, 0, maxDelayMs))
      await browser.kill()
      plannedWrites.recorded.add(intent)
      proxy.clearFaults()
      ;({ browser, page } = await openEnteredPage(profile, proxy.url))
      const isRecorded = await page.evaluate((intentToCheck) => window.rig.isRecorded(intentToCheck), intent)
      if (!isRecorded) missingIntents.push(intent)
      if ((killIndex + 1) % 10 === 0)
        log(`${killIndex + 1} of ${killCount} killed, ${missingIntents.length} writes lost`)
    }
    const deadline = performance.now() + settledWithinMs
    while ((await page.evaluate(() => window.rig.countUnsent())) > 0 && performance.now() < deadline) await wait(200)
  } finally {
    await browser.kill()
    await proxy.close()
    await portal.stop()
  }
  if (!author) throw new Error('no user was signed in')
  const writeCheck = await checkWrites({ DATA_DIR: portal.dataDir }, plannedWrites, author)
  await portal.close()
  await rm(folder, { recursive: true, force: true })
  return { kills: killCount, missingIntents, writeCheck }
}

async function openEnteredPage(profile: string, url: string) {
  const browser = await startChromium(profile)
  const page = await browser.openPage()
  await enter(page, { url })
  return { browser, page }
}

export async function run([killCount = '50', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`saved: ${killCount} kills, seed ${seed}`)
  const { kills, missingIntents, writeCheck } = await measureSaved(Number(killCount), Number(seed), (line) =>
    console.log(`  ${line}`),
  )
  const { doneCount: done, ...otherFaults } = writeCheck
  const faults = [...missingIntents, ...Object.values(otherFaults).flat()]
  console.log(
    `${kills} browsers killed, ${kills - missingIntents.length} writes still stored, ${done} executed; ${faults.length} faults`,
  )
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
  reportTotals({ 'kills of Chromium': kills })
  if (faults.length > 0 || done !== kills) process.exitCode = 1
}
