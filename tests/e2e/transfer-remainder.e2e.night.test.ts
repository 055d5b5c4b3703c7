/** Tests a payment by two bank transfers, from the pro-forma invoice to the paid order, at night in both languages. */
import { expect, it } from 'vitest'
import { resumePage, setUpShared, takeOwnCompany } from '#tests/support/browser/browser-setup.ts'
import {
  creditTransfer,
  formatCents,
  getDueRow,
  openPayment,
  openTransfers,
  readSplit,
  recordTransfer,
  requestTransfer,
  toCents,
  transferWords,
} from '#tests/support/invoices/transfer-pages.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

const setup = setUpShared()
const { code, admin } = takeOwnCompany()

const cases = [
  ['en', `${code}test`],
  ['zh', `${code}hr`],
] as const

it.each(limitByDay(cases, 1))(
  'A transfer that is too small becomes credit, and a second one pays the order with it, in "%s"',
  async (lang, service) => {
    const { portal } = setup.fixture
    const words = transferWords[lang]
    const customer = await resumePage(setup, admin, '/app/home', { language: lang })
    await openPayment(customer, portal, service)
    const first = await requestTransfer(customer, lang)
    const part = formatCents(toCents(first.amount) - 10_000)

    const staff = await resumePage(setup, 'staff', '/app/home', { language: lang })
    await openTransfers(staff, portal)
    await recordTransfer(staff, lang, { ...first, amount: part })
    await creditTransfer(staff, lang, first.reference, words.allCredit)

    const dialog = await openPayment(customer, portal, service)
    expect(await readSplit(dialog)).toEqual([`${first.currency} −${part}`, `${first.currency} 100.00`])
    const second = await requestTransfer(customer, lang)
    expect(second).toMatchObject({ currency: first.currency, amount: '100.00' })
    expect(second.reference).not.toBe(first.reference)

    await recordTransfer(staff, lang, second)
    await creditTransfer(staff, lang, second.reference, words.exact)
    await customer.reload()
    await getDueRow(customer, service).waitFor({ state: 'detached' })
  },
)
