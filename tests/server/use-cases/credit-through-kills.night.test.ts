/** Kills a server in the transactions of payments with credit, and repeats the payments after its restart (decision 124). */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { readAmount, writeAmount } from '#domain/money.ts'
import { toPlainDate } from '#domain/time.ts'
import { openSandbox } from '#demo/payment-sandbox/sandbox-server.ts'
import { readTakenAmounts } from '#tests/campaigns/balance.ts'
import { callPortal, signIn } from '#tests/campaigns/payers.ts'
import { buildGatewayEnv } from '#tests/campaigns/payments.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'
import { quickHashes, type RunningProcess, startProcess } from '#tests/support/server/process.ts'

// Three starts of the server, each of which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const killScript = join(import.meta.dirname, '../../support/orders/kill-at-statement.mjs')
/** What credit pays of the second order. */
const part = '1000.00'

/** Returns the settings of a migrated database. PostgreSQL is preferred, because a server starts on it in half the time. */
async function createDatabase(dataDir: string): Promise<Record<string, string>> {
  const postgresUrl = inject('postgresUrl') ?? null
  if (postgresUrl === null) await createDataFolder(dataDir)
  if (postgresUrl === null) return {}
  await runAsSuperuser(postgresUrl, 'postgres', [`create database credited template ${migratedDatabase}`])
  return { DATABASE_URL: `${postgresUrl}/credited` }
}

/** Starts the gateways and a portal with the demo data, which can be started again. */
async function setUpPortal() {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-credit-killed-'))
  const url = `http://127.0.0.1:${await findFreePort()}`
  const log = pino({ level: 'silent' })
  const gateways = { dataDir: `${dataDir}-gateways`, portalUrl: url, port: 0, url: null }
  const sandbox = await openSandbox({ ...gateways, log, clock: Date.now })
  const running: RunningProcess[] = []
  onTestFinished(async () => {
    await Promise.all(running.map((server) => server.kill('SIGKILL')))
    await sandbox.close()
    for (const folder of [dataDir, gateways.dataDir]) rmSync(folder, { recursive: true, force: true })
  })
  sandbox.webhooks.hold()
  const env = {
    ...(await createDatabase(dataDir)),
    ...quickHashes,
    ...buildGatewayEnv(sandbox),
    DATA_DIR: dataDir,
    DEMO: '1',
    PORT: new URL(url).port,
    PUBLIC_URL: url,
  }

  /** The server is killed before it writes entry number `killAt` of the ledger since its start. */
  async function start(killAt: number | null) {
    const killEnv = {
      NODE_OPTIONS: `--import ${killScript}`,
      KILL_AT: 'into "credit_entry"',
      KILL_AT_COUNT: String(killAt),
    }
    const server = startProcess({ ...env, ...(killAt === null ? {} : killEnv) })
    running.push(server)
    await server.ready
    const [customer, staff] = [await signIn(url, 'acme'), await signIn(url, 'm18', 'staff')]
    const send = async <T>(accessToken: string, method: string, path: string, body?: object, key?: string) =>
      ((await callPortal({ url, accessToken }, method, path, body, key))?.body ?? null) as T
    return {
      server,
      asCustomer: <T>(method: string, path: string, body?: object, key?: string) =>
        send<T>(customer, method, path, body, key),
      asStaff: <T>(method: string, path: string, body?: object) =>
        send<T>(staff, method, path, body, body && randomUUID()),
    }
  }

  return { start, sandbox }
}

type Portal = Awaited<ReturnType<Awaited<ReturnType<typeof setUpPortal>>['start']>>

interface PlacedOrder {
  id: number
  code: string
  amount: string
  company_id: number
}

async function placeOrder({ asCustomer }: Portal): Promise<PlacedOrder> {
  const terms = { currency: 'HKD', user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], period: 1 }
  const code = `k${randomUUID().replaceAll('-', '').slice(0, 12)}`
  const period_start = toPlainDate('Asia/Hong_Kong', Date.now())
  return await asCustomer('POST', '/api/sorder', { ...terms, code, name: code, period_start }, randomUUID())
}

/** Records a transfer and adds it to the customer's credit. */
async function addCredit({ asStaff }: Portal, amount: string): Promise<void> {
  const [company] = await asStaff<{ id: number }[]>('GET', '/api/company?searchText=acme')
  const day = toPlainDate('Asia/Hong_Kong', Date.now())
  const fields = { day, currency: 'HKD', amount, sender: 'Acme', reference: '', bank_reference: 'FT-1' }
  const { id, row_version } = await asStaff<{ id: number; row_version: number }>('POST', '/api/bank-transfers', fields)
  const input = { company_id: company?.id, items: [], row_version }
  expect(await asStaff('POST', `/api/bank-transfers/${id}/credit`, input)).toMatchObject({ state: 'credited' })
}

/** Runs the check of all money on the server, and returns its faults. */
async function checkMoney({ asStaff }: Portal): Promise<object[]> {
  const { location } = await asStaff<{ location: string }>('POST', '/api/payment/money-check', {})
  const readFaults = async () => (await asStaff<{ faults?: object[] }>('GET', location)).faults
  await expect.poll(readFaults).toBeDefined()
  return (await readFaults()) ?? []
}

const readBalances = async ({ asCustomer }: Portal) =>
  (await asCustomer<{ balances: { balance: string; held: string }[] }>('GET', '/api/credit')).balances.map((row) => [
    row.balance,
    row.held,
  ])

it('A server that is killed in payments with credit uses the credit once, after the payments are repeated', async () => {
  const { start, sandbox } = await setUpPortal()
  // The first entry is the transfer, the second one is the first payment.
  const first = await start(2)
  const [onlyCredit, withCard] = [await placeOrder(first), await placeOrder(first)]
  await addCredit(first, writeAmount(readAmount(onlyCredit.amount) + readAmount(part)))
  const sum = writeAmount(readAmount(onlyCredit.amount) + readAmount(part))
  const creditKey = randomUUID()
  const payByCredit = ({ asCustomer }: Portal) =>
    asCustomer('POST', `/api/payment/${onlyCredit.id}`, { contractType: 'CONTRACT', type: 'credit' }, creditKey)
  expect([await payByCredit(first), await first.server.exitCode]).toEqual([null, null])

  const second = await start(2)
  expect(await readBalances(second)).toEqual([[sum, '0.00']])
  expect(await payByCredit(second)).toEqual({ status: 'paid' })
  const cardKey = randomUUID()
  const cardFields = { contractType: 'CONTRACT', type: 'stripe', token: 'pm_card_visa', credit: part }
  const payByCard = ({ asCustomer }: Portal) => asCustomer('POST', `/api/payment/${withCard.id}`, cardFields, cardKey)
  expect([await payByCard(second), await second.server.exitCode]).toEqual([null, null])

  // The gateway has taken the money, and the attempt still holds its part.
  const third = await start(null)
  expect(await readBalances(third)).toEqual([[part, part]])
  expect(await payByCard(third)).toEqual({ status: 'paid' })
  expect(await readBalances(third)).toEqual([['0.00', '0.00']])
  expect([...(await readTakenAmounts(sandbox)).values()]).toEqual([
    Number(readAmount(withCard.amount) - readAmount(part)),
  ])
  expect(await checkMoney(third)).toEqual([])
  const invoices = [
    { method: 'credit', amount: onlyCredit.amount },
    { method: 'stripe', amount: withCard.amount },
  ]
  for (const [index, { id, code, company_id: companyId }] of [onlyCredit, withCard].entries()) {
    expect(await third.asCustomer('GET', `/api/sorder/${id}`)).toMatchObject({ state: 'effective' })
    const { data } = await third.asCustomer<{ data: object[] }>(
      'GET',
      `/api/invoice?companyId=${companyId}&searchText=${code}`,
    )
    expect(data).toMatchObject([invoices[index]])
  }
})
