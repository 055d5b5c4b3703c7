/**
 * The server is killed while people pay, at a moment drawn by chance between the first request and the last commit, and
 * started again; the gateways live on, lose answers, and repeat, hold back and reorder their calls. Each time orders,
 * contracts, payments and invoices are counted in the database itself, between the kill and the restart, against what the
 * gateways have taken; what is cut off then is found by payers who go on, by late notices, or by the job.
 *
 *   npm run campaign -- payments [kills] [seed] [embedded|postgres]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { dateIn } from '#domain/time.ts'
import { loadDemoWorld } from '#demo/sample-data/load-demo-data.ts'
import { openSandbox, type Sandbox } from '#demo/payment-sandbox/server.ts'
import {
  call,
  follow,
  order,
  type Paying,
  type Plan,
  plans,
  signIn,
  subjects,
  type World,
} from '#tests/campaigns/payers.ts'
import { count, takenBy } from '#tests/campaigns/balance.ts'
import { between, type Chance, chanceOf, pick } from '#tests/support/runner/chance.ts'
import { writeUnpaidTraffic } from '#tests/campaigns/unpaid-traffic.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { freePort } from '#tests/support/server/free-port.ts'
import { asSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { quickHashes, type Running, startProcess } from '#tests/support/server/process.ts'

export interface Campaign {
  kills: number
  seed: number
  payers?: number
  /** What they do, drawn by chance; all there are, unless told otherwise. */
  plans?: readonly Plan[]
  /** A folder of its own; with `DATABASE_URL` where the data are elsewhere. */
  env: Record<string, string> & { DATA_DIR: string }
  say?: (line: string) => void
}

export interface Report {
  kills: number
  orders: number
  /** Orders that were paid. */
  applied: number
  /** Payments that a kill cut off between the gateway and the commit. */
  cut: number
}

/** As long as a request of a killed server may still be under way (use-cases/payments/settle-attempt.ts), and a little, ms. */
const settlesAfter = 63_000

export async function payThroughKills({
  kills,
  seed,
  payers = 5,
  plans: drawn = plans,
  env,
  say = () => undefined,
}: Campaign): Promise<Report> {
  const chance = chanceOf(seed)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const log = pino({ level: 'silent' })
  const dataDir = `${env.DATA_DIR}-gateways`
  const sandbox = await openSandbox({ dataDir, portalUrl: url, log, clock: Date.now, port: 0, url: null })
  const settings = {
    ...env,
    ...keysOf(sandbox),
    DEMO: '1',
    PORT: String(port),
    PUBLIC_URL: url,
    PAYMENTS_PER_USER: '100000',
    ...quickHashes,
  }
  const all: Paying[] = []
  const report: Report = { kills, orders: 0, applied: 0, cut: 0 }
  const traffic: number[] = []
  await withContext(settings, async (app) => {
    await loadDemoWorld(app)
    traffic.push(...(await writeUnpaidTraffic(app, kills * payers)))
  })
  let server = await supervised(settings)
  const world: World = {
    url,
    access: await signIn(url, 'acme'),
    sandbox,
    chance,
    traffic,
    today: () => dateIn('Asia/Hong_Kong', Date.now()),
    up: () => untilReady(url),
  }
  try {
    for (let round = 0; round < kills; round++) {
      const before = all.length
      const working = Array.from({ length: payers }, async () => {
        const plan = pick(chance, drawn)
        const subject = pick(chance, subjectsOf(plan))
        const paying = await order(world, plan, round, subject)
        all.push(paying)
        await follow(world, paying)
      })
      worryGateway(sandbox, chance)
      await wait(between(chance, 5, 450))
      await server.kill('SIGKILL')
      // What the round before it left must be over by now but for what somebody left alone.
      const { wrong, cut } = await count(settings, await takenBy(sandbox), all.slice(0, before).filter(isOver(round)))
      if (wrong.length > 0) throw failure(seed, round, wrong)
      report.cut += cut
      server = await supervised(settings)
      calm(sandbox)
      world.access = await signIn(url, 'acme')
      await Promise.all(working)
      await repeatCalls(sandbox, chance)
      await lookAtEverything(url)
      if ((round + 1) % 10 === 0) say(`${round + 1} kills, ${all.length} orders, ${report.cut} payments cut off so far`)
    }
    if (drawn.includes('left')) await wait(settlesAfter)
    await lookAtEverything(url)
    await end(server)
    const { wrong, cut, applied } = await count(settings, await takenBy(sandbox), all)
    if (cut > 0) wrong.push(`${cut} payments were never applied`)
    if (wrong.length > 0) throw failure(seed, kills, wrong)
    return { ...report, orders: all.length, applied }
  } finally {
    await server.kill('SIGKILL')
    await sandbox.close()
  }
}

/** Nobody deletes a backup or traffic, and the traffic is in HKD. */
const subjectsOf = (plan: Plan) =>
  subjects.filter((one) => one === 'CONTRACT' || (plan !== 'deleted' && (one === 'PDBORDER' || plan !== 'alipay')))

/** Who left in the middle of a card is known a minute later (the last count); all others within their own round. */
const isOver = (round: number) => (paying: Paying) => paying.round < round && paying.plan !== 'left'

const failure = (seed: number, round: number, wrong: readonly string[]) =>
  new Error(`seed ${seed}, round ${round}: ${wrong.length} wrong: ${wrong.slice(0, 6).join('; ')}`)

/** The gateways' keys, as an operator would set them: they outlive the server. */
export function keysOf({ gateways: { stripe, alipay, globalAlipay } }: Sandbox): Record<string, string> {
  if (!stripe || !alipay || !globalAlipay) throw new Error('the sandbox stands in for all of them')
  return {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecrets.join(','),
    STRIPE_API_URL: stripe.apiUrl,
    ALIPAY_APP_ID: alipay.appId,
    ALIPAY_SELLER_ID: alipay.sellerId,
    ALIPAY_PRIVATE_KEY: alipay.privateKey,
    ALIPAY_PUBLIC_KEY: alipay.publicKey,
    ALIPAY_GATEWAY_URL: alipay.gatewayUrl,
    GLOBAL_ALIPAY_PARTNER: globalAlipay.partner,
    GLOBAL_ALIPAY_PRIVATE_KEY: globalAlipay.privateKey,
    GLOBAL_ALIPAY_PUBLIC_KEY: globalAlipay.publicKey,
    GLOBAL_ALIPAY_GATEWAY_URL: globalAlipay.gatewayUrl,
  }
}

function worryGateway({ moods, calls }: Sandbox, chance: Chance): void {
  moods.loseAnswers = chance() < 0.3 ? between(chance, 1, 4) : 0
  if (chance() < 0.5) calls.hold()
}

function calm({ moods, calls }: Sandbox): void {
  moods.loseAnswers = 0
  calls.release()
}

/** The last twenty, late, twice and in any order. */
async function repeatCalls({ calls }: Sandbox, chance: Chance): Promise<void> {
  const some = calls.list().slice(-20)
  const mixed = [...some, ...some].map((one) => ({ one, at: chance() })).toSorted((a, b) => a.at - b.at)
  await Promise.all(mixed.map(({ one }) => calls.send(one.id)))
}

/** The staff's call, and its end. */
export async function lookAtEverything(url: string): Promise<void> {
  const access = await signIn(url, 'm18', 'staff')
  const begun = await call({ url, access }, 'POST', '/api/payment/reconcile', {})
  const location = begun?.body.location
  if (begun?.status !== 202 || location === undefined) throw new Error(`reconciling answered ${begun?.status}`)
  for (let tries = 0; tries < 600; tries++) {
    const said = await call({ url, access }, 'GET', location)
    if (said?.status === 200) return
    await wait(25)
  }
  throw new Error('reconciling did not end')
}

/** A busy machine's database may not answer in time for a start: then it is started again, as a supervisor does. */
export async function supervised(settings: Record<string, string>): Promise<Running> {
  for (let tries = 1; ; tries++) {
    const server = startProcess(settings)
    const failed = await server.ready.then(
      () => null,
      (error: unknown) => error,
    )
    if (failed === null) return server
    if (tries === 5) throw failed
  }
}

async function end(server: Running): Promise<void> {
  const code = await server.kill('SIGTERM')
  if (code !== 0) throw new Error(`the server ended with ${code} after SIGTERM: ${server.said()}`)
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(`${url}/health/ready`).catch(() => null)
    if (answer?.status === 200) return
    await wait(50)
  }
  throw new Error('the server was not ready again within 30 s')
}

/** Both engines one after the other, or the one that is named. */
export async function run([kills = '20', seed = String(Date.now() % 1_000_000), only]: string[]): Promise<void> {
  console.log(`payments: ${kills} kills, seed ${seed}`)
  const folder = await mkdtemp(join(tmpdir(), 'portal-payments-'))
  const campaign = { kills: Number(kills), seed: Number(seed), say: (line: string) => console.log(`  ${line}`) }
  try {
    if (only !== 'postgres')
      tell('embedded', await payThroughKills({ ...campaign, env: { DATA_DIR: join(folder, 'a') } }))
    if (only !== 'embedded') tell('PostgreSQL', await onPostgres(campaign, join(folder, 'b')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function onPostgres(campaign: Omit<Campaign, 'env'>, dataDir: string): Promise<Report> {
  const bin = postgresBin()
  if (bin === null) throw new Error('PostgreSQL is not installed here: its half of the campaign cannot run')
  const cluster = await startCluster(bin)
  try {
    await asSuperuser(cluster.url, 'postgres', ['create database campaign'])
    return await payThroughKills({ ...campaign, env: { DATA_DIR: dataDir, DATABASE_URL: `${cluster.url}/campaign` } })
  } finally {
    await cluster.stop()
  }
}

const tell = (engine: string, { kills, orders, applied, cut }: Report) =>
  console.log(
    `  ${engine}: ${kills} kills, ${orders} orders, ${applied} paid, ${cut} cut off between gateway and commit: ` +
      '0 lost, 0 taken twice, 0 torn, no gap in the invoices',
  )
