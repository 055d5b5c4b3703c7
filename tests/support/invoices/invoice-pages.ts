/** Steps on the page of invoices and in the dialog of a refund, in both languages. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { readPdf } from '#tests/support/documents/read-pdf.ts'
import { getRows, openPath, readBytes, typeInto, waitForList } from '#tests/support/browser/browser-setup.ts'
import { typeCard, getCardField } from '#tests/support/orders/card-fields.ts'

export type Lang = 'en' | 'zh'

/** What the tests read and press, as users see it. */
export const invoiceWords = {
  en: {
    download: 'Download PDF',
    refund: 'Refund…',
    send: /^Refund (HKD|USD)/,
    refunded: 'Refunded',
    partlyRefunded: 'Partly refunded',
    disputed: 'Disputed',
    done: 'Done',
    byCard: /by card$/,
    received: 'Payment received',
  },
  zh: {
    download: '下载 PDF',
    refund: '退款…',
    send: /^退款 (HKD|USD)/,
    refunded: '已退款',
    partlyRefunded: '部分退款',
    disputed: '有争议',
    done: '已完成',
    byCard: /^银行卡付款/,
    received: '已收到付款',
  },
} as const

type Origin = { url: string }

const getDrawer = (page: Page) => page.getByRole('dialog').filter({ has: page.locator('.facts') })

/** Opens the list of invoices that a text finds, without the pages of the device before. */
export async function findInvoices(page: Page, portal: Origin, searchText: string) {
  await openPath(page, portal, `/app/invoice?searchText=${encodeURIComponent(searchText)}`)
  await waitForList(page)
}

export const getInvoiceRow = (page: Page, code: string): Locator =>
  getRows(page).filter({ has: page.getByText(code, { exact: true }) })

/** Opens the drawer of an invoice or a credit note. */
export async function openInvoice(page: Page, code: string): Promise<Locator> {
  await getInvoiceRow(page, code).getByRole('link').first().click()
  const drawer = getDrawer(page)
  await drawer.waitFor()
  return drawer
}

/** Saves the PDF of the open drawer and returns the lines of its first page. */
export async function downloadPdf(page: Page, lang: Lang): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: invoiceWords[lang].download }).click(),
  ])
  const bytes = await readBytes(download)
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  const { pages } = await readPdf(bytes)
  return { name: download.suggestedFilename(), lines: pages[0]?.lines ?? [] }
}

interface TypedRefund {
  code: string
  amount: string
  reason: string
}

/** Refunds the invoice of the open drawer through its gateway. Types like a person. */
export async function refundByGateway(page: Page, lang: Lang, { code, amount, reason }: TypedRefund) {
  await page.getByRole('button', { name: invoiceWords[lang].refund }).click()
  const dialog = page.getByRole('dialog').filter({ has: page.locator('[name=confirmation]') })
  await dialog.waitFor()
  for (const [name, text] of Object.entries({ amount, reason, confirmation: code }))
    await typeInto(dialog.locator(`[name=${name}]`), text)
  await dialog.getByRole('button', { name: invoiceWords[lang].send }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Pays what the open payment dialog shows by card. */
export async function payByCard(page: Page, lang: Lang) {
  const dialog = page.getByRole('dialog')
  await getCardField(page, 'number').waitFor()
  await typeCard(page, '4242424242424242')
  await dialog.getByRole('button', { name: invoiceWords[lang].byCard }).click()
  await page.getByText(invoiceWords[lang].received).first().waitFor()
  await dialog.waitFor({ state: 'detached' })
}
