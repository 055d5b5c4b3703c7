/**
 * Tests one tablet with two users of different companies. The first user leaves with unsent writes. The second user works on the tablet
 * over a faulty connection and must find no data of the first. When the first user returns, all writes of both arrive.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { type WritePlan, createWritePlan } from '#tests/campaigns/write-plan.ts'
import { type WriteCheck, checkWrites } from '#tests/campaigns/check-writes.ts'
import { enter, openTabs, type CampaignTabs } from '#tests/campaigns/tabs.ts'
import { people, type Person, type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { createRandom } from '#tests/support/runner/random.ts'
import { createRandomFaults, type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'

export interface Handover {
  first: WriteCheck & { writes: number }
  second: WriteCheck & { writes: number }
  /** Places where data of the first user was visible to the second. */
  leaks: string[]
  /** Writes of the first user that were sent while the second user worked. */
  sentByTheSecond: string[]
  stuck: string[]
}

interface HandoverStage {
  portal: Portal
  proxy: FaultProxy
  tabs: CampaignTabs
}

const names = { first: 'Ofthefirst', second: 'Ofthesecond' }
const queuesPerTab = 4
const renamingsPerQueue = 4
const pages = ['/app/home', '/app/user', '/app/outbox']

export async function handOver(seed: number): Promise<Handover> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-handover-'))
  await buildRig(join(folder, 'rig'))
  const portal = await startPortal()
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/saas/rig/', join(folder, 'rig'))
  const plans = { first: createWritePlan(names.first), second: createWritePlan(names.second) }
  let tabs: CampaignTabs | null = null
  try {
    const recordProgress = (progress: Parameters<WritePlan['recordProgress']>[0]) => {
      for (const plan of Object.values(plans)) if (hasIntent(plan, progress.intent)) plan.recordProgress(progress)
    }
    tabs = await openTabs({ url: proxy.url, profile: join(folder, 'profile'), recordProgress })
    return await playHandover({ portal, proxy, tabs }, plans, createRandom(seed))
  } finally {
    await tabs?.browser.kill()
    await proxy.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const hasIntent = ({ queues: all }: WritePlan, intent: string) =>
  [...all.values()].some(({ writes }) => writes.some((write) => write.intent === intent))

async function playHandover(
  { portal, proxy, tabs }: HandoverStage,
  { first, second }: Record<'first' | 'second', WritePlan>,
  random: () => number,
): Promise<Handover> {
  const firstAuthor = await readAuthor(tabs)
  proxy.cut()
  await tabs.write([planQueues(first), planQueues(first)])
  await tabs.first.evaluate(() => window.rig.leave())
  proxy.clearFaults()
  const arrivalsBefore = proxy.arrivals.length

  await signInBoth(tabs, proxy.url, people.globex)
  const secondAuthor = await readAuthor(tabs)
  proxy.set(createRandomFaults(random, ['cut before the answer', 'gateway error', 'twice'], { share: 0.3 }))
  await tabs.write([planQueues(second), planQueues(second)])
  await wait(2_000)
  proxy.clearFaults()
  const stuck = await waitUntilSent(tabs, 'the second')
  const leaks = await findTraces(tabs.first, proxy.url, names.first)
  const keys = new Set([...first.queues.values()].flatMap(({ writes }) => writes.map(({ intent }) => intent)))
  const sentByTheSecond = proxy.arrivals
    .slice(arrivalsBefore)
    .flatMap(({ keys: sentKeys }) => sentKeys.filter((key) => keys.has(key)))
  await tabs.first.evaluate(() => window.rig.leave())

  await signInBoth(tabs, proxy.url, people.admin)
  stuck.push(...(await waitUntilSent(tabs, 'the first')))
  await tabs.browser.close()
  await portal.stop()
  const env = { DATA_DIR: portal.dataDir }
  return {
    first: { ...(await checkWrites(env, first, firstAuthor)), writes: first.recorded.size },
    second: { ...(await checkWrites(env, second, secondAuthor)), writes: second.recorded.size },
    leaks,
    sentByTheSecond,
    stuck,
  }
}

const planQueues = (plan: WritePlan) => Array.from({ length: queuesPerTab }, () => plan.addQueue(renamingsPerQueue))

async function readAuthor(tabs: CampaignTabs) {
  const author = await tabs.readAuthor()
  if (!author) throw new Error('no user is signed in')
  return author
}

async function signInBoth(tabs: CampaignTabs, url: string, person: Person): Promise<void> {
  for (const page of [tabs.first, tabs.second]) await enter(page, { url, person })
}

async function waitUntilSent(tabs: CampaignTabs, userName: string): Promise<string[]> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if ((await tabs.countUnsent()) === 0) return []
    await wait(50)
  }
  return [`${userName}: ${await tabs.describeEntries()}`]
}

async function findTraces(page: Page, url: string, canary: string): Promise<string[]> {
  const traces: string[] = []
  if ((await page.evaluate(() => window.rig.dumpStorage())).includes(canary)) traces.push('storage')
  for (const path of pages) {
    await page.goto(`${url}/saas${path}`)
    await page.locator('main h1').waitFor()
    await wait(500)
    if ((await page.evaluate(() => document.documentElement.outerHTML)).includes(canary)) traces.push(path)
  }
  // The tabs show new pages, which need the test rig again.
  await enter(page, { url })
  return traces
}
