/** Kills or stops the server at a random moment of a long request, and restarts it. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { readJobs, createVerifyClient } from '#tests/campaigns/long-requests.ts'
import type { Portal } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'

export interface RestartReport {
  runs: number
  /** Number of requests that were interrupted before their start was confirmed. */
  unheardCount: number
  pollCount: number
  /** Times from the start of the new process to the final response, ms, sorted. */
  finishedMs: number[]
  faults: string[]
}

const timeoutMs = 60_000

export async function measureRestarts(
  portal: Portal,
  runs: number,
  random: Random,
  log: (line: string) => void,
): Promise<RestartReport> {
  const report: RestartReport = { runs: 0, unheardCount: 0, pollCount: 0, finishedMs: [], faults: [] }
  const client = await createVerifyClient(portal)
  for (let run = 0; run < runs; run++) {
    const key = randomUUID()
    const startResponse = client.startVerification(key)
    await wait(drawBetween(random, 0, 600))
    await (random() < 0.8 ? portal.kill() : portal.stop())
    const locationBefore = (await startResponse)?.headers.get('location') ?? null
    if (locationBefore === null) report.unheardCount += 1
    await portal.start()
    const restartedAt = performance.now()
    // A request that is resent with its key is the same request (protocol 26).
    const location = (await client.startVerification(key))?.headers.get('location') ?? ''
    if (locationBefore !== null && locationBefore !== location) report.faults.push(`${key} was started twice`)
    const finalOutcome = await waitForOutcome(client, location, report)
    if (finalOutcome !== '200 done') report.faults.push(`${key} ended with ${finalOutcome}`)
    report.finishedMs.push(performance.now() - restartedAt)
    report.runs += 1
    if (report.runs % 20 === 0) log(`R-24: ${report.runs} of ${runs}, ${report.faults.length} faults`)
  }
  await portal.stop()
  const jobs = await readJobs(portal)
  const intents = new Set(jobs.map(({ intent }) => intent))
  if (jobs.length !== runs || intents.size !== runs) report.faults.push(`${jobs.length} jobs of ${runs} requests`)
  report.finishedMs.sort((a, b) => a - b)
  return report
}

async function waitForOutcome(
  client: Awaited<ReturnType<typeof createVerifyClient>>,
  location: string,
  report: RestartReport,
): Promise<string> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    const response = await client.readStatus(location)
    report.pollCount += 1
    const outcome = response?.headers.get('idempotency-outcome')
    if (response && (response.status !== 202 || outcome)) return `${response.status} ${outcome?.split(';')[0]}`
    await wait(100)
  }
  return 'nothing'
}
