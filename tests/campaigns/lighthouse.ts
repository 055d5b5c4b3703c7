/**
 * Measures pages of visitors, of an admin and of staff with Lighthouse, as a phone and as a desktop (decision 119). Each page is measured
 * several times, and the median counts. Performance depends on the load of the machine, so it should have nothing else to do.
 *
 * npm run campaign -- lighthouse [times] [part of a page's name]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import {
  categoryIds,
  type CategoryId,
  type FormFactor,
  installLighthouse,
  type LighthouseResult,
  measurePage,
} from '#tests/campaigns/lighthouse/lighthouse.ts'
import { findChromiumPath, flags, people, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'

type Visitor = 'visitor' | 'admin' | 'staff'

interface MeasuredPage {
  name: string
  visitor: Visitor
  path: string
}

const minScores: Record<CategoryId, number> = { performance: 0.96, accessibility: 1, 'best-practices': 1, seo: 1 }

/** `:order` and `:price` are replaced by the number of the first row of their list. The landing page is the only one outside the app. */
const pages: MeasuredPage[] = [
  { name: 'landing', visitor: 'visitor', path: '/index.html' },
  { name: 'login', visitor: 'visitor', path: '/saas/login' },
  { name: 'register', visitor: 'visitor', path: '/saas/signup' },
  { name: 'forgot', visitor: 'visitor', path: '/saas/forget' },
  { name: 'home', visitor: 'admin', path: '/saas/app/home' },
  { name: 'contracts', visitor: 'admin', path: '/saas/app/contract' },
  { name: 'contract', visitor: 'admin', path: '/saas/app/contract/:order' },
  { name: 'to pay', visitor: 'admin', path: '/saas/app/contract?status=0' },
  { name: 'users', visitor: 'admin', path: '/saas/app/user' },
  { name: 'trail', visitor: 'admin', path: '/saas/app/systrail' },
  { name: 'staff home', visitor: 'staff', path: '/saas/app/home' },
  { name: 'customers', visitor: 'staff', path: '/saas/app/m18/customer' },
  { name: 'price list', visitor: 'staff', path: '/saas/app/m18/price/:price' },
]

const formFactors = ['mobile', 'desktop'] as const satisfies FormFactor[]

/** Opens a browser that Lighthouse can connect to. Its profile is signed in unless a visitor is to be measured. */
async function openSignedInBrowser(visitor: Visitor, url: string, folder: string) {
  const port = await findFreePort()
  const context = await chromium.launchPersistentContext(join(folder, visitor), {
    executablePath: findChromiumPath(),
    args: [...flags, `--remote-debugging-port=${port}`],
    viewport: null,
  })
  if (visitor === 'visitor') return { context, port }
  const page = await context.newPage()
  await signIn(page, { url }, people[visitor])
  // The first measurement would otherwise include the installation of the service worker.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await page.close()
  return { context, port }
}

/** Replaces the placeholder of the path by the number of the first row in that list. */
async function completePath(context: BrowserContext, url: string, path: string): Promise<string> {
  const [list, placeholder] = path.split('/:')
  if (placeholder === undefined) return path
  const page = await context.newPage()
  await page.goto(url + list)
  const link = page.locator('tbody .lead a').first()
  await link.waitFor()
  const href = await link.getAttribute('href')
  await page.close()
  return String(href)
}

const sortBy = <T>(values: readonly T[], toNumber: (value: T) => number) =>
  [...values].sort((a, b) => toNumber(a) - toNumber(b))
const getMiddle = <T>(sortedValues: readonly T[]) => sortedValues[Math.floor(sortedValues.length / 2)]

const readMedianScore = (results: readonly LighthouseResult[], id: CategoryId) =>
  getMiddle(
    sortBy(
      results.map(({ scores }) => scores[id] ?? 0),
      Number,
    ),
  ) ?? 0

/** Returns the timings of the run whose performance is the median. */
const readMedianTimings = (results: readonly LighthouseResult[]) =>
  getMiddle(sortBy(results, ({ scores }) => scores.performance ?? 0))?.timings ?? ''

/** Prints the page's row of the table. Returns what is below its limit. */
function report(name: string, results: readonly LighthouseResult[]): string[] {
  const scores = categoryIds.map((id) => ({ id, score: readMedianScore(results, id) }))
  console.log(
    `| ${name} | ${scores.map(({ score }) => score.toFixed(2)).join(' | ')} | ${readMedianTimings(results)} |`,
  )
  const lowScores = scores.filter(({ id, score }) => score < minScores[id])
  const failedAudits = new Set(results.flatMap(({ failedAudits }) => failedAudits))
  return [
    ...lowScores.map(({ id, score }) => `${name}: ${id} ${score.toFixed(2)}, limit ${minScores[id]}`),
    ...[...failedAudits].map((audit) => `${name}: ${audit}`),
  ]
}

export async function run([times = '3', namePart = '']: string[]): Promise<void> {
  await installLighthouse()
  console.log(`lighthouse: median of ${times}, load ${loadavg()[0]?.toFixed(1)}`)
  const folder = await mkdtemp(join(tmpdir(), 'portal-lighthouse-'))
  const portal = await startPortal()
  const faults: string[] = []
  try {
    console.log(`| Page | ${categoryIds.join(' | ')} | FCP · LCP · TBT · CLS |\n| --- | --- | --- | --- | --- | --- |`)
    for (const visitor of ['visitor', 'admin', 'staff'] as const) {
      const ownPages = pages.filter((page) => page.visitor === visitor && page.name.includes(namePart))
      if (ownPages.length === 0) continue
      const { context, port } = await openSignedInBrowser(visitor, portal.url, folder)
      try {
        for (const { name, path } of ownPages) {
          const url = portal.url + (await completePath(context, portal.url, path))
          for (const formFactor of formFactors) {
            const results: LighthouseResult[] = []
            for (let index = 0; index < Number(times); index++)
              results.push(await measurePage(url, { port, formFactor, isSignedIn: visitor !== 'visitor' }))
            faults.push(...report(`${name}, ${formFactor}`, results))
          }
        }
      } finally {
        await context.close()
      }
    }
  } finally {
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
  for (const fault of faults) console.log(fault)
  if (faults.length > 0) process.exitCode = 1
}
