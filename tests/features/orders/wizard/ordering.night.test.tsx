/** What the wizard says at its fields and before it orders (M70 to M80). */
import { screen, within } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { named, submit, type } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import {
  handsOn,
  makeFreeInRmb,
  newPrices,
  ordersOf,
  setUpShopPages,
  without,
} from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, says } = handsOn(the)
let admin: SignedIn
beforeEach(async () => {
  admin = await the.server.signIn('admin@acme')
})

const open = async (who: string, path = '/app/contract/new') => {
  await the.browser.openAs(who, path)
  await stands()
}
const stands = () => expect.poll(() => document.querySelector('[name=code]')).not.toBeNull()
const errors = () => [...document.querySelectorAll('.field-error')].map(({ textContent }) => textContent?.trim())
const step = () => document.querySelector('.steps [aria-current]')?.textContent
const amount = () => document.querySelector('.price-due .amount')?.textContent
const fill = (code: string, more: Record<string, string> = {}) =>
  type(the.user, { code, name: `Service ${code}`, ...more })
const modules = async (...codes: string[]) => {
  await submit(the.user)
  for (const code of codes) {
    await expect.poll(() => document.querySelector(`[name=module-${code}]`)).not.toBeNull()
    await the.user.click(named(`module-${code}`))
    const along = () => document.querySelector('[role=dialog] .button.primary')
    await expect.poll(() => along() !== null || named(`module-${code}`).checked).toBe(true)
    const asked = along()
    if (asked) await the.user.click(asked)
    await expect.poll(() => named(`module-${code}`).checked).toBe(true)
  }
}
/** Of the choice of modules. */
const order = () => press(/^Create order/)

it('says what is wrong at its field, and whether a code is taken when it is left', async () => {
  await open('admin@acme')
  await submit(the.user)
  await expect
    .poll(errors)
    .toEqual(['Please input "Service code" as it\'s required.', 'Please input "Name" as it\'s required.'])
  await expect.poll(() => document.activeElement).toBe(named('code'))
  // Being typed into, a field that is right again keeps the focus, though another is wrong.
  await type(the.user, { code: 'select' })
  expect(named('code').value).toBe('select')
  // As soon as it is left (M72), and no more than what was refused stands at the others.
  await the.user.tab()
  await expect.poll(errors).toEqual(['"select" is reserved by system', 'Please input "Name" as it\'s required.'])
  await type(the.user, { code: '1a' })
  await the.user.tab()
  await expect.poll(errors).toContain('3 to 16 lowercase letters or digits, starting with a letter.')
  await type(the.user, { name: 'Service' })
  await type(the.user, { code: 'acmetrade' })
  await the.user.tab()
  await says('"acmetrade" is occupied.')
  await type(the.user, { code: 'wizfree' })
  await the.user.tab()
  await says('This code is free.')
  await type(the.user, { users: '4' })
  await submit(the.user)
  await says('Please use at least 5 users.')
  expect(screen.queryByText(/need your attention/)).toBeNull()
  // Three and more are counted above them too, with a way to each.
  await the.user.clear(named('code'))
  await the.user.clear(named('name'))
  await submit(the.user)
  await says('3 fields need your attention')
  await the.user.click(
    within(screen.getByText('3 fields need your attention').parentElement as HTMLElement).getByRole('button', {
      name: /users/i,
    }),
  )
  expect(document.activeElement).toBe(named('users'))
  await type(the.user, { name: 'Service' })
  await expect.poll(() => screen.getByText(/need your attention/).textContent).toBe('2 fields need your attention')
  await type(the.user, { code: 'wizfree', users: '5' })
  await expect.poll(() => screen.queryByText(/need your attention/)).toBeNull()
  // The other mode asks for ten: raised, and not lowered again.
  await type(the.user, { users: '7' })
  await the.user.click(screen.getByRole('radio', { name: /^Named/ }))
  expect(named('users').value).toBe('10')
  await the.user.click(screen.getByRole('radio', { name: /^Concurrent/ }))
  expect(named('users').value).toBe('10')
  // The bound of the list in the currency that is chosen (D1).
  await says('for 20.00% of the fee a year, at least HKD 5,000.00.')
  await the.user.click(screen.getByRole('radio', { name: 'USD' }))
  await says('for 20.00% of the fee a year, at least USD 640.00.')
})

nightly(
  'leaves the focus and the caret where one types, whatever is found of another field meanwhile (A-12)',
  async () => {
    await open('admin@acme')
    await submit(the.user)
    await expect.poll(() => document.activeElement).toBe(named('code'))
    await the.user.keyboard('Acmetrade{Tab}Wiz')
    await says('"acmetrade" is occupied.')
    await the.user.keyboard('ard name')
    expect([named('code').value, named('name').value]).toEqual(['acmetrade', 'Wizard name'])
    expect(document.activeElement).toBe(named('name'))
    // A capital in the middle of the code stays there, in lower case.
    await the.user.clear(named('code'))
    await the.user.keyboard('wizkey{ArrowLeft}{ArrowLeft}{ArrowLeft}AB')
    expect(named('code').value).toBe('wizabkey')
  },
)

it('replaces an unpaid order of the same code once that was said and agreed to (D32)', async () => {
  const [old] = await ordersOf(admin, 'acmehr')
  await open('admin@acme')
  await screen.findByText(/^1 unpaid order/)
  await fill('acmehr')
  await says('The new order replaces the unpaid order acmehr')
  await modules('hr')
  await order()
  await (await dialog('Replace the unpaid order acmehr?')).press('Cancel')
  await noDialog()
  expect((await ordersOf(admin, 'acmehr'))[0]?.id).toBe(old?.id)
  await order()
  await (await dialog('Replace the unpaid order acmehr?')).press('Replace it')
  await expect.poll(step).toContain('Payment')
  expect((await ordersOf(admin, 'acmehr'))[0]?.id).not.toBe(old?.id)
  // What is reviewed has the fee of its users, beside the modules and the year's sum.
  const lines = () => [...document.querySelectorAll('.made-line')].map(({ textContent }) => textContent)
  await expect
    .poll(lines)
    .toEqual(expect.arrayContaining([expect.stringMatching(/^Users\d/), expect.stringMatching(/^Yearly fee\d/)]))
})

nightly(
  '"order again" fills the form from an order, and leaves a draft of one\'s own alone until that is said',
  async () => {
    const [old] = await ordersOf(admin, 'acmetrade')
    const again = `/app/contract/new?from=${old?.id}`
    await open('admin@acme', again)
    await expect.poll(() => named('name').value).toBe('Acme trading')
    expect([named('code').value, named('users').value]).toEqual(['', '40'])
    await type(the.user, { name: 'My own' })
    await screen.findByRole('button', { name: 'Discard draft' })
    await the.browser.open(again)
    await says('You already have a draft here.')
    expect(named('name').value).toBe('My own')
    await press('Order acmetrade again')
    await expect.poll(() => named('name').value).toBe('Acme trading')
    await press('Discard draft')
    await (await dialog(/draft/)).press('Discard draft')
    await expect.poll(() => named('name').value).toBe('')
    // An order that cannot be read here is not silently left out.
    await the.browser.open('/app/contract/new?from=999999')
    await says('The order to copy could not be loaded.')
  },
)

it('a price that changes between the figure and the order is shown beside the one before, and nothing is ordered (D17); a contract for nothing takes effect at once', async () => {
  await open('admin@acme')
  await fill('doubtprice', { users: '11' })
  await modules('fin')
  await expect.poll(amount).toBe('HKD 43,000.00')
  // Worked out without a line, so that the server's figure waits for a yes.
  the.browser.goOffline()
  await press(/^Save for later/)
  await screen.findByText(/^The server could not be reached. Nothing was ordered/)
  the.browser.goOnline()
  await says("The server's price is the one you saw")
  await newPrices(the.server, ({ module }) => ({
    module: module.map((row) => ({ ...without(row, 'id'), ...(row.code === 'core' ? { hkd: '12500.00' } : {}) })),
    min_fee_rmb: '0.00',
  }))
  await makeFreeInRmb(the.server)
  await press('Create order · HKD 43,000.00')
  await says('The price differs from the one you saw. Nothing has been ordered.')
  const both = [...document.querySelectorAll('.compared dd')].map(({ textContent }) => textContent)
  expect(both).toEqual(['HKD 43,000.00', 'HKD 43,500.00'])
  expect(await ordersOf(admin, 'doubtprice')).toEqual([])
  // Beside the form stands what it costs by now.
  await expect.poll(amount).toBe('HKD 43,500.00')
  await press('Create order · HKD 43,500.00')
  await expect.poll(step).toContain('Payment')
  expect(await ordersOf(admin, 'doubtprice')).toMatchObject([{ state: 'unpaid', amount: '43500.00' }])

  await press('Back')
  await press('Discard draft')
  await (await dialog(/draft/)).press('Discard draft')
  await stands()
  await fill('doubtfree')
  await the.user.click(screen.getByRole('radio', { name: 'RMB' }))
  await modules('doc')
  await expect.poll(amount).toBe('RMB 0.00')
  await order()
  await screen.findByRole('heading', { name: 'The contract is in effect' })
  await screen.findByText(/^Service doubtfree, contract \S+, valid to \d{4}-\d\d-\d\d\.$/)
  await says('The system is being set up. Please wait 3 to 5 minutes.')
  const [made] = await ordersOf(admin, 'doubtfree')
  expect(screen.getByRole('link', { name: 'Open the contract' }).getAttribute('href')).toBe(
    `/saas/app/contract/${made?.id}`,
  )
  expect(await ordersOf(admin, 'doubtfree')).toMatchObject([{ state: 'effective', amount: '0.00' }])

  // Its row is shown as new until the list is asked again.
  await the.user.click(screen.getByRole('link', { name: 'All contracts' }))
  const first = () => document.querySelector('tbody tr:not(.waiting) .lead')?.textContent
  await expect.poll(first).toBe('doubtfreeNew')
  // While it is being asked, it is not asked again.
  await expect
    .poll(async () => {
      await press('Refresh')
      return first()
    })
    .toBe('doubtfree')
})

nightly(
  'the staff may pay in any currency by Alipay, or simulate it, and are shown what came of it (D66)',
  async () => {
    const staff = await the.server.signIn('delete@m18')
    await open('delete@m18')
    await fill('wizcustomer')
    // For a customer, whom one knows by name.
    const picker = await screen.findByRole<HTMLInputElement>('combobox', { name: /^Company/ })
    await the.user.type(picker, 'nobody of that name')
    await screen.findByText('No company was found.')
    await the.user.keyboard('{Escape}')
    expect(picker.value).toBe('')
    await the.user.type(picker, 'trading')
    await screen.findByRole('option', { name: 'Acme Trading Limited acme' })
    await the.user.keyboard('{Enter}')
    await expect.poll(() => picker.value).toBe('Acme Trading Limited')
    await modules('doc')
    await order()
    await expect.poll(step).toContain('Payment')
    expect(await ordersOf(admin, 'wizcustomer')).toMatchObject([{ state: 'unpaid' }])
    await press('Back')
    await press('Discard draft')
    await (await dialog(/draft/)).press('Discard draft')
    await stands()
    await fill('wizstaff')
    await modules('doc')
    await order()
    await screen.findByRole('button', { name: /with Alipay$/ })
    await press(/^Simulate payment/)
    await screen.findByRole('heading', { name: 'The contract is in effect' })
    await screen.findByText(/3 to 5 minutes/)
    expect(await ordersOf(staff, 'wizstaff')).toMatchObject([{ state: 'effective', amount: '20000.00' }])
    // What is done is no draft any more.
    await the.browser.open('/app/contract/new')
    await stands()
    expect(named('code').value).toBe('')
  },
)
