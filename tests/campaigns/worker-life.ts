/**
 * Tests long requests across restarts, disruptions and dropped websockets, with a real server and Chromium.
 *
 * npm run campaign -- worker-life [runs of each] [seed]
 */
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import { openPortalWithTrail } from '#tests/campaigns/long-requests.ts'
import { type PollReport, measurePolls } from '#tests/campaigns/polls.ts'
import { type RestartReport, measureRestarts } from '#tests/campaigns/restarts.ts'
import { type SocketReport, measureSockets } from '#tests/campaigns/sockets.ts'
import { createRandom } from '#tests/support/runner/random.ts'

export interface WorkerLifeReport {
  restarts: RestartReport
  polls: PollReport
  sockets: SocketReport
}

/** Pause in ms between two steps of a request. */
const restMs = { calm: 3_000, struck: 40 }

export async function runWorkerLife(
  runs: number,
  seed: number,
  log: (line: string) => void = () => undefined,
): Promise<WorkerLifeReport> {
  // On one portal requests are slow, the other portal is killed repeatedly. They start one after the other to limit the load.
  const calmPortal = await openPortalWithTrail(restMs.calm)
  const restartedPortal = await openPortalWithTrail(restMs.struck)
  try {
    // The measurements run in parallel, because each mostly waits.
    const [restartReport, pollReport, socketReport] = await Promise.all([
      measureRestarts(restartedPortal, runs, createRandom(seed), log),
      measurePolls(calmPortal, runs, createRandom(seed), log),
      measureSockets(calmPortal, runs, createRandom(seed), log),
    ])
    return { restarts: restartReport, polls: pollReport, sockets: socketReport }
  } finally {
    await Promise.all([calmPortal.close(), restartedPortal.close()])
  }
}

/** Returns all faults. The spread of the polling interval depends on the machine's load, its median does not. */
export function listFaults({ restarts, polls, sockets }: WorkerLifeReport): string[] {
  const medianGapMs = percentile(polls.gaps, 0.5)
  return [
    ...restarts.faults,
    ...polls.faults,
    ...(polls.overlapCount > 0 ? [`${polls.overlapCount} polls overlapped another of the same request`] : []),
    ...(medianGapMs < 800 || medianGapMs > 1_200 ? [`a poll every ${medianGapMs} ms`] : []),
    ...sockets.faults,
    ...(sockets.minRetryMs < 950 ? [`a websocket reconnected after ${sockets.minRetryMs} ms`] : []),
  ]
}

const percentile = (sortedFigures: readonly number[], share: number) =>
  Math.round(sortedFigures[Math.max(0, Math.ceil(sortedFigures.length * share) - 1)] ?? 0)
const formatSpread = (sortedFigures: readonly number[]) =>
  `${percentile(sortedFigures, 0.05)} / ${percentile(sortedFigures, 0.5)} / ${percentile(sortedFigures, 0.95)} / ${percentile(sortedFigures, 1)} ms (p5, median, p95, longest)`

export function toText(report: WorkerLifeReport): string {
  const { restarts, polls, sockets } = report
  const disruptionTexts = Object.entries(polls.disruptionCounts).map(([kind, count]) => `${kind} ${count}`)
  return [
    `R-24: ${restarts.runs} restarts, ${restarts.unheardCount} before the client received the first response, ${restarts.pollCount} polls; ` +
      `final answer after ${formatSpread(restarts.finishedMs)}`,
    `R-25: ${disruptionTexts.join(', ')}; ${polls.pollCount} polls of ${polls.requests} requests, ${polls.overlapCount} overlaps; ` +
      `between two ${formatSpread(polls.gaps)}; next poll after a disruption ${formatSpread(polls.recoveryMs)}`,
    `R-26: ${sockets.dropCount} drops over ${sockets.requests} requests, ${sockets.percentCount} percentages shown; earliest reconnection after ` +
      `${Math.round(sockets.minRetryMs)} ms; blocked: ${sockets.blocked.tryCount} tries in ${Math.round(sockets.blocked.ms / 1000)} s`,
    ...listFaults(report).slice(0, 20),
  ].join('\n')
}

export async function run([runs = '100', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`worker-life: ${runs} runs of each, seed ${seed}`)
  const report = await runWorkerLife(Number(runs), Number(seed), (line) => console.log(`  ${line}`))
  console.log(toText(report))
  reportTotals({ 'kills and stops of the server during long requests': report.restarts.runs })
  if (listFaults(report).length > 0) process.exitCode = 1
}
