/** What the wizard says at its fields and before it orders (M70 to M80). */
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
/** Of the choice of modules. */
const submitOrder = () => press(/^Create order/)

it('says what is wrong at its field, and whether a code is taken when it is left', async () => {
  await openWizard('admin@acme')
  await submit(fixture.user)
  await expect
    .poll(readErrors)
    .toEqual(['Please input "Service code" as it\'s required.', 'Please input "Name" as it\'s required.'])
  await expect.poll(() => document.activeElement).toBe(getNamedField('code'))
  // Being typed into, a field that is right again keeps the focus, though another is wrong.
  await typeValues(fixture.user, { code: 'select' })
  expect(getNamedField('code').value).toBe('select')
  // As soon as it is left (M72), and no more than what was refused stands at the others.
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
  // Three and more are counted above them too, with a way to each.
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
  // The other mode asks for ten: raised, and not lowered again.
  await typeValues(fixture.user, { users: '7' })
  await fixture.user.click(screen.getByRole('radio', { name: /^Named/ }))
  expect(getNamedField('users').value).toBe('10')
  await fixture.user.click(screen.getByRole('radio', { name: /^Concurrent/ }))
  expect(getNamedField('users').value).toBe('10')
  // The bound of the list in the currency that is chosen (D1).
  await findText('for 20.00% of the fee a year, at least HKD 5,000.00.')
  await fixture.user.click(screen.getByRole('radio', { name: 'USD' }))
  await findText('for 20.00% of the fee a year, at least USD 640.00.')
})

nightly(
  'leaves the focus and the caret where one types, whatever is found of another field meanwhile (A-12)',
  async () => {
    await openWizard('admin@acme')
    await submit(fixture.user)
    await expect.poll(() => document.activeElement).toBe(getNamedField('code'))
    await fixture.user.keyboard('Acmetrade{Tab}Wiz')
    await findText('"acmetrade" is occupied.')
    await fixture.user.keyboard('ard name')
    expect([getNamedField('code').value, getNamedField('name').value]).toEqual(['acmetrade', 'Wizard name'])
    expect(document.activeElement).toBe(getNamedField('name'))
    // A capital in the middle of the code stays there, in lower case.
    await fixture.user.clear(getNamedField('code'))
    await fixture.user.keyboard('wizkey{ArrowLeft}{ArrowLeft}{ArrowLeft}AB')
    expect(getNamedField('code').value).toBe('wizabkey')
  },
)

it('replaces an unpaid order of the same code once that was said and agreed to (D32)', async () => {
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
  // What is reviewed has the fee of its users, beside the modules and the year's sum.
  const readReviewLines = () => [...document.querySelectorAll('.made-line')].map(({ textContent }) => textContent)
  await expect
    .poll(readReviewLines)
    .toEqual(expect.arrayContaining([expect.stringMatching(/^Users\d/), expect.stringMatching(/^Yearly fee\d/)]))
})

nightly(
  '"order again" fills the form from an order, and leaves a draft of one\'s own alone until that is said',
  async () => {
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
    // An order that cannot be read here is not silently left out.
    await fixture.browser.open('/app/contract/new?from=999999')
    await findText('The order to copy could not be loaded.')
  },
)

it('a price that changes between the figure and the order is shown beside the one before, and nothing is ordered (D17); a contract for nothing takes effect at once', async () => {
  await openWizard('admin@acme')
  await fillForm('doubtprice', { users: '11' })
  await chooseModules('fin')
  await expect.poll(readAmountDue).toBe('HKD 43,000.00')
  // Worked out without a line, so that the server's figure waits for a yes.
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
  // Beside the form stands what it costs by now.
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

  // Its row is shown as new until the list is asked again.
  await fixture.user.click(screen.getByRole('link', { name: 'All contracts' }))
  const readFirstCode = () => document.querySelector('tbody tr:not(.waiting) .lead')?.textContent
  await expect.poll(readFirstCode).toBe('doubtfreeNew')
  // While it is being asked, it is not asked again.
  await expect
    .poll(async () => {
      await press('Refresh')
      return readFirstCode()
    })
    .toBe('doubtfree')
})

nightly(
  'the staff may pay in any currency by Alipay, or simulate it, and are shown what came of it (D66)',
  async () => {
    const staffSession = await fixture.server.signIn('delete@m18')
    await openWizard('delete@m18')
    await fillForm('wizcustomer')
    // For a customer, whom one knows by name.
    const companyPicker = await screen.findByRole<HTMLInputElement>('combobox', { name: /^Company/ })
    await fixture.user.type(companyPicker, 'nobody of that name')
    await screen.findByText('No company was found.')
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
    // What is done is no draft any more.
    await fixture.browser.open('/app/contract/new')
    await waitForForm()
    expect(getNamedField('code').value).toBe('')
  },
)
