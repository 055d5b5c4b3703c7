/**
 * A shop beside the payment sandbox, over real HTTP on this machine: the real drivers, a small server that gateways
 * call, and a payer who opens pages and sends their forms as a browser does.
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
import { alipayPayment } from '#server/drivers/payment/alipay.ts'
import { type Beginning, keyOf, type PaymentDriver } from '#server/drivers/payment/driver.ts'
import { globalAlipayPayment } from '#server/drivers/payment/global-alipay.ts'
import { openSandbox, type Sandbox } from '#demo/payment-sandbox/server.ts'
import { stripePayment } from '#server/drivers/payment/stripe.ts'
import type { Gateways } from '#server/config/payment-config.ts'

/** A call of a gateway, as it came. */
export interface Heard {
  path: string
  raw: Buffer
  headers: IncomingHttpHeaders
}

export interface Shop {
  sandbox: Sandbox
  dataDir: string
  url: string
  drivers: Record<'stripe' | 'alipay' | 'globalAlipay', PaymentDriver>
  heard: Heard[]
  /** What it answers to calls from now on; `success` with 200 unless told otherwise. */
  says: { status: number; body: string }
  clock: { now: number }
  /** So many calls have come. */
  hears(count: number): Promise<void>
  /** The sandbox ends as by a kill, without a word, and comes up on the same folder. */
  restart(): Promise<void>
  /** Calls go out, nothing is lost, nothing was heard. */
  calm(): void
  close(): Promise<void>
}

export async function openShop(): Promise<Shop> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-shop-'))
  const clock = { now: Date.now() }
  const heard: Heard[] = []
  const says = { status: 200, body: 'success' }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      heard.push({ path: request.url ?? '', raw: Buffer.concat(pieces), headers: request.headers })
      response.writeHead(says.status).end(says.body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = pino({ level: 'silent' })
  const open = () => openSandbox({ dataDir, portalUrl: url, log, clock: () => clock.now, port: 0, url: null })
  const shop: Omit<Shop, 'sandbox' | 'drivers'> = {
    dataDir,
    url,
    heard,
    says,
    clock,
    async hears(count) {
      const late = Date.now() + 5000
      while (heard.length < count) {
        if (Date.now() > late) throw new Error(`${heard.length} calls came, not ${count}`)
        await new Promise((rest) => setTimeout(rest, 5))
      }
    },
    async restart() {
      await whole.sandbox.close()
      whole.sandbox = await open()
    },
    calm() {
      whole.sandbox.calls.release()
      Object.assign(says, { status: 200, body: 'success' })
      Object.assign(whole.sandbox.moods, { loseAnswers: 0, fail: 0 })
      heard.length = 0
    },
    async close() {
      await whole.sandbox.close()
      server.closeAllConnections()
      server.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  const sandbox = await open()
  const whole: Shop = Object.assign(shop, { sandbox, drivers: driversFor(sandbox.gateways, url, () => clock.now) })
  return whole
}

/** One shop for the tests of a file, calm before each. It is there once they run. */
export function shopForAll(): Shop {
  const the = {} as Shop
  beforeAll(async () => {
    Object.assign(the, await openShop())
  })
  beforeEach(() => the.calm())
  afterAll(() => the.close())
  return the
}

export function driversFor(
  { stripe, alipay, globalAlipay }: Gateways,
  url: string,
  clock: () => number,
): Shop['drivers'] {
  if (!stripe || !alipay || !globalAlipay) throw new Error('the sandbox stands in for all of them')
  const calls = `${url}/public/payment/alipay`
  return {
    stripe: stripePayment(stripe, clock),
    alipay: alipayPayment(alipay, calls, clock),
    globalAlipay: globalAlipayPayment(globalAlipay, calls, clock),
  }
}

/** A payment of HKD 123.45 by a card that pays, unless told otherwise. */
export function beginning(shop: Pick<Shop, 'url'>, over: Partial<Beginning> = {}): Beginning {
  return {
    key: keyOf(randomUUID()),
    order: 'CONTRACT-17',
    money: { amount: 12_345n, currency: 'HKD' },
    description: 'Contract <C0017> & more 合同',
    returnUrl: `${shop.url}/saas/app/contract/17`,
    cancelUrl: `${shop.url}/saas/app/contract/17?cancelled=1`,
    token: 'pm_card_visa',
    language: 'en',
    device: 'desktop',
    ...over,
  }
}

export const askedFor = ({ key }: Beginning, begunAt: number, gatewayId: string | null = null) => ({
  key,
  gatewayId,
  begunAt,
})
