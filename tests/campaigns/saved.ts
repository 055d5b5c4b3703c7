/**
 * the browser is killed the moment the page is told that a write is on this device. Everything that was said to be
 * there is there when it is opened again, and arrives once.
 *
 *   npm run campaign -- saved [times] [seed]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { planDeeds } from '#tests/campaigns/operations.ts'
import { reckon, type Reckoning } from '#tests/campaigns/verify.ts'
import { enter } from '#tests/campaigns/tabs.ts'
import { startPortal } from '#tests/support/browser/browser.ts'
import { between, chanceOf } from '#tests/support/runner/chance.ts'
import { startChromium } from '#tests/support/browser/chromium.ts'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'

export interface Saved {
  kills: number
  /** Said to be on the device, and not there when the browser was opened again. */
  gone: string[]
  reckoning: Reckoning
}

const settledWithinMs = 60_000
/** Between the page's word and the kill: at once, or while the first attempts fail. */
const latestMs = 20

export async function saved(
  times: number,
  seed: number,
  say: (line: string) => void = () => undefined,
): Promise<Saved> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-saved-'))
  await buildRig(join(folder, 'rig'))
  const portal = await startPortal()
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/saas/rig/', join(folder, 'rig'))
  const profile = join(folder, 'profile')
  const chance = chanceOf(seed)
  const deeds = planDeeds()
  const gone: string[] = []
  let author: Awaited<ReturnType<typeof window.rig.subject>> = null
  let { browser, page } = await opened(profile, proxy.url)
  try {
    author = await page.evaluate(() => window.rig.subject())
    // Chromium writes cookies down every half a minute, or when it is closed: whoever is killed before has to sign in again.
    await browser.close()
    ;({ browser, page } = await opened(profile, proxy.url))
    for (let time = 0; time < times; time++) {
      const { maker: intent, deeds: planned } = deeds.newLane(0)
      proxy.cut()
      await page.evaluate((deed) => window.rig.writeAll([deed], () => undefined), planned)
      await wait(between(chance, 0, latestMs))
      await browser.kill()
      deeds.recorded.add(intent)
      proxy.heal()
      ;({ browser, page } = await opened(profile, proxy.url))
      const found = await page.evaluate((one) => window.rig.isKnown(one), intent)
      if (!found) gone.push(intent)
      if ((time + 1) % 10 === 0) say(`${time + 1} of ${times} killed, ${gone.length} gone`)
    }
    const end = performance.now() + settledWithinMs
    while ((await page.evaluate(() => window.rig.waiting())) > 0 && performance.now() < end) await wait(200)
  } finally {
    await browser.kill()
    await proxy.close()
    await portal.stop()
  }
  if (!author) throw new Error('nobody was signed in')
  const reckoning = await reckon({ DATA_DIR: portal.dataDir }, deeds, author)
  await portal.close()
  await rm(folder, { recursive: true, force: true })
  return { kills: times, gone, reckoning }
}

async function opened(profile: string, url: string) {
  const browser = await startChromium(profile)
  const page = await browser.page()
  await enter(page, { url })
  return { browser, page }
}

export async function run([times = '50', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`saved: ${times} kills, seed ${seed}`)
  const { kills, gone, reckoning } = await saved(Number(times), Number(seed), (line) => console.log(`  ${line}`))
  const { done, ...wrong } = reckoning
  const found = [...gone, ...Object.values(wrong).flat()]
  console.log(
    `${kills} browsers killed, ${kills - gone.length} writes there again, ${done} done; ${found.length} wrong`,
  )
  for (const one of found.slice(0, 20)) console.log(`  ${one}`)
  if (found.length > 0 || done !== kills) process.exitCode = 1
}
