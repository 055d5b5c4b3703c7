/**
 * The outbox in bad weather, for real: Chromium with two tabs of the portal, its worker, the real server, and between them
 * a line on which answers are cut after the commit, hang, or come from a hotel. The worker is stopped in mid-send, the
 * browser killed and opened again, the server killed and started again. Then the server's own database is counted: every
 * write that a device had recorded is there, once, in its order, for the one who made it.
 *
 *   npm run campaign -- faults [writes] [seed]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Deeds, type Lane, planDeeds } from '#tests/campaigns/operations.ts'
import { type Reckoning, reckon } from '#tests/campaigns/verify.ts'
import { strike, type Strike, strikes } from '#tests/campaigns/faults-injected.ts'
import { openTabs, type Tabs, tabsOpen } from '#tests/campaigns/tabs.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { between, type Chance, chanceOf, pick } from '#tests/support/runner/chance.ts'
import {
  drawn,
  type Fault,
  faults,
  type FaultProxy,
  openFaultProxy,
  type Weather,
} from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'

/** One stretch of weather, with what is struck meanwhile. About 44 writes. */
export interface Round {
  faults: readonly Fault[]
  /** Of the calls, 0 to 1. */
  share: number
  /** Every so many-th call instead, whatever it is. */
  every?: number
  strike: Strike | null
  /** Users that each tab makes and renames; 4 where it is not said. */
  lanes?: number
}

export interface Campaign {
  seed: number
  rounds: readonly Round[]
  say?: (line: string) => void
}

export interface Report extends Reckoning {
  seed: number
  /** Recorded on the device. */
  writes: number
  /** Keys that arrived at the line, more than once each where it was bad. */
  arrivals: number
  /** How often each fault was met. */
  met: Partial<Record<Fault, number>>
  struck: Partial<Record<Strike, number>>
  /** How often somebody had to sign in again. */
  signIns: number
  /** What pages were told was wrong with a write that nothing is wrong with. */
  problems: string[]
  /** Rounds after which something still waited a minute after the line was good again. */
  stuck: string[]
  /** From the line being good to nothing waiting, per round, ms, sorted. */
  recovered: number[]
}

const all = Object.keys(faults) as Fault[]
const hanging = all.filter((fault) => fault.startsWith('hang'))
const quick = all.filter((fault) => !hanging.includes(fault))

/** What is plainly a failure of the call itself. */
const refusing = ['gateway error', 'reset', 'cut before the answer'] as const
/** R-43 */
const nths = [2, 3, 5, 7]

const lanesPerTab = 4
const renamings = 5
const writesPerRound = tabsOpen * lanesPerTab * (renamings + 0.5)
const stuckMs = 60_000

const threes = (some: readonly Fault[]) =>
  Array.from({ length: Math.ceil(some.length / 3) }, (_, at) => some.slice(3 * at, 3 * at + 3))

/** Each kind of weather and each strike once, then what the seed draws. */
export function planRounds(seed: number, writes: number): Round[] {
  const chance = chanceOf(seed)
  const planned = [
    ...threes(quick).map((some): Round => ({ faults: some, share: 0.7, strike: null })),
    ...strikes.map((one): Round => ({ faults: quick, share: 0.35, strike: one })),
    ...nths.map((every): Round => ({ faults: refusing, share: 0, every, strike: null })),
    // One a round: behind the first that hangs nothing else is sent for half a minute.
    ...hanging.map((one): Round => ({ faults: [one], share: 0.6, strike: null })),
  ]
  while (planned.length * writesPerRound < writes) {
    const isHarsh = chance() < 0.2
    planned.push({
      faults: isHarsh ? all : quick,
      share: isHarsh ? 0.15 : 0.1 + 0.6 * chance(),
      strike: chance() < 0.7 ? pick(chance, strikes) : null,
    })
  }
  return planned
}

interface Stage {
  portal: Portal
  proxy: FaultProxy
  chance: Chance
  deeds: Deeds
  tabs: Tabs
  report: Report
  open: () => Promise<Tabs>
}

export async function weather({ seed, rounds, say = () => undefined }: Campaign): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-weather-'))
  await buildRig(join(folder, 'rig'))
  // Tokens that run out while the campaign runs are renewed in the same weather.
  const portal = await startPortal({ ACCESS_SECONDS: '60' })
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/saas/rig/', join(folder, 'rig'))
  let stage: Stage | null = null
  try {
    stage = await setUp(portal, proxy, join(folder, 'profile'), seed)
    say('the tabs are open')
    for (const [at, round] of rounds.entries()) {
      const before = stage.deeds.recorded.size
      const tookMs = await play(stage, round)
      say(
        `${at + 1}/${rounds.length} ${asWords(round)}: ${stage.deeds.recorded.size - before} writes, ${Math.round(tookMs)} ms`,
      )
      // The rest would only wait behind it.
      if (stage.report.stuck.length > 0) break
    }
    say('what became of the writes is counted')
    return await count(stage)
  } finally {
    await stage?.tabs.browser.kill()
    await proxy.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const asWords = ({ faults: met, every, strike: struck }: Round) =>
  `${met.length > 3 ? `${met.length} faults` : met.join(' and ')}${every ? ` at every call number ${every}` : ''}${struck ? `, ${struck}` : ''}`

async function setUp(portal: Portal, proxy: FaultProxy, profile: string, seed: number): Promise<Stage> {
  const deeds = planDeeds()
  const report: Report = { ...nothing(), seed }
  const opening = { url: proxy.url, profile, tell: deeds.tell, onSignIn: () => void (report.signIns += 1) }
  const open = () => openTabs(opening)
  // Closed once as people do: a browser writes its cookies down half a minute late, and one that is killed before is
  // nobody's any more.
  await (await open()).browser.close()
  report.signIns = 0
  return { portal, proxy, chance: chanceOf(seed), deeds, tabs: await open(), report, open }
}

const nothing = (): Omit<Report, 'seed'> => ({
  writes: 0,
  arrivals: 0,
  met: {},
  struck: {},
  signIns: 0,
  problems: [],
  stuck: [],
  recovered: [],
  done: 0,
  lost: [],
  doubled: [],
  disordered: [],
  foreign: [],
  torn: [],
})

/** Writes under the weather and the strike; answers how long it took from the line being good to nothing waiting. */
async function play(stage: Stage, round: Round): Promise<number> {
  const { proxy, chance, deeds, report } = stage
  const lanes = Array.from({ length: tabsOpen }, () => lanesOf(deeds, chance, round.lanes))
  if (round.strike === 'a tab without a worker') await stage.tabs.loseWorker()
  const byChance = drawn(chance, round.faults, { share: round.share })
  proxy.set(round.every ? everyNth(round.every, drawn(chance, round.faults)) : eachFirst(round.faults, byChance))
  const struck = await both(
    stage.tabs.write(lanes),
    round.strike ? strike(round.strike, { ...stage, recorded: counter(deeds) }) : Promise.resolve(0),
  )
  if (round.strike) report.struck[round.strike] = (report.struck[round.strike] ?? 0) + struck
  // Some of it is tried, and goes wrong, before the line is good.
  await wait(between(chance, 500, 1_500))
  proxy.heal()
  if (round.strike === 'device offline') await stage.tabs.browser.context.setOffline(false)
  if (!stage.tabs.browser.isUp()) stage.tabs = await stage.open()
  return await recover(stage, round)
}

/** Both have ended before one of them fails it: nobody strikes at what is cleared away. */
async function both<T>(writing: Promise<void>, striking: Promise<T>): Promise<T> {
  await Promise.allSettled([writing, striking])
  await writing
  return await striking
}

/** Each of them on one of the first writes: what a seed decides is how often it is met, not whether. */
function eachFirst(some: readonly Fault[], then: Weather): Weather {
  const left = [...some]
  return (call) => {
    const fault = then(call)
    return call.method === 'GET' ? fault : (left.shift() ?? fault)
  }
}

function everyNth(n: number, then: Weather): Weather {
  let calls = 0
  return (call) => (++calls % n === 0 ? then(call) : null)
}

/** Resolves when so many more are recorded; a browser that died early is not waited for. */
const counter =
  ({ recorded }: Deeds) =>
  async (more: number) => {
    const mark = recorded.size + more
    const until = Date.now() + 5_000
    while (recorded.size < mark && Date.now() < until) await wait(5)
  }

async function recover({ tabs, report }: Stage, round: Round): Promise<number> {
  const healed = performance.now()
  for (;;) {
    const left = await tabs.waiting()
    const tookMs = performance.now() - healed
    if (left > 0 && tookMs < stuckMs) {
      await wait(25)
      continue
    }
    report.recovered.push(tookMs)
    if (left > 0) report.stuck.push(`${left} writes after ${asWords(round)}: ${await tabs.standing()}`)
    return tookMs
  }
}

/** Half of them on users that earlier rounds made. */
function lanesOf(deeds: Deeds, chance: Chance, many = lanesPerTab): Lane[] {
  const isWhole = ({ deeds: made }: Lane) => made.every(({ intent }) => deeds.recorded.has(intent))
  const settled = [...deeds.lanes.values()].filter(isWhole)
  return Array.from({ length: many }, (_, at) => {
    const known = at % 2 ? settled.splice(Math.floor(chance() * settled.length), 1)[0] : undefined
    return known ? deeds.furtherOn(known.maker, renamings, null) : deeds.newLane(renamings)
  })
}

async function count({ tabs, portal, deeds, proxy, report }: Stage): Promise<Report> {
  const author = await tabs.author()
  if (!author) throw new Error('nobody is signed in at the end')
  await tabs.browser.close()
  await portal.stop()
  for (const { keys, fault } of proxy.arrivals) {
    report.arrivals += keys.length
    if (fault) report.met[fault] = (report.met[fault] ?? 0) + 1
  }
  return {
    ...report,
    ...(await reckon({ DATA_DIR: portal.dataDir }, deeds, author)),
    writes: deeds.recorded.size,
    problems: deeds.problems,
    recovered: report.recovered.toSorted((a, b) => a - b),
  }
}

/** Everything that is not as promised. */
export const wrongs = ({ lost, doubled, disordered, foreign, torn, stuck, problems }: Report): string[] =>
  Object.entries({ lost, doubled, disordered, foreign, torn, stuck, problems }).flatMap(([what, found]) =>
    found.map((one) => `${what}: ${one}`),
  )

export function asText(report: Report): string {
  const { recovered, lost, doubled, disordered, foreign, torn, stuck } = report
  const longest = (share: number) => Math.round(recovered[Math.ceil(recovered.length * share) - 1] ?? 0)
  const times = (counted: Record<string, number>) =>
    Object.entries(counted)
      .map(([what, often]) => `${what} ${often}`)
      .join(', ')
  return [
    `${report.writes} writes recorded, ${report.done} in the database, ${report.arrivals} arrivals`,
    `met: ${times(report.met)}`,
    `struck: ${times(report.struck)}; ${report.signIns} sign-ins after it`,
    `${lost.length} lost, ${doubled.length} doubled, ${disordered.length} out of order, ${foreign.length} foreign, ` +
      `${torn.length} torn, ${stuck.length} stuck`,
    `nothing waiting ${longest(0.5)} ms (median), ${longest(0.95)} ms (p95), ${longest(1)} ms (longest) after the line was good`,
    ...wrongs(report).slice(0, 20),
  ].join('\n')
}

export async function run([writes = '1000', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`faults: ${writes} writes, seed ${seed}`)
  const rounds = planRounds(Number(seed), Number(writes))
  const report = await weather({ seed: Number(seed), rounds, say: (line) => console.log(`  ${line}`) })
  console.log(asText(report))
  if (wrongs(report).length > 0) process.exitCode = 1
}
