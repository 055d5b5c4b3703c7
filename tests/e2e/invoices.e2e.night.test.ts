/** Tests the way of a customer from the list of invoices to the PDF, at night in both languages. */
import { expect, it } from 'vitest'
import { resumePage, setUpShared, takeOwnCompany } from '#tests/support/browser/browser-setup.ts'
import { downloadPdf, findInvoices, getInvoiceRow, openInvoice } from '#tests/support/invoices/invoice-pages.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

const setup = setUpShared()
const { admin } = takeOwnCompany()

const cases = [
  ['en', 'Invoice'],
  ['zh', '发票'],
] as const

it.each(limitByDay(cases, 1))(
  'A customer finds an invoice by its PO number and saves its PDF, in "%s"',
  async (language, title) => {
    const page = await resumePage(setup, admin, '/app/home', { language, acceptDownloads: true })
    await findInvoices(page, setup.fixture.portal, 'PO-4711')
    const codeText = page.locator('tbody .invoice-code')
    expect(await codeText.count()).toBe(1)
    const code = await codeText.innerText()
    const [, amount = ''] = /HKD ([\d,.]+)/.exec(await getInvoiceRow(page, code).innerText()) ?? []
    await openInvoice(page, code)
    const { name, lines } = await downloadPdf(page, language)
    expect(name).toBe(`${code}.pdf`)
    const text = lines.join('\n')
    for (const part of [title, code, 'PO-4711', `HKD ${amount}`]) expect(text).toContain(part)
  },
)
