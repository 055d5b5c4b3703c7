/** Tests the messages and checks of the wizard before it orders (M70 to M80). */
import { screen, within } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { getNamedField, submit, typeValues } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import {
  createUserActions,
  makeFreeInRmb,
  createPriceList,
  listOrders,
  setUpShopPages,
  omitFields,
} from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, findText } = createUserActions(fixture)
let adminSession: SignedIn
beforeEach(async () => {
  adminSession = await fixture.server.signIn('admin@acme')
})

const openWizard = async (userName: string, path = '/app/contract/new') => {
  await fixture.browser.openAs(userName, path)
  await waitForForm()
}
const waitForForm = () => expect.poll(() => document.querySelector('[name=code]')).not.toBeNull()
const readErrors = () => [...document.querySelectorAll('.field-error')].map(({ textContent }) => textContent?.trim())
const readStep = () => document.querySelector('.steps [aria-current]')?.textContent
const readAmountDue = () => document.querySelector('.price-due .amount')?.textContent
const fillForm = (code: string, overrides: Record<string, string> = {}) =>
  typeValues(fixture.user, { code, name: `Service ${code}`, ...overrides })
const chooseModules = async (...codes: string[]) => {
  await submit(fixture.user)
  for (const code of codes) {
    await expect.poll(() => document.querySelector(`[name=module-${code}]`)).not.toBeNull()
    await fixture.user.click(getNamedField(`module-${code}`))
    const findDependencyButton = () => document.querySelector('[role=dialog] .button.primary')
    await expect.poll(() => findDependencyButton() !== null || getNamedField(`module-${code}`).checked).toBe(true)
    const dependencyButton = findDependencyButton()
    if (dependencyButton) await fixture.user.click(dependencyButton)
    await expect.poll(() => getNamedField(`module-${code}`).checked).toBe(true)
  }
}
/** Submits the last step, the choice of modules. */
const submitOrder = () => press(/^Create order/)

it('The wizard shows each problem at its field, and checks the code when its field is left', async () => {
  await openWizard('admin@acme')
  await submit(fixture.user)
  await expect
    .poll(readErrors)
    .toEqual(['Please input "Service code" as it\'s required.', 'Please input "Name" as it\'s required.'])
  await expect.poll(() => document.activeElement).toBe(getNamedField('code'))
  // A field that becomes valid while the user types keeps the focus, although another field has an error.
  await typeValues(fixture.user, { code: 'select' })
  expect(getNamedField('code').value).toBe('select')
  // The field is checked when it loses focus (M72). The other fields show only the errors of the last submit.
  await fixture.user.tab()
  await expect.poll(readErrors).toEqual(['"select" is reserved by system', 'Please input "Name" as it\'s required.'])
  await typeValues(fixture.user, { code: '1a' })
  await fixture.user.tab()
  await expect.poll(readErrors).toContain('3 to 16 lowercase letters or digits, starting with a letter.')
  await typeValues(fixture.user, { name: 'Service' })
  await typeValues(fixture.user, { code: 'acmetrade' })
  await fixture.user.tab()
  await findText('"acmetrade" is occupied.')
  await typeValues(fixture.user, { code: 'wizfree' })
  await fixture.user.tab()
  await findText('This code is free.')
  await typeValues(fixture.user, { users: '4' })
  await submit(fixture.user)
  await findText('Please use at least 5 users.')
  expect(screen.queryByText(/need your attention/)).toBeNull()
  // Three or more errors are also counted above the fields, with a link to each.
  await fixture.user.clear(getNamedField('code'))
  await fixture.user.clear(getNamedField('name'))
  await submit(fixture.user)
  await findText('3 fields need your attention')
  await fixture.user.click(
    within(screen.getByText('3 fields need your attention').parentElement as HTMLElement).getByRole('button', {
      name: /users/i,
    }),
  )
  expect(document.activeElement).toBe(getNamedField('users'))
  await typeValues(fixture.user, { name: 'Service' })
  await expect.poll(() => screen.getByText(/need your attention/).textContent).toBe('2 fields need your attention')
  await typeValues(fixture.user, { code: 'wizfree', users: '5' })
  await expect.poll(() => screen.queryByText(/need your attention/)).toBeNull()
  // The other mode has a minimum of ten users. The number is raised to it, and is not lowered again.
  await typeValues(fixture.user, { users: '7' })
  await fixture.user.click(screen.getByRole('radio', { name: /^Named/ }))
  expect(getNamedField('users').value).toBe('10')
  await fixture.user.click(screen.getByRole('radio', { name: /^Concurrent/ }))
  expect(getNamedField('users').value).toBe('10')
  // The page shows the limit of the price list in the selected currency (D1).
  await findText('for 20% of the annual fee, at least HKD 5,000.00.')
  await fixture.user.click(screen.getByRole('radio', { name: 'USD' }))
  await findText('for 20% of the annual fee, at least USD 640.00.')
})

nightly(
  'The wizard keeps focus and caret while the user types, even if another field gets a problem (A-12)',
  async () => {
    await openWizard('admin@acme')
    await submit(fixture.user)
    await expect.poll(() => document.activeElement).toBe(getNamedField('code'))
    await fixture.user.keyboard('Acmetrade{Tab}Wiz')
    await findText('"acmetrade" is occupied.')
    await fixture.user.keyboard('ard name')
    expect([getNamedField('code').value, getNamedField('name').value]).toEqual(['acmetrade', 'Wizard name'])
    expect(document.activeElement).toBe(getNamedField('name'))
    // A capital letter typed in the middle of the code is converted to lower case, and the caret stays.
    await fixture.user.clear(getNamedField('code'))
    await fixture.user.keyboard('wizkey{ArrowLeft}{ArrowLeft}{ArrowLeft}AB')
    expect(getNamedField('code').value).toBe('wizabkey')
  },
)

it('The wizard replaces an unpaid order with the same code, after a notice and consent (D32)', async () => {
  const [oldOrder] = await listOrders(adminSession, 'acmehr')
  await openWizard('admin@acme')
  await screen.findByText(/^1 unpaid order/)
  await fillForm('acmehr')
  await findText('The new order replaces the unpaid order acmehr')
  await chooseModules('hr')
  await submitOrder()
  await (await dialog('Replace the unpaid order acmehr?')).press('Cancel')
  await noDialog()
  expect((await listOrders(adminSession, 'acmehr'))[0]?.id).toBe(oldOrder?.id)
  await submitOrder()
  await (await dialog('Replace the unpaid order acmehr?')).press('Replace it')
  await expect.poll(readStep).toContain('Payment')
  expect((await listOrders(adminSession, 'acmehr'))[0]?.id).not.toBe(oldOrder?.id)
  // The review shows the fee of the users next to the modules and the yearly sum.
  const readReviewLines = () => [...document.querySelectorAll('.made-line')].map(({ textContent }) => textContent)
  await expect
    .poll(readReviewLines)
    .toEqual(expect.arrayContaining([expect.stringMatching(/^Users\d/), expect.stringMatching(/^Annual fee\d/)]))
})

nightly('"Order again" fills the form from an order, but replaces a draft only after a confirmation', async () => {
  const [oldOrder] = await listOrders(adminSession, 'acmetrade')
  const orderAgainPath = `/app/contract/new?from=${oldOrder?.id}`
  await openWizard('admin@acme', orderAgainPath)
  await expect.poll(() => getNamedField('name').value).toBe('Acme trading')
  expect([getNamedField('code').value, getNamedField('users').value]).toEqual(['', '40'])
  await typeValues(fixture.user, { name: 'My own' })
  await screen.findByRole('button', { name: 'Discard draft' })
  await fixture.browser.open(orderAgainPath)
  await findText('You already have a draft here.')
  expect(getNamedField('name').value).toBe('My own')
  await press('Order acmetrade again')
  await expect.poll(() => getNamedField('name').value).toBe('Acme trading')
  await press('Discard draft')
  await (await dialog(/draft/)).press('Discard draft')
  await expect.poll(() => getNamedField('name').value).toBe('')
  // An order that cannot be loaded is reported.
  await fixture.browser.open('/app/contract/new?from=999999')
  await findText('The order to copy could not be loaded.')
})

it('A changed price is shown with the previous one before the order (D17), and a free contract starts at once', async () => {
  await openWizard('admin@acme')
  await fillForm('doubtprice', { users: '11' })
  await chooseModules('fin')
  await expect.poll(readAmountDue).toBe('HKD 43,000.00')
  // The amount was computed offline, so a different amount of the server needs a confirmation.
  fixture.browser.goOffline()
  await press(/^Save for later/)
  await screen.findByText(/^The server could not be reached. Nothing was ordered/)
  fixture.browser.goOnline()
  await findText("The server's price is the one you saw")
  await createPriceList(fixture.server, ({ module }) => ({
    module: module.map((row) => ({ ...omitFields(row, 'id'), ...(row.code === 'core' ? { hkd: '12500.00' } : {}) })),
    min_fee_rmb: '0.00',
  }))
  await makeFreeInRmb(fixture.server)
  await press('Create order · HKD 43,000.00')
  await findText('The price differs from the one you saw. Nothing has been ordered.')
  const comparedAmounts = [...document.querySelectorAll('.compared dd')].map(({ textContent }) => textContent)
  expect(comparedAmounts).toEqual(['HKD 43,000.00', 'HKD 43,500.00'])
  expect(await listOrders(adminSession, 'doubtprice')).toEqual([])
  await expect.poll(readAmountDue).toBe('HKD 43,500.00')
  await press('Create order · HKD 43,500.00')
  await expect.poll(readStep).toContain('Payment')
  expect(await listOrders(adminSession, 'doubtprice')).toMatchObject([{ state: 'unpaid', amount: '43500.00' }])

  await press('Back')
  await press('Discard draft')
  await (await dialog(/draft/)).press('Discard draft')
  await waitForForm()
  await fillForm('doubtfree')
  await fixture.user.click(screen.getByRole('radio', { name: 'RMB' }))
  await chooseModules('doc')
  await expect.poll(readAmountDue).toBe('RMB 0.00')
  await submitOrder()
  await screen.findByRole('heading', { name: 'The contract is in effect' })
  await screen.findByText(/^Service doubtfree, contract \S+, valid to \d{4}-\d\d-\d\d\.$/)
  await findText('The system is being set up. Please wait 3 to 5 minutes.')
  const [newOrder] = await listOrders(adminSession, 'doubtfree')
  expect(screen.getByRole('link', { name: 'Open the contract' }).getAttribute('href')).toBe(
    `/saas/app/contract/${newOrder?.id}`,
  )
  expect(await listOrders(adminSession, 'doubtfree')).toMatchObject([{ state: 'effective', amount: '0.00' }])

  // The row is marked as new until the list is loaded again.
  await fixture.user.click(screen.getByRole('link', { name: 'All contracts' }))
  const readFirstCode = () => document.querySelector('tbody tr:not(.waiting) .lead')?.textContent
  await expect.poll(readFirstCode).toBe('doubtfreeNew')
  // "Refresh" has no effect while the list is being loaded.
  await expect
    .poll(async () => {
      await press('Refresh')
      return readFirstCode()
    })
    .toBe('doubtfree')
})

nightly('Staff pays in any currency by Alipay or simulates it, and sees the result (D66)', async () => {
  const staffSession = await fixture.server.signIn('delete@m18')
  await openWizard('delete@m18')
  await fillForm('wizcustomer')
  // Staff orders for a customer, whose company is found by its name.
  const companyPicker = await screen.findByRole<HTMLInputElement>('combobox', { name: /^Company/ })
  await fixture.user.type(companyPicker, 'nobody of that name')
  await screen.findByText('No company found.')
  await fixture.user.keyboard('{Escape}')
  expect(companyPicker.value).toBe('')
  await fixture.user.type(companyPicker, 'trading')
  await screen.findByRole('option', { name: 'Acme Trading Limited acme' })
  await fixture.user.keyboard('{Enter}')
  await expect.poll(() => companyPicker.value).toBe('Acme Trading Limited')
  await chooseModules('doc')
  await submitOrder()
  await expect.poll(readStep).toContain('Payment')
  expect(await listOrders(adminSession, 'wizcustomer')).toMatchObject([{ state: 'unpaid' }])
  await press('Back')
  await press('Discard draft')
  await (await dialog(/draft/)).press('Discard draft')
  await waitForForm()
  await fillForm('wizstaff')
  await chooseModules('doc')
  await submitOrder()
  await screen.findByRole('button', { name: /with Alipay$/ })
  await press(/^Simulate payment/)
  await screen.findByRole('heading', { name: 'The contract is in effect' })
  await screen.findByText(/3 to 5 minutes/)
  expect(await listOrders(staffSession, 'wizstaff')).toMatchObject([{ state: 'effective', amount: '20000.00' }])
  // The draft of a completed order is deleted.
  await fixture.browser.open('/app/contract/new')
  await waitForForm()
  expect(getNamedField('code').value).toBe('')
})
