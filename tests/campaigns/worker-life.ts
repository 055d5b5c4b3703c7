/**
 * Long requests over restarts, strikes and dropped websockets, in a real server and real Chromium.
 *
 *   npm run campaign -- worker-life [runs of each] [seed]
 */
import { openLong } from '#tests/campaigns/long-requests.ts'
import { type Polls, polls } from '#tests/campaigns/polls.ts'
import { type Restarts, restarts } from '#tests/campaigns/restarts.ts'
import { type Sockets, sockets } from '#tests/campaigns/sockets.ts'
import { chanceOf } from '#tests/support/runner/chance.ts'

export interface Report {
  restarts: Restarts
  polls: Polls
  sockets: Sockets
}

/** Between two steps of a request. */
const restMs = { calm: 3_000, struck: 40 }

export async function live(runs: number, seed: number, say: (line: string) => void = () => undefined): Promise<Report> {
  // One whose requests take their time, one that is killed again and again; begun one after the other, as on a busy machine.
  const calm = await openLong(restMs.calm)
  const struck = await openLong(restMs.struck)
  try {
    // Side by side: most of each is waiting.
    const [restarted, polled, heard] = await Promise.all([
      restarts(struck, runs, chanceOf(seed), say),
      polls(calm, runs, chanceOf(seed), say),
      sockets(calm, runs, chanceOf(seed), say),
    ])
    return { restarts: restarted, polls: polled, sockets: heard }
  } finally {
    await Promise.all([calm.close(), struck.close()])
  }
}

/** Everything that is not as promised. How even the beat is a busy machine decides; its middle it does not. */
export function wrongs({ restarts, polls, sockets }: Report): string[] {
  const beat = at(polls.gaps, 0.5)
  return [
    ...restarts.wrong,
    ...polls.wrong,
    ...(polls.overlaps > 0 ? [`${polls.overlaps} polls overlapped another of the same request`] : []),
    ...(beat < 800 || beat > 1_200 ? [`a poll every ${beat} ms`] : []),
    ...sockets.wrong,
    ...(sockets.soonest < 950 ? [`a websocket again after ${sockets.soonest} ms`] : []),
  ]
}

const at = (sorted: readonly number[], share: number) =>
  Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0)
const spread = (sorted: readonly number[]) =>
  `${at(sorted, 0.05)} / ${at(sorted, 0.5)} / ${at(sorted, 0.95)} / ${at(sorted, 1)} ms (p5, median, p95, longest)`

export function asText(report: Report): string {
  const { restarts, polls, sockets } = report
  const struck = Object.entries(polls.struck).map(([what, often]) => `${what} ${often}`)
  return [
    `R-24: ${restarts.runs} restarts, ${restarts.unheard} before anybody heard that it had begun, ${restarts.polls} polls; ` +
      `final answer after ${spread(restarts.finished)}`,
    `R-25: ${struck.join(', ')}; ${polls.polls} polls of ${polls.requests} requests, ${polls.overlaps} overlaps; ` +
      `between two ${spread(polls.gaps)}; next poll after a strike ${spread(polls.recovered)}`,
    `R-26: ${sockets.drops} drops over ${sockets.requests} requests, ${sockets.shown} percents shown; soonest again ` +
      `${Math.round(sockets.soonest)} ms; blocked: ${sockets.blocked.tries} tries in ${Math.round(sockets.blocked.ms / 1000)} s`,
    ...wrongs(report).slice(0, 20),
  ].join('\n')
}

export async function run([runs = '100', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`worker-life: ${runs} runs of each, seed ${seed}`)
  const report = await live(Number(runs), Number(seed), (line) => console.log(`  ${line}`))
  console.log(asText(report))
  if (wrongs(report).length > 0) process.exitCode = 1
}
