/**
 * Kills the server at a random moment between the first request and the last commit of payments, and restarts it. The gateways keep
 * running, lose responses, and repeat, delay and reorder their notices. Between kill and restart, orders, contracts, payments and
 * invoices in the database are compared with what the gateways took. Interrupted payments are completed by payers who continue, by late
 * notices or by the job.
 *
 * npm run campaign -- payments [kills] [seed] [embedded|postgres]
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { toPlainDate } from '#domain/time.ts'
import { loadDemoData } from '#demo/sample-data/load-demo-data.ts'
import { openSandbox, type SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'
import {
  callPortal,
  runPayer,
  placeOrder,
  type Payer,
  type PayerPlan,
  payerPlans,
  signIn,
  paymentSubjects,
  type PayerWorld,
} from '#tests/campaigns/payers.ts'
import { countBalance, readTakenAmounts } from '#tests/campaigns/balance.ts'
import { reportTotals } from '#tests/campaigns/nightly/totals.ts'
import { drawBetween, type Random, createRandom, pick } from '#tests/support/runner/random.ts'
import { writeUnpaidTraffic } from '#tests/campaigns/unpaid-traffic.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { runAsSuperuser, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { quickHashes, type RunningProcess, startProcess } from '#tests/support/server/process.ts'

export interface PaymentCampaign {
  kills: number
  seed: number
  payers?: number
  /** Plans from which each payer's plan is drawn. Default: all. */
  plans?: readonly PayerPlan[]
  /** `DATA_DIR` is the campaign's own folder. With `DATABASE_URL` the data are in that database instead. */
  env: Record<string, string> & { DATA_DIR: string }
  print?: (line: string) => void
}

export interface PaymentReport {
  kills: number
  orders: number
  appliedCount: number
  /** Number of payments interrupted by a kill between gateway and commit. */
  cutCount: number
}

/**
 * Time in ms to wait before the last check. It is slightly longer than a request of a killed server may take
 * (use-cases/payments/settle-attempt.ts).
 */
const settleMs = 63_000

export async function payThroughKills({
  kills,
  seed,
  payers = 5,
  plans: drawnPlans = payerPlans,
  env,
  print = () => undefined,
}: PaymentCampaign): Promise<PaymentReport> {
  const random = createRandom(seed)
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const log = pino({ level: 'silent' })
  const dataDir = `${env.DATA_DIR}-gateways`
  const sandbox = await openSandbox({ dataDir, portalUrl: url, log, clock: Date.now, port: 0, url: null })
  const settings = {
    ...env,
    ...buildGatewayEnv(sandbox),
    DEMO: '1',
    PORT: String(port),
    PUBLIC_URL: url,
    PAYMENTS_PER_USER: '100000',
    ...quickHashes,
  }
  const allPayers: Payer[] = []
  const report: PaymentReport = { kills, orders: 0, appliedCount: 0, cutCount: 0 }
  const traffic: number[] = []
  await withContext(settings, async (app) => {
    await loadDemoData(app)
    traffic.push(...(await writeUnpaidTraffic(app, kills * payers)))
  })
  let server = await startWithRetries(settings)
  const world: PayerWorld = {
    url,
    accessToken: await signIn(url, 'acme'),
    sandbox,
    random,
    traffic,
    today: () => toPlainDate('Asia/Hong_Kong', Date.now()),
    waitUntilUp: () => waitUntilReady(url),
  }
  try {
    for (let round = 0; round < kills; round++) {
      const payersBefore = allPayers.length
      const payersDone = Array.from({ length: payers }, async () => {
        const plan = pick(random, drawnPlans)
        const subject = pick(random, listSubjects(plan))
        const payer = await placeOrder(world, plan, round, subject)
        allPayers.push(payer)
        await runPayer(world, payer)
      })
      disturbGateway(sandbox, random)
      await wait(drawBetween(random, 5, 450))
      await server.kill('SIGKILL')
      // Payments of the previous round must be settled by now, except abandoned ones.
      const { faults: roundFaults, cutCount: roundCutCount } = await countBalance(
        settings,
        await readTakenAmounts(sandbox),
        allPayers.slice(0, payersBefore).filter(createIsOver(round)),
      )
      if (roundFaults.length > 0) throw buildFailure(seed, round, roundFaults)
      report.cutCount += roundCutCount
      server = await startWithRetries(settings)
      calmGateway(sandbox)
      world.accessToken = await signIn(url, 'acme')
      await Promise.all(payersDone)
      await repeatCalls(sandbox, random)
      await reconcilePayments(url)
      if ((round + 1) % 10 === 0)
        print(`${round + 1} kills, ${allPayers.length} orders, ${report.cutCount} payments cut off so far`)
    }
    if (drawnPlans.includes('left')) await wait(settleMs)
    await reconcilePayments(url)
    await endServer(server)
    const { faults, cutCount, appliedCount } = await countBalance(settings, await readTakenAmounts(sandbox), allPayers)
    if (cutCount > 0) faults.push(`${cutCount} payments were never applied`)
    if (faults.length > 0) throw buildFailure(seed, kills, faults)
    return { ...report, orders: allPayers.length, appliedCount }
  } finally {
    await server.kill('SIGKILL')
    await sandbox.close()
  }
}

/**
 * Returns the kinds of items that a plan can pay. Backups and traffic cannot be deleted, and the traffic is in HKD, for which the `alipay`
 * plan is not possible.
 */
const listSubjects = (plan: PayerPlan) =>
  paymentSubjects.filter(
    (subject) => subject === 'CONTRACT' || (plan !== 'deleted' && (subject === 'PDBORDER' || plan !== 'alipay')),
  )

/**
 * Returns whether a payer's payment must be settled. A payment that its payer left is settled only after a minute, so it is checked at the
 * end. All others are settled within their round.
 */
const createIsOver = (round: number) => (payer: Payer) => payer.round < round && payer.plan !== 'left'

const buildFailure = (seed: number, round: number, faults: readonly string[]) =>
  new Error(`seed ${seed}, round ${round}: ${faults.length} faults: ${faults.slice(0, 6).join('; ')}`)

/** Returns the gateways' keys as settings, as an operator would enter them. They stay valid across restarts. */
export function buildGatewayEnv({ gateways: { stripe, alipay, globalAlipay } }: SandboxServer): Record<string, string> {
  if (!stripe || !alipay || !globalAlipay) throw new Error('the sandbox did not provide all gateways')
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

function disturbGateway({ faults, webhooks: calls }: SandboxServer, random: Random): void {
  faults.loseAnswers = random() < 0.3 ? drawBetween(random, 1, 4) : 0
  if (random() < 0.5) calls.hold()
}

function calmGateway({ faults, webhooks: calls }: SandboxServer): void {
  faults.loseAnswers = 0
  calls.release()
}

/** Repeats the last twenty notices late, twice and in random order. */
async function repeatCalls({ webhooks: calls }: SandboxServer, random: Random): Promise<void> {
  const lastCalls = calls.list().slice(-20)
  const shuffledCalls = [...lastCalls, ...lastCalls]
    .map((call) => ({ call, order: random() }))
    .toSorted((a, b) => a.order - b.order)
  await Promise.all(shuffledCalls.map(({ call }) => calls.send(call.id)))
}

const maxBusyResponses = 10

/** Starts the job. A server that is too busy says when to try again, so that is no failure, unless it goes on. */
async function startReconciling(portal: { url: string; accessToken: string }) {
  const key = randomUUID()
  for (let tries = 1; ; tries++) {
    const response = await callPortal(portal, 'POST', '/api/payment/reconcile', {}, key)
    const isBusy = response !== null && [429, 503].includes(response.status) && response.retryAfterMs > 0
    if (!isBusy || tries === maxBusyResponses) return response
    await wait(response.retryAfterMs)
  }
}

export async function reconcilePayments(url: string): Promise<void> {
  const accessToken = await signIn(url, 'm18', 'staff')
  const startResponse = await startReconciling({ url, accessToken })
  const location = startResponse?.body.location
  if (startResponse?.status !== 202 || location === undefined)
    throw new Error(`reconciling returned ${startResponse?.status}`)
  for (let tries = 0; tries < 600; tries++) {
    const response = await callPortal({ url, accessToken }, 'GET', location)
    if (response?.status === 200) return
    await wait(25)
  }
  throw new Error('reconciling did not end in time')
}

/** Starts the server. If the database of a busy machine is too slow for it, the server is started again, as a supervisor would do. */
export async function startWithRetries(settings: Record<string, string>): Promise<RunningProcess> {
  for (let tries = 1; ; tries++) {
    const server = startProcess(settings)
    const startError = await server.ready.then(
      () => null,
      (error: unknown) => error,
    )
    if (startError === null) return server
    if (tries === 5) throw startError
  }
}

async function endServer(server: RunningProcess): Promise<void> {
  const code = await server.kill('SIGTERM')
  if (code !== 0) throw new Error(`the server ended with ${code} after SIGTERM: ${server.output()}`)
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const response = await fetch(`${url}/health/ready`).catch(() => null)
    if (response?.status === 200) return
    await wait(50)
  }
  throw new Error('the server was not ready again within 30 s')
}

export async function run([kills = '20', seed = String(Date.now() % 1_000_000), onlyEngine]: string[]): Promise<void> {
  console.log(`payments: ${kills} kills, seed ${seed}`)
  const folder = await mkdtemp(join(tmpdir(), 'portal-payments-'))
  const campaign = { kills: Number(kills), seed: Number(seed), print: (line: string) => console.log(`  ${line}`) }
  try {
    if (onlyEngine !== 'postgres')
      printReport('embedded', await payThroughKills({ ...campaign, env: { DATA_DIR: join(folder, 'a') } }))
    if (onlyEngine !== 'embedded') printReport('PostgreSQL', await runOnPostgres(campaign, join(folder, 'b')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runOnPostgres(campaign: Omit<PaymentCampaign, 'env'>, dataDir: string): Promise<PaymentReport> {
  const bin = postgresBin()
  if (bin === null) throw new Error('PostgreSQL is not installed: half of the campaign cannot run')
  const cluster = await startCluster(bin)
  try {
    await runAsSuperuser(cluster.url, 'postgres', ['create database campaign'])
    return await payThroughKills({ ...campaign, env: { DATA_DIR: dataDir, DATABASE_URL: `${cluster.url}/campaign` } })
  } finally {
    await cluster.stop()
  }
}

function printReport(engine: string, { kills, orders, appliedCount, cutCount }: PaymentReport): void {
  reportTotals({ 'kills of the server': kills, 'payments through kills': appliedCount })
  console.log(
    `  ${engine}: ${kills} kills, ${orders} orders, ${appliedCount} paid, ${cutCount} cut off between gateway and commit: ` +
      '0 lost, 0 taken twice, 0 incomplete, no gap in the invoice numbers',
  )
}
