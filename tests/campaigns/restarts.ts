/** The server is killed, or told to stop, at a drawn moment of a long request, and started again. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { jobsIn, signedIn } from '#tests/campaigns/long-requests.ts'
import type { Portal } from '#tests/support/browser/browser.ts'
import { between, type Chance } from '#tests/support/runner/chance.ts'

export interface Restarts {
  runs: number
  /** Cut off before anybody heard that it had begun. */
  unheard: number
  polls: number
  /** From the start of the new process to the final answer, ms, sorted. */
  finished: number[]
  wrong: string[]
}

const patienceMs = 60_000

export async function restarts(
  portal: Portal,
  runs: number,
  chance: Chance,
  say: (line: string) => void,
): Promise<Restarts> {
  const report: Restarts = { runs: 0, unheard: 0, polls: 0, finished: [], wrong: [] }
  const client = await signedIn(portal)
  for (let run = 0; run < runs; run++) {
    const key = randomUUID()
    const begun = client.begin(key)
    await wait(between(chance, 0, 600))
    await (chance() < 0.8 ? portal.kill() : portal.stop())
    const before = (await begun)?.headers.get('location') ?? null
    if (before === null) report.unheard += 1
    await portal.start()
    const since = performance.now()
    // Sent again under its key it is the same request (protocol 26).
    const location = (await client.begin(key))?.headers.get('location') ?? ''
    if (before !== null && before !== location) report.wrong.push(`${key} was begun twice`)
    const final = await followed(client, location, report)
    if (final !== '200 done') report.wrong.push(`${key} came to ${final}`)
    report.finished.push(performance.now() - since)
    report.runs += 1
    if (report.runs % 20 === 0) say(`R-24: ${report.runs} of ${runs}, ${report.wrong.length} wrong`)
  }
  await portal.stop()
  const jobs = await jobsIn(portal)
  const intents = new Set(jobs.map(({ intent }) => intent))
  if (jobs.length !== runs || intents.size !== runs) report.wrong.push(`${jobs.length} jobs of ${runs} requests`)
  report.finished.sort((a, b) => a - b)
  return report
}

async function followed(
  client: Awaited<ReturnType<typeof signedIn>>,
  location: string,
  report: Restarts,
): Promise<string> {
  const end = performance.now() + patienceMs
  while (performance.now() < end) {
    const answer = await client.ask(location)
    report.polls += 1
    const outcome = answer?.headers.get('idempotency-outcome')
    if (answer && (answer.status !== 202 || outcome)) return `${answer.status} ${outcome?.split(';')[0]}`
    await wait(100)
  }
  return 'nothing'
}
