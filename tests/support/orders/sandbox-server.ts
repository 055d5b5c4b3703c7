/** Starts a test server that takes payments: the payment sandbox runs next to it over real HTTP and calls it as the gateways do. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { BankAccount } from '#contract/invoices.ts'
import { currencies } from '#domain/money.ts'
import { paymentTypes } from '#domain/payments.ts'
import type { WebhookCall } from '#demo/payment-sandbox/sandbox-store.ts'
import { openSandbox, type SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import { paymentJobKinds } from '#server/jobs/job-registry.ts'
import { requestReconcileIfDue } from '#server/jobs/reconcile-payments.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { createDrivers } from '#tests/support/orders/shop.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'

/** One for each currency. */
export const testBankAccounts: readonly BankAccount[] = currencies.map((currency) => ({
  currency,
  holder: 'M18 Limited',
  bank: 'Test Bank',
  account: `012-345-${currency}`,
  bic: 'TESTHKHH',
  address: null,
}))

export interface PaymentSandbox {
  sandbox: SandboxServer
  /** Runs all due payment jobs, as the schedule does. */
  runPaymentJobs(): Promise<void>
  /** Returns the webhook calls that `action` makes and that are held. Calls of earlier tests are left out. */
  holdCalls(action: () => Promise<unknown>): Promise<WebhookCall[]>
  close(): Promise<void>
}

export async function openPaymentSandbox(server: TestServer): Promise<PaymentSandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-till-'))
  await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  const portalUrl = `http://127.0.0.1:${(server.fastify.server.address() as AddressInfo).port}`
  const clock = () => server.clock.now
  const log = pino({ level: 'silent' })
  const sandbox = await openSandbox({ dataDir, portalUrl, log, clock, port: 0, url: null })
  const drivers = { ...createDrivers(sandbox.gateways, portalUrl, clock), simulate: simulatedPaymentDriver }
  server.app.payments = {
    findDriver: async (type) => drivers[type],
    stripeKey: null,
    cardFrame: null,
    types: paymentTypes,
    bankAccounts: testBankAccounts,
    maxPaymentsPerUser: 20,
    close: () => sandbox.close(),
  }
  return {
    sandbox,
    async runPaymentJobs() {
      await requestReconcileIfDue(server.app)
      while (await runOneJob(server.app, paymentJobKinds));
    },
    async holdCalls(action) {
      const { webhooks } = sandbox
      webhooks.hold()
      const earlierIds = new Set(webhooks.list().map(({ id }) => id))
      await action()
      const calls = webhooks.list().filter(({ id, nextAt }) => nextAt !== null && !earlierIds.has(id))
      expect(calls.length).toBeGreaterThan(0)
      return calls
    },
    async close() {
      await sandbox.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export const payFor = (
  caller: SignedIn,
  id: number,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) =>
  caller.send({
    method: 'POST',
    url: `/api/payment/${id}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ type: 'stripe', contractType: 'CONTRACT', ...fields }).toString(),
  })
