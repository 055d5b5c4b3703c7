/**
 * Tests that refunds and disputes at the gateway become duties of the staff on their home page, which they settle, in both languages. The
 * portal is the file's own, because the gateway is controlled.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openFreshPage, openPath, setUp } from '#tests/support/browser/browser-setup.ts'
import { findInvoices, getInvoiceRow, invoiceWords, payByCard } from '#tests/support/invoices/invoice-pages.ts'
import { openSandboxGateway } from '#tests/support/invoices/sandbox-gateway.ts'
import { callApi } from '#tests/support/pages/wizard.ts'

const setup = setUp()
const timeoutMs = 300_000

interface Matters {
  refunds: { cause: string; total: string }[]
  disputes: { is_inquiry: boolean }[]
}

/** Waits until the portal has the notice of the gateway, and opens the home page, which does not ask the server again while it is open. */
async function openHome(page: Page, isReady: (matters: Matters) => boolean) {
  const readMatters = async () => (await callApi<Matters>(page, 'GET', '/api/payment/refunds')).body
  await expect.poll(async () => isReady(await readMatters()), { timeout: 60_000 }).toBe(true)
  await openPath(page, setup.fixture.portal, '/app/home')
}

const getDuty = (page: Page, text: string | RegExp) => page.locator('main .home-item').filter({ hasText: text })

it(
  'A refund of one of several invoices, and a dispute with its deadline, are duties until they are settled',
  async () => {
    const { portal } = setup.fixture
    const gateway = openSandboxGateway(portal)
    const customer = await openFreshPage(setup, 'admin', '/app/home')
    await customer.getByRole('button', { name: /^Pay 2 items · HKD/ }).click()
    await payByCard(customer, 'en')
    const [payment] = (await gateway.read()).intents
    if (!payment) throw new Error('the gateway has no payment')
    await findInvoices(customer, portal, payment.id)
    const codes = (await customer.locator('tbody .invoice-code').allInnerTexts()).toSorted()
    expect(codes).toHaveLength(2)
    const chosenCode = codes[1] ?? ''

    await gateway.control({ refund: { reference: payment.id, amount: 5000 } })
    const staff = await openFreshPage(setup, 'staff', '/app/home')
    await openHome(staff, ({ refunds }) => refunds.length === 1)
    const refundDuty = getDuty(staff, 'HKD 50.00 was refunded at the payment provider')
    expect(await refundDuty.innerText()).toContain('invoice unknown')
    await refundDuty.getByRole('button', { name: /^Choose the invoice/ }).click()
    const dialog = staff.getByRole('dialog')
    const choose = dialog.getByRole('button', { name: 'Choose the invoice' })
    expect(await choose.getAttribute('aria-disabled')).toBe('true')
    const option = dialog.locator('option').filter({ hasText: chosenCode })
    await dialog.locator('select').selectOption((await option.getAttribute('value')) ?? '')
    await choose.click()
    await dialog.waitFor({ state: 'detached' })
    await refundDuty.waitFor({ state: 'detached' })
    await findInvoices(staff, portal, chosenCode)
    await getInvoiceRow(staff, chosenCode).getByText('Partly refunded').waitFor()

    await gateway.control({ dispute: payment.id })
    await openHome(staff, ({ disputes }) => disputes.length === 1)
    const disputeDuty = getDuty(staff, /^Dispute over HKD [\d,.]+: respond until \d{4}-\d\d-\d\d \d\d:\d\d/)
    for (const code of codes) expect(await disputeDuty.innerText()).toContain(code)
    await findInvoices(customer, portal, chosenCode)
    await getInvoiceRow(customer, chosenCode).getByText('Disputed').waitFor()

    const [dispute] = (await gateway.read()).disputes
    await gateway.control({ endDispute: { id: dispute?.id ?? '', status: 'lost' } })
    await openHome(staff, ({ refunds }) => refunds.some(({ cause }) => cause === 'dispute'))
    const lostDuty = getDuty(staff, /^HKD [\d,.]+ was lost in a dispute/)
    for (const code of codes) expect(await lostDuty.innerText()).toContain(code)
    await disputeDuty.waitFor({ state: 'detached' })
    await lostDuty.getByRole('button', { name: /^Mark as seen/ }).click()
    await dialog.getByRole('button', { name: 'Mark as seen' }).click()
    await dialog.waitFor({ state: 'detached' })
    await lostDuty.waitFor({ state: 'detached' })
    for (const code of codes) {
      await findInvoices(customer, portal, code)
      await getInvoiceRow(customer, code).getByText('Refunded', { exact: true }).waitFor()
    }
  },
  timeoutMs,
)

it(
  'A refund at the gateway and an inquiry that is closed are duties until they are settled, in Chinese',
  async () => {
    const { portal } = setup.fixture
    const gateway = openSandboxGateway(portal)
    const customer = await openFreshPage(setup, 'admin', '/app/contract?status=0', { language: 'zh' })
    await customer.getByRole('row').filter({ hasText: 'acmehr' }).getByRole('button').first().click()
    await payByCard(customer, 'zh')
    const payment = (await gateway.read()).intents.at(-1)
    if (!payment) throw new Error('the gateway has no payment')
    await gateway.control({ refund: { reference: payment.id, amount: 12_345 } })
    await gateway.control({ inquiry: payment.id })

    const staff = await openFreshPage(setup, 'staff', '/app/home', { language: 'zh' })
    const dialog = staff.getByRole('dialog')
    const isRefunded = ({ refunds }: Matters) => refunds.some(({ total }) => total === '123.45')
    await openHome(staff, (matters) => isRefunded(matters) && matters.disputes.length === 1)
    const inquiryDuty = getDuty(staff, /^银行查询 USD [\d,.]+：请在 \d{4}-\d\d-\d\d \d\d:\d\d 前回应/)
    await inquiryDuty.waitFor()
    const refundDuty = getDuty(staff, '在支付机构处退款 USD 123.45')
    await refundDuty.getByRole('button', { name: /^标记为已查看/ }).click()
    await dialog.getByText(/贷项通知单 CN\d{12}/).waitFor()
    await dialog.getByRole('button', { name: '标记为已查看' }).click()
    await dialog.waitFor({ state: 'detached' })
    await refundDuty.waitFor({ state: 'detached' })

    const inquiry = (await gateway.read()).disputes.at(-1)
    await gateway.control({ endDispute: { id: inquiry?.id ?? '', status: 'warning_closed' } })
    await openHome(staff, ({ disputes }) => disputes.length === 0)
    await inquiryDuty.waitFor({ state: 'detached' })
    await findInvoices(customer, portal, payment.id)
    const code = (await customer.locator('tbody .invoice-code').allInnerTexts()).find((text) => text.startsWith('I'))
    await getInvoiceRow(customer, code ?? '')
      .getByText(invoiceWords.zh.partlyRefunded)
      .waitFor()
  },
  timeoutMs,
)
