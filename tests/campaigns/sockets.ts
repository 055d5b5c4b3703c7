/** Progress over a websocket that is dropped every few seconds, and one that never opens. */
import type { Browser, Page } from 'playwright-core'
import { until } from '#tests/campaigns/long-requests.ts'
import { openBrowser, type Portal, signIn } from '#tests/support/browser/browser.ts'
import { between, type Chance } from '#tests/support/runner/chance.ts'

export interface Sockets {
  drops: number
  requests: number
  /** Percents that pages showed. */
  shown: number
  /** The shortest time from one attempt of a page to its next, ms. */
  soonest: number
  /** Attempts of the page whose websocket never opens, and for how long, ms. */
  blocked: { tries: number; ms: number }
  wrong: string[]
}

declare global {
  interface Window {
    /** Percents as they were shown, since they were last taken. */
    shown: number[]
  }
}

const dropping = 4

export async function sockets(
  portal: Portal,
  runs: number,
  chance: Chance,
  say: (line: string) => void,
): Promise<Sockets> {
  const browser = await openBrowser()
  const attempts = Array.from({ length: dropping + 1 }, (): number[] => [])
  const report: Sockets = {
    drops: 0,
    requests: 0,
    shown: 0,
    soonest: Number.POSITIVE_INFINITY,
    blocked: { tries: 0, ms: 0 },
    wrong: [],
  }
  try {
    const pages = await Promise.all(attempts.map((tries, at) => open({ portal, browser, chance, report }, tries, at)))
    const since = performance.now()
    let rounds = 0
    while (report.drops < runs) {
      report.requests += pages.length
      rounds += 1
      for (const page of pages)
        await page.locator('main').getByRole('button', { name: 'Verify the audit trail' }).click()
      const allEnded = async () => (await Promise.all(pages.map(hasEnded(rounds)))).every(Boolean)
      if (!(await until(allEnded, 180_000, 200))) report.wrong.push(`round ${rounds} did not end on every page`)
      for (const [at, page] of pages.entries()) judge(report, at, await page.evaluate(() => window.shown.splice(0)))
      say(`R-26: ${report.drops} drops of ${runs}, ${report.wrong.length} wrong`)
    }
    report.blocked = { tries: attempts[dropping]?.length ?? 0, ms: performance.now() - since }
    for (const tries of attempts)
      for (const [at, next] of tries.slice(1).entries())
        report.soonest = Math.min(report.soonest, next - (tries[at] ?? 0))
    return report
  } finally {
    await browser.close()
  }
}

/** One person's page on a device of its own: only what is looked at listens, and of one browser's tabs that is one. */
async function open(
  { portal, browser, chance, report }: { portal: Portal; browser: Browser; chance: Chance; report: Sockets },
  tries: number[],
  at: number,
): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await page.routeWebSocket(/progress/, (socket) => {
    tries.push(performance.now())
    if (at === dropping) return void socket.close()
    const server = socket.connectToServer()
    const drop = () => {
      report.drops += 1
      void Promise.all([socket.close(), server.close()]).catch(() => undefined)
    }
    setTimeout(drop, between(chance, 1_000, 10_000))
  })
  await signIn(page, portal, 'staff', '/app/activity')
  await page.evaluate(watchPercents)
  return page
}

const hasEnded = (count: number) => async (page: Page) =>
  (await page.locator('main .request').filter({ hasText: 'as they were written' }).count()) >= count

/** In the page: each change of the bar that is shown. */
function watchPercents() {
  window.shown = []
  setInterval(() => {
    const bar = document.querySelector('main [role=progressbar]')
    const now = Number(bar?.getAttribute('aria-valuenow'))
    if (bar && window.shown.at(-1) !== now) window.shown.push(now)
  }, 50)
}

function judge(report: Sockets, at: number, shown: number[]): void {
  report.shown += shown.length
  if (shown.some((one, index) => one < (shown[index - 1] ?? 0)))
    report.wrong.push(`page ${at} went backwards: ${shown.join(' ')}`)
}
