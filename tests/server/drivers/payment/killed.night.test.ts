import { afterAll, expect, it, vi } from 'vitest'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sandboxKeys } from '#demo/payment-sandbox/keys.ts'
import { stripePayment } from '#server/drivers/payment/stripe.ts'
import { type Running, startProcess } from '#tests/support/server/process.ts'
import { beginning } from '#tests/support/orders/shop.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'

// Two starts of a whole server, which take seconds on an idle machine.
vi.setConfig({ testTimeout: 120_000 })

const dataDir = mkdtempSync(join(tmpdir(), 'portal-killed-'))
const started: Running[] = []
afterAll(async () => {
  await Promise.all(started.map((running) => running.kill('SIGKILL')))
  rmSync(dataDir, { recursive: true, force: true })
})

async function start() {
  const running = startProcess({ DATA_DIR: dataDir })
  started.push(running)
  const url = await running.ready
  const { stripe } = await sandboxKeys(join(dataDir, 'payment-sandbox', 'keys.json'))
  const apiUrl = `http://127.0.0.1:${readFileSync(join(dataDir, 'payment-sandbox', 'port'), 'utf8')}`
  const driver = stripePayment({ ...stripe, webhookSecrets: [stripe.webhookSecret], apiUrl }, Date.now)
  const count = async () => {
    const answer = await fetch(`${apiUrl}/control`, { headers: { authorization: `Bearer ${stripe.secretKey}` } })
    return ((await answer.json()) as { balances: { stripe: object } }).balances.stripe
  }
  return { running, url, driver, count, apiUrl }
}

it('a demo that is killed while money is taken has taken it once when it is begun again', async () => {
  await layDataFolder(dataDir)
  const first = await start()
  const payments = Array.from({ length: 40 }, () => beginning(first, { money: { amount: 100n, currency: 'USD' } }))
  const attempts = payments.map((one) => first.driver.begin(one).catch((error: unknown) => error))
  await Promise.race(attempts)
  await first.running.kill('SIGKILL')
  await Promise.all(attempts)

  const second = await start()
  expect(second.apiUrl).toBe(first.apiUrl)
  const outcomes = await Promise.all(payments.map((one) => second.driver.begin(one)))
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['taken']))
  expect(await second.count()).toEqual({ usd: 4000 })
})
