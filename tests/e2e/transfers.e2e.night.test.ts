/** Tests credit and bank statements in both languages. Each language has a portal of its own, because all staff see all transfers. */
import { describe, expect, it } from 'vitest'
import { resumePage, setUp } from '#tests/support/browser/browser-setup.ts'
import { payByCard } from '#tests/support/invoices/invoice-pages.ts'
import {
  creditTransfer,
  formatCents,
  getDueRow,
  importStatement,
  openPayment,
  openTransfers,
  readSplit,
  readToday,
  recordTransfer,
  requestTransfer,
  toCents,
  transferWords,
} from '#tests/support/invoices/transfer-pages.ts'

describe.each(['en', 'zh'] as const)('In "%s"', (lang) => {
  const setup = setUp()
  const words = transferWords[lang]
  const openCustomer = () => resumePage(setup, 'admin', '/app/home', { language: lang })
  const openStaff = async () => {
    const staff = await resumePage(setup, 'staff', '/app/home', { language: lang })
    await openTransfers(staff, setup.fixture.portal)
    return staff
  }

  it('What a transfer is too large stays credit: the next payment uses it, and the card pays the rest', async () => {
    const { portal } = setup.fixture
    const customer = await openCustomer()
    await openPayment(customer, portal, 'acmetest')
    const requested = await requestTransfer(customer, lang)
    const staff = await openStaff()
    await recordTransfer(staff, lang, { ...requested, amount: formatCents(toCents(requested.amount) + 5050) })
    await creditTransfer(staff, lang, requested.reference, words.over)

    const dialog = await openPayment(customer, portal, 'acmetrade')
    const [used, left = ''] = await readSplit(dialog)
    expect(used).toBe('HKD −50.50')
    expect(await dialog.locator('.p-dialog-footer .button.primary').innerText()).toContain(left)
    await payByCard(customer, lang)
    await getDueRow(customer, 'acmetrade').waitFor({ state: 'detached' })
    expect(await getDueRow(customer, 'acmetest').count()).toBe(0)
  })

  it('A statement adds a transfer once, and it pays the order that its reference names', async () => {
    const { portal } = setup.fixture
    const customer = await openCustomer()
    await openPayment(customer, portal, 'acmehr')
    const { reference, currency, amount } = await requestTransfer(customer, lang)
    const staff = await openStaff()
    const row = [readToday(), amount.replaceAll(',', ''), currency, 'Acme 贸易', reference, `BK-${reference}`]
    const content = `Date,Amount,Currency,Sender,Description,Bank reference\n${row.join(',')}\n`
    expect(await importStatement(staff, lang, content)).toEqual([words.addAll])
    expect(await importStatement(staff, lang, content)).toEqual(words.addNone)
    await creditTransfer(staff, lang, reference, words.exact)
    await customer.reload()
    await getDueRow(customer, 'acmehr').waitFor({ state: 'detached' })
  })
})
