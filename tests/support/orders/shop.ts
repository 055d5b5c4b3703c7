/**
 * Sets up a shop with the payment sandbox over real HTTP on this machine: the real drivers, a small server that gateways call, and a payer
 * who opens pages and submits their forms.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { createAlipayDriver } from '#server/drivers/payment/alipay.ts'
import { type PaymentStartInput, toPaymentKey, type PaymentDriver } from '#server/drivers/payment/payment-driver.ts'
import { createGlobalAlipayDriver } from '#server/drivers/payment/global-alipay.ts'
import { openSandbox, type SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'
import { createStripeDriver } from '#server/drivers/payment/stripe.ts'
import type { GatewaySettings } from '#server/config/payment-config.ts'

export interface ReceivedCall {
  path: string
  raw: Buffer
  headers: IncomingHttpHeaders
}

export interface Shop {
  sandbox: SandboxServer
  dataDir: string
  url: string
  drivers: Record<'stripe' | 'alipay' | 'globalAlipay', PaymentDriver>
  receivedCalls: ReceivedCall[]
  /** Response to the gateways' calls from now on. Default: `success` with 200. */
  reply: { status: number; body: string }
  clock: { now: number }
  waitForCalls(count: number): Promise<void>
  /** Kills the sandbox and starts it again on the same folder. */
  restart(): Promise<void>
  /** Restores the initial state: calls are delivered, faults are off, received calls are cleared. */
  reset(): void
  close(): Promise<void>
}

export async function openShop(): Promise<Shop> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-shop-'))
  const clock = { now: Date.now() }
  const receivedCalls: ReceivedCall[] = []
  const reply = { status: 200, body: 'success' }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      receivedCalls.push({ path: request.url ?? '', raw: Buffer.concat(chunks), headers: request.headers })
      response.writeHead(reply.status).end(reply.body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = pino({ level: 'silent' })
  const open = () => openSandbox({ dataDir, portalUrl: url, log, clock: () => clock.now, port: 0, url: null })
  const partialShop: Omit<Shop, 'sandbox' | 'drivers'> = {
    dataDir,
    url,
    receivedCalls,
    reply,
    clock,
    async waitForCalls(count) {
      const deadline = Date.now() + 5000
      while (receivedCalls.length < count) {
        if (Date.now() > deadline) throw new Error(`${receivedCalls.length} calls came, not ${count}`)
        await new Promise((resume) => setTimeout(resume, 5))
      }
    },
    async restart() {
      await shop.sandbox.close()
      shop.sandbox = await open()
    },
    reset() {
      shop.sandbox.webhooks.release()
      Object.assign(reply, { status: 200, body: 'success' })
      Object.assign(shop.sandbox.faults, { loseAnswers: 0, fail: 0 })
      receivedCalls.length = 0
    },
    async close() {
      await shop.sandbox.close()
      server.closeAllConnections()
      server.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  const sandbox = await open()
  const shop: Shop = Object.assign(partialShop, {
    sandbox,
    drivers: createDrivers(sandbox.gateways, url, () => clock.now),
  })
  return shop
}

/** Sets up one shop for the tests of a file and resets it before each test. Its fields are set when the tests run. */
export function setUpSharedShop(): Shop {
  const shop = {} as Shop
  beforeAll(async () => {
    Object.assign(shop, await openShop())
  })
  beforeEach(() => shop.reset())
  afterAll(() => shop.close())
  return shop
}

export function createDrivers(
  { stripe, alipay, globalAlipay }: GatewaySettings,
  url: string,
  clock: () => number,
): Shop['drivers'] {
  if (!stripe || !alipay || !globalAlipay) throw new Error('the sandbox stands in for all of them')
  const callUrl = `${url}/public/payment/alipay`
  return {
    stripe: createStripeDriver(stripe, clock),
    alipay: createAlipayDriver(alipay, callUrl, clock),
    globalAlipay: createGlobalAlipayDriver(globalAlipay, callUrl, clock),
  }
}

/** Builds the input of a payment, by default HKD 123.45 with a valid card. */
export function buildBeginning(shop: Pick<Shop, 'url'>, overrides: Partial<PaymentStartInput> = {}): PaymentStartInput {
  return {
    key: toPaymentKey(randomUUID()),
    order: 'CONTRACT-17',
    money: { amount: 12_345n, currency: 'HKD' },
    description: 'Contract <C0017> & more 合同',
    returnUrl: `${shop.url}/saas/app/contract/17`,
    cancelUrl: `${shop.url}/saas/app/contract/17?cancelled=1`,
    token: 'pm_card_visa',
    language: 'en',
    device: 'desktop',
    ...overrides,
  }
}

export const toPaymentQuery = ({ key }: PaymentStartInput, startedAt: number, gatewayId: string | null = null) => ({
  key,
  gatewayId,
  startedAt,
})
