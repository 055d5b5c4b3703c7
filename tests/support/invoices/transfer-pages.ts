/** Steps of payments by bank transfer: the customer's dialog and the staff's money page, in both languages. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openPath, typeInto, waitForList } from '#tests/support/browser/browser-setup.ts'
import type { Lang } from '#tests/support/invoices/invoice-pages.ts'

/** What the tests read and press, as users see it. */
export const transferWords = {
  en: {
    payByTransfer: /by bank transfer$/,
    record: 'Record transfer',
    import: 'Import statement',
    sendImport: 'Import',
    addAll: '1 transfer was added.',
    addNone: ['0 transfers were added.', '1 transfer was already known.'],
    toCredit: 'Credit…',
    allCredit: /^All of it/,
    exact: 'It is exactly what the selected items cost.',
    over: /stays credit\.$/,
    credited: 'Credited',
  },
  zh: {
    payByTransfer: /^银行转账/,
    record: '登记转账',
    import: '导入对账单',
    sendImport: '导入',
    addAll: '已添加 1 笔转账。',
    addNone: ['已添加 0 笔转账。', '1 笔转账此前已有。'],
    toCredit: '入账…',
    allCredit: /^全部/,
    exact: '与所选项目的金额完全一致。',
    over: /^支付所选项目后/,
    credited: '已入账',
  },
} as const

type Origin = { url: string }

/** The current day at the provider, `YYYY-MM-DD`. */
export const readToday = (): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong', dateStyle: 'short' }).format(new Date())

const getDialog = (page: Page) => page.getByRole('dialog')

/** Opens the payment of an order in the list of what is due. */
export async function openPayment(page: Page, portal: Origin, service: string): Promise<Locator> {
  await openPath(page, portal, '/app/contract?status=0')
  await waitForList(page)
  await getDueRow(page, service).getByRole('button').first().click()
  const dialog = getDialog(page)
  await dialog.locator('.payment-others').waitFor()
  return dialog
}

export const getDueRow = (page: Page, service: string): Locator =>
  page.locator('tbody tr').filter({ has: page.getByText(service, { exact: true }) })

interface RequestedTransfer {
  reference: string
  currency: string
  /** With thousands separators. */
  amount: string
}

/** Chooses the bank transfer in an open payment, and closes it. */
export async function requestTransfer(page: Page, lang: Lang): Promise<RequestedTransfer> {
  const dialog = getDialog(page)
  await dialog.getByRole('button', { name: transferWords[lang].payByTransfer }).click()
  const details = dialog.locator('.payment-transfer')
  await details.waitFor()
  const text = await details.innerText()
  const [, currency = '', amount = ''] = /(HKD|USD|RMB) ([\d,.]+)/.exec(text) ?? []
  const [reference = ''] = /PF\d{12}/.exec(text) ?? []
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return { reference, currency, amount }
}

/** Opens the list of transfers on the money page. */
export async function openTransfers(page: Page, portal: Origin) {
  await openPath(page, portal, '/app/money?tab=transfers')
  await page.locator('.money-section .list:not(.again)').first().waitFor()
}

const getTransferRow = (page: Page, reference: string): Locator =>
  page.locator('tbody tr').filter({ hasText: reference })

/** Records a transfer that has arrived, typed like a person. */
export async function recordTransfer(page: Page, lang: Lang, { reference, currency, amount }: RequestedTransfer) {
  await page.getByRole('button', { name: transferWords[lang].record }).click()
  const dialog = getDialog(page)
  await dialog.waitFor()
  await dialog.locator('[name=currency]').selectOption(currency)
  const typed = { day: readToday(), amount, sender: 'A bank 银行', reference, bank_reference: `FT-${reference}` }
  for (const [name, text] of Object.entries(typed)) await typeInto(dialog.locator(`[name=${name}]`), text)
  await dialog.locator('.button.primary').click()
  await dialog.waitFor({ state: 'detached' })
  await getTransferRow(page, reference).waitFor()
}

/** Credits an open transfer as it is proposed. `sumText`: what the dialog says about its sum. */
export async function creditTransfer(page: Page, lang: Lang, reference: string, sumText: string | RegExp) {
  await getTransferRow(page, reference).getByRole('button', { name: transferWords[lang].toCredit }).click()
  const dialog = getDialog(page)
  await dialog.getByText(sumText).waitFor()
  expect(await dialog.getByText(reference).count()).toBeGreaterThan(0)
  await dialog.locator('.button.primary').click()
  await dialog.waitFor({ state: 'detached' })
  await getTransferRow(page, reference).getByText(transferWords[lang].credited).waitFor()
}

/** Imports a statement and returns the lines of its result. */
export async function importStatement(page: Page, lang: Lang, content: string): Promise<string[]> {
  await page.getByRole('button', { name: transferWords[lang].import }).click()
  const dialog = getDialog(page)
  const file = { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
  await dialog.locator('[name=statement]').setInputFiles(file)
  await dialog.getByRole('button', { name: transferWords[lang].sendImport, exact: true }).click()
  const result = dialog.locator('.money-result')
  await result.waitFor()
  const lines = await result.locator('p').allInnerTexts()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return lines
}

/** What an open payment takes from the credit and what is left to pay: `['HKD −50.00', 'HKD 213.02']`. */
export async function readSplit(dialog: Locator): Promise<string[]> {
  await dialog.locator('.payment-split').first().waitFor()
  return dialog.locator('.payment-split dd').allInnerTexts()
}

/** Returns an amount of the page, or of cents, in the other form. */
export const toCents = (amount: string): number => Math.round(Number(amount.replaceAll(',', '')) * 100)
export const formatCents = (cents: number): string =>
  (cents / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
