/** Prepares duties about money on the staff's home page: a refund that was made at the gateway, and faults of the check of all money. */
import { expect } from 'vitest'
import { moneyRules } from '#domain/money-faults.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { openFreshPage, type TestSetup } from '#tests/support/browser/browser-setup.ts'
import { payByCard } from '#tests/support/invoices/invoice-pages.ts'
import { openSandboxGateway } from '#tests/support/invoices/sandbox-gateway.ts'
import { callApi } from '#tests/support/pages/wizard.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { quickHashes } from '#tests/support/server/process.ts'

/** Stops and starts the portal, because the embedded database has one user at a time. */
async function addMoneyFaults({ fixture: { portal } }: TestSetup): Promise<void> {
  await portal.stop()
  await withContext({ DATA_DIR: portal.dataDir, ...quickHashes }, (app) =>
    runInTransaction(app, { role: 'portal_system' }, async (db) => {
      // A rule without values could not be checked.
      const faults = moneyRules.map((rule) => ({ rule, company_id: null, company_name: null, values: null }))
      await db
        .insertInto('money_check')
        .values({ create_time: app.clock(), faults: JSON.stringify(faults) })
        .execute()
    }),
  )
  await portal.start()
}

/** Pays an order of Acme by card. A part of the payment is refunded at the gateway. */
async function refundAtGateway(setup: TestSetup): Promise<void> {
  const { portal } = setup.fixture
  const customer = await openFreshPage(setup, 'admin', '/app/contract?status=0', { language: 'en' })
  await customer.getByRole('row').filter({ hasText: 'acmehr' }).getByRole('button').first().click()
  await payByCard(customer, 'en')
  const gateway = openSandboxGateway(portal)
  const payment = (await gateway.read()).intents.at(-1)
  await gateway.control({ refund: { reference: payment?.id ?? '', amount: 5000 } })
  const staff = await openFreshPage(setup, 'staff', '/app/home')
  const readRefunds = async () =>
    (await callApi<{ refunds: unknown[] }>(staff, 'GET', '/api/payment/refunds')).body.refunds
  await expect.poll(readRefunds, { timeout: 60_000 }).toHaveLength(1)
}

export async function prepareMoneyDuties(setup: TestSetup): Promise<void> {
  await addMoneyFaults(setup)
  await refundAtGateway(setup)
}
