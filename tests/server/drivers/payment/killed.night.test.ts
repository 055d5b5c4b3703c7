import { afterAll, expect, it, vi } from 'vitest'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSandboxKeys } from '#demo/payment-sandbox/keys.ts'
import { createStripeDriver } from '#server/drivers/payment/stripe.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'
import { buildBeginning } from '#tests/support/orders/shop.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'

// The test starts two complete servers, which takes seconds on an idle machine.
vi.setConfig({ testTimeout: 120_000 })

const dataDir = mkdtempSync(join(tmpdir(), 'portal-killed-'))
const startedProcesses: RunningProcess[] = []
afterAll(async () => {
  await Promise.all(startedProcesses.map((running) => running.kill('SIGKILL')))
  rmSync(dataDir, { recursive: true, force: true })
})

async function startWithDriver() {
  const server = startProcess({ DATA_DIR: dataDir })
  startedProcesses.push(server)
  const url = await server.ready
  const { stripe } = await loadSandboxKeys(join(dataDir, 'payment-sandbox', 'keys.json'))
  const apiUrl = `http://127.0.0.1:${readFileSync(join(dataDir, 'payment-sandbox', 'port'), 'utf8')}`
  const driver = createStripeDriver({ ...stripe, webhookSecrets: [stripe.webhookSecret], apiUrl }, Date.now)
  const count = async () => {
    const response = await fetch(`${apiUrl}/control`, { headers: { authorization: `Bearer ${stripe.secretKey}` } })
    return ((await response.json()) as { balances: { stripe: object } }).balances.stripe
  }
  return { running: server, url, driver, count, apiUrl }
}

it('A demo that is killed during payments has charged each payment exactly once after the retries', async () => {
  await createDataFolder(dataDir)
  const firstServer = await startWithDriver()
  const payments = Array.from({ length: 40 }, () =>
    buildBeginning(firstServer, { money: { amount: 100n, currency: 'USD' } }),
  )
  const attempts = payments.map((payment) => firstServer.driver.start(payment).catch((error: unknown) => error))
  await Promise.race(attempts)
  await firstServer.running.kill('SIGKILL')
  await Promise.all(attempts)

  const secondServer = await startWithDriver()
  expect(secondServer.apiUrl).toBe(firstServer.apiUrl)
  const outcomes = await Promise.all(payments.map((payment) => secondServer.driver.start(payment)))
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['taken']))
  expect(await secondServer.count()).toEqual({ usd: 4000 })
})
