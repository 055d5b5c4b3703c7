/**
 * One tablet, two people of two companies. The first leaves with unsent writes; the second works on it in bad weather and
 * finds nothing of the first; the first comes back, and everything they had made arrives.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { type Deeds, planDeeds } from '#tests/campaigns/operations.ts'
import { type Reckoning, reckon } from '#tests/campaigns/verify.ts'
import { enter, openTabs, type Tabs } from '#tests/campaigns/tabs.ts'
import { people, type Person, type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { chanceOf } from '#tests/support/runner/chance.ts'
import { drawn, type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'

export interface Handover {
  first: Reckoning & { writes: number }
  second: Reckoning & { writes: number }
  /** Places where something of the first was found while the second was there. */
  leaks: string[]
  /** Writes of the first that reached the line meanwhile. */
  sentByTheSecond: string[]
  stuck: string[]
}

interface Stage {
  portal: Portal
  proxy: FaultProxy
  tabs: Tabs
}

const names = { first: 'Ofthefirst', second: 'Ofthesecond' }
const lanes = 4
const renamings = 4
const pages = ['/app/home', '/app/user', '/app/outbox']

export async function handOver(seed: number): Promise<Handover> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-handover-'))
  await buildRig(join(folder, 'rig'))
  const portal = await startPortal()
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/saas/rig/', join(folder, 'rig'))
  const both = { first: planDeeds(names.first), second: planDeeds(names.second) }
  let tabs: Tabs | null = null
  try {
    const tell = (told: Parameters<Deeds['tell']>[0]) => {
      for (const deeds of Object.values(both)) if (hasIntent(deeds, told.intent)) deeds.tell(told)
    }
    tabs = await openTabs({ url: proxy.url, profile: join(folder, 'profile'), tell })
    return await play({ portal, proxy, tabs }, both, chanceOf(seed))
  } finally {
    await tabs?.browser.kill()
    await proxy.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const hasIntent = ({ lanes: all }: Deeds, intent: string) =>
  [...all.values()].some(({ deeds }) => deeds.some((deed) => deed.intent === intent))

async function play(
  { portal, proxy, tabs }: Stage,
  { first, second }: Record<'first' | 'second', Deeds>,
  chance: () => number,
): Promise<Handover> {
  const firstAuthor = await authorOf(tabs)
  proxy.cut()
  await tabs.write([lanesOf(first), lanesOf(first)])
  await tabs.first.evaluate(() => window.rig.leave())
  proxy.heal()
  const unsent = proxy.arrivals.length

  await comeIn(tabs, proxy.url, people.globex)
  const secondAuthor = await authorOf(tabs)
  proxy.set(drawn(chance, ['cut before the answer', 'gateway error', 'twice'], { share: 0.3 }))
  await tabs.write([lanesOf(second), lanesOf(second)])
  await wait(2_000)
  proxy.heal()
  const stuck = await waitForNone(tabs, 'the second')
  const leaks = await search(tabs.first, proxy.url, names.first)
  const keys = new Set([...first.lanes.values()].flatMap(({ deeds }) => deeds.map(({ intent }) => intent)))
  const sentByTheSecond = proxy.arrivals.slice(unsent).flatMap(({ keys: sent }) => sent.filter((key) => keys.has(key)))
  await tabs.first.evaluate(() => window.rig.leave())

  await comeIn(tabs, proxy.url, people.admin)
  stuck.push(...(await waitForNone(tabs, 'the first')))
  await tabs.browser.close()
  await portal.stop()
  const env = { DATA_DIR: portal.dataDir }
  return {
    first: { ...(await reckon(env, first, firstAuthor)), writes: first.recorded.size },
    second: { ...(await reckon(env, second, secondAuthor)), writes: second.recorded.size },
    leaks,
    sentByTheSecond,
    stuck,
  }
}

const lanesOf = (deeds: Deeds) => Array.from({ length: lanes }, () => deeds.newLane(renamings))

async function authorOf(tabs: Tabs) {
  const author = await tabs.author()
  if (!author) throw new Error('nobody is signed in')
  return author
}

/** Both tabs, the way a person does it: to the page, to the login, and in. */
async function comeIn(tabs: Tabs, url: string, who: Person): Promise<void> {
  for (const page of [tabs.first, tabs.second]) await enter(page, { url, who })
}

async function waitForNone(tabs: Tabs, whose: string): Promise<string[]> {
  const until = Date.now() + 60_000
  while (Date.now() < until) {
    if ((await tabs.waiting()) === 0) return []
    await wait(50)
  }
  return [`${whose}: ${await tabs.standing()}`]
}

/** On the screen, page by page, and in everything that the device keeps. */
async function search(page: Page, url: string, word: string): Promise<string[]> {
  const found: string[] = []
  if ((await page.evaluate(() => window.rig.everything())).includes(word)) found.push('storage')
  for (const path of pages) {
    await page.goto(`${url}/saas${path}`)
    await page.locator('main h1').waitFor()
    await wait(500)
    if ((await page.evaluate(() => document.documentElement.outerHTML)).includes(word)) found.push(path)
  }
  // The pages are others now, and need their hand again.
  await enter(page, { url })
  return found
}
