/**
 * Tests refunds through a gateway, from the payment by card to the credit note that customer and staff find, in both languages. Each language
 * has a payment of its own, on a portal of its own, because the staff see the invoices of all companies.
 */
import { expect, it } from 'vitest'
import { openFreshPage, setUp } from '#tests/support/browser/browser-setup.ts'
import {
  downloadPdf,
  findInvoices,
  getInvoiceRow,
  invoiceWords,
  openInvoice,
  payByCard,
  refundByGateway,
} from '#tests/support/invoices/invoice-pages.ts'
import { openSandboxGateway } from '#tests/support/invoices/sandbox-gateway.ts'

const setup = setUp()
const timeoutMs = 300_000

const cases = [
  { lang: 'en', service: 'acmetest', currency: 'HKD', part: '100.5', partText: '100.50' },
  { lang: 'zh', service: 'acmehr', currency: 'USD', part: '1,000', partText: '1,000.00' },
] as const

it.each(cases)(
  'An invoice is refunded in part and then completely, and every credit note is listed, in "$lang"',
  async ({ lang, service, currency, part, partText }) => {
    const words = invoiceWords[lang]
    const { portal } = setup.fixture
    const customer = await openFreshPage(setup, 'admin', '/app/contract?status=0', { language: lang })
    await customer.getByRole('row').filter({ hasText: service }).getByRole('button').first().click()
    await payByCard(customer, lang)
    await findInvoices(customer, portal, service)
    const codeText = customer.locator('tbody .invoice-code').first()
    const code = await codeText.innerText()
    expect(code).toMatch(/^I\d{12}$/)

    const staff = await openFreshPage(setup, 'staff', '/app/invoice', { language: lang, acceptDownloads: true })
    await findInvoices(staff, portal, code)
    const drawer = await openInvoice(staff, code)
    const amount = (await drawer.locator('.invoice-amount').innerText()).replace(`${currency} `, '')
    const history = drawer.locator('.refund-history')

    await refundByGateway(staff, lang, { code, amount: part, reason: 'Goodwill 善意' })
    await history.getByText(words.done, { exact: true }).waitFor()
    await drawer.getByText(words.partlyRefunded).waitFor()
    const left = ((toCents(amount) - toCents(partText)) / 100).toFixed(2)
    expect((await history.innerText()).replaceAll(',', '')).toContain(`${currency} ${left}`)
    const [partNote = ''] = /CN\d{12}/.exec(await history.innerText()) ?? []

    // The dialog fills in what is left.
    await refundByGateway(staff, lang, { code, amount: left, reason: 'Cancelled' })
    await expect.poll(() => history.getByText(words.done, { exact: true }).count()).toBe(2)
    await drawer.getByText(words.refunded, { exact: true }).first().waitFor()
    await drawer.getByRole('button', { name: words.refund }).waitFor({ state: 'detached' })
    const notes = [...(await history.innerText()).matchAll(/CN\d{12}/g)].map(([note]) => note)
    expect(new Set(notes).size).toBe(2)
    const { intents, refunds } = await openSandboxGateway(portal).read()
    const payment = intents.find((intent) => intent.amount === toCents(amount))
    const sums = refunds.filter(({ of }) => of === payment?.id).map((refund) => refund.amount)
    expect(sums).toEqual([toCents(partText), toCents(left)])

    // The state and the refunds stay after a reload, also without a connection.
    await staff.reload()
    await history.getByText(notes[0] ?? '').waitFor()
    await staff.context().setOffline(true)
    await staff.reload()
    await history.getByText(partNote).waitFor()
    await staff.context().setOffline(false)

    for (const page of [staff, customer]) {
      await findInvoices(page, portal, code)
      for (const note of notes) await getInvoiceRow(page, note).waitFor()
      expect(await getInvoiceRow(page, partNote).innerText()).toContain(`−${partText}`)
    }
    await openInvoice(customer, partNote)
    const { lines } = await downloadPdf(customer, lang)
    for (const text of [partNote, code, `${currency} ${partText}`, 'Goodwill 善意'])
      expect(lines.join('\n')).toContain(text)
  },
  timeoutMs,
)

const toCents = (amount: string) => Math.round(Number(amount.replaceAll(',', '')) * 100)
