/** Tests the staff's pages of price lists: list, editor, rehearsal and import (M145 to M153). */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import {
  getButton,
  readDescription,
  findHeading,
  getNamedField,
  readProblems,
  typeValues,
  typeConfirmation,
} from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, omitFields, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, findText } = createUserActions(fixture)
const staffName = 'delete@m18'
const path = '/app/m18/price'

interface PriceListRow {
  id: number
  row_version: number
  effective_date: string
  desc: string
  confirmed: boolean
}
type PriceRange = { from: number; to: number; hkd: string }
type CompletePriceList = PriceListRow & {
  module: { code: string; hkd: string }[]
  concurrentUser: PriceRange[]
  namedUser: PriceRange[]
  uat_charge: string
}

const logInAsStaff = async () => await fixture.server.signIn(staffName)
const fetchPriceLists = async () =>
  (await (await logInAsStaff()).send({ url: '/api/pricelist?results=50' })).json().data as PriceListRow[]
const fetchPriceList = async (id: number) =>
  (await (await logInAsStaff()).send({ url: `/api/prices/${id}` })).json() as CompletePriceList
const readDays = () => [...document.querySelectorAll('tbody td.first a')].map(({ textContent }) => textContent)
const findRow = (day: string) =>
  [...document.querySelectorAll<HTMLElement>('tbody tr')].find((row) => row.textContent?.includes(day))
async function openMenu(day: string) {
  await vi.waitFor(() => expect(findRow(day)).toBeDefined(), { timeout: 15_000 })
  const menuButton = findRow(day)?.querySelector('[aria-haspopup=menu]')
  if (!menuButton) throw new Error(`there is no menu of ${day}`)
  await fixture.user.click(menuButton)
}
const findMenuItem = (name: RegExp) => screen.findByRole('menuitem', { name })
const chooseAction = async (day: string, name: RegExp) => {
  await openMenu(day)
  await fixture.user.click(await findMenuItem(name))
}
/** Creates an unconfirmed copy of the current list. */
async function createDraftList(day: string, fields: object = {}): Promise<number> {
  const session = await logInAsStaff()
  const [firstList] = (await fetchPriceLists()).toSorted((a, b) => (a.effective_date < b.effective_date ? -1 : 1))
  const list = await fetchPriceList(firstList?.id ?? 0)
  const withoutIds = (rows: object[]) => rows.map((row) => omitFields(row, 'id'))
  const body = {
    ...omitFields(list, 'id', 'update_time', 'update_user_name', 'row_version', 'confirmed'),
    concurrentUser: withoutIds(list.concurrentUser),
    namedUser: withoutIds(list.namedUser),
    module: withoutIds(list.module),
    effective_date: day,
    desc: `Draft ${day}`,
    ...fields,
  }
  const response = await session.send({ method: 'POST', url: '/api/pricelist', body })
  expect(response.statusCode).toBe(200)
  return (response.json() as PriceListRow).id
}
const findCells = (table: string, column: string) => [
  ...(screen.getByRole('table', { name: table }).querySelectorAll<HTMLInputElement>(`[data-cell=${column}]`) ?? []),
]
const readValues = (table: string, column: string) => findCells(table, column).map(({ value }) => value)
const waitForEditor = async (title: string) => {
  await findHeading(title)
  await screen.findByRole('table', { name: 'Modules' })
}
async function openDraftEditor(): Promise<number> {
  const id = await createDraftList('2031-01-01')
  await fixture.browser.openAs(staffName, `${path}/${id}`)
  await waitForEditor('Price list of 2031-01-01')
  return id
}
/** Changes the list as another member of staff. */
async function changeElsewhere(id: number, fields: object) {
  const headers = { 'if-match': `"${(await fetchPriceList(id)).row_version}"` }
  return (await logInAsStaff()).send({ method: 'PUT', url: '/api/pricelist', headers, body: { id, ...fields } })
}
const findFooterButton = (dialogElement: HTMLElement) =>
  dialogElement.querySelector('.p-dialog-footer button') as HTMLButtonElement
const saveList = () => press(/^Save$/)

describe('the table of price lists', () => {
  it('shows the current and the next list, and cannot withdraw the current list (M145, M153, D81)', async () => {
    await createDraftList('2031-01-01')
    await fixture.browser.openAs(staffName, path)
    await expect.poll(readDays).toEqual(['2031-01-01', '2027-01-01', '2026-01-01'])
    await expect.poll(() => findRow('2026-01-01')?.textContent).toContain('ConfirmedIn force today')
    expect(findRow('2027-01-01')?.textContent).toContain('ConfirmedNext')
    expect(findRow('2031-01-01')?.textContent).toContain('UnconfirmedDraft 2031-01-01')
    await openMenu('2026-01-01')
    expect((await findMenuItem(/^Withdraw/)).textContent).toContain('It is in force today.')
    await fixture.user.keyboard('{Escape}')
    await chooseAction('2027-01-01', /^Withdraw/)
    await typeConfirmation(fixture.user, '2027-01-01')
    await (await dialog('Withdraw the price list of 2027-01-01')).press('Withdraw price list')
    await noDialog()
    await expect.poll(readDays).toEqual(['2031-01-01', '2026-01-01'])
  })

  nightly('deletes a draft once, also offline, and withdraws a confirmed list only online', async () => {
    await createDraftList('2031-01-01')
    await fixture.browser.openAs(staffName, path)
    await expect.poll(readDays).toHaveLength(3)
    fixture.browser.goOffline()
    await openMenu('2027-01-01')
    await expect.poll(async () => (await findMenuItem(/^Withdraw/)).textContent).toContain('This needs a connection.')
    await fixture.user.keyboard('{Escape}')
    await chooseAction('2031-01-01', /^Delete/)
    await typeConfirmation(fixture.user, '2031-01-01')
    await (await dialog('Delete the price list of 2031-01-01')).press('Delete price list')
    await noDialog()
    fixture.browser.goOnline()
    await expect.poll(async () => (await fetchPriceLists()).length).toBe(2)
  })
})

describe('the price list editor', () => {
  it('shows each problem at its field, saves a valid list and opens it (M146 to M148, M150)', async () => {
    await fixture.browser.openAs(staffName, path)
    await fixture.user.click(await screen.findByRole('link', { name: 'New price list' }))
    await waitForEditor('New price list')
    await typeValues(fixture.user, { desc: 'x' })
    await typeValues(fixture.user, { desc: '' })
    await typeValues(fixture.user, { uat_charge: '1000', min_fee_hkd: '1.234', min_named_user: '-1' })
    await saveList()
    await expect.poll(readProblems).toMatchObject({
      effective_date: 'Please input "Effective date" as it\'s required.',
      desc: 'Please input "Description" as it\'s required.',
      uat_charge: 'Please enter a percentage from 0 to 999.99.',
      min_fee_hkd: 'Please enter an amount such as 1234.50.',
      min_named_user: 'Please enter a whole number from 0 to 999,999.',
    })
    expect(document.activeElement).toBe(getNamedField('effective_date'))
    await typeValues(fixture.user, {
      effective_date: '2027-01-01',
      desc: 'New prices',
      uat_charge: '12.5',
      min_fee_hkd: '1,000',
      min_named_user: '3',
    })
    await saveList()
    await expect.poll(readProblems).toEqual({ effective_date: '"2027-01-01" is occupied.' })
    await typeValues(fixture.user, { effective_date: '2028-01-01' })
    // Pastes rows from a spreadsheet, with the first user number of each range.
    const [toCell] = findCells('Concurrent users', 'to')
    toCell?.focus()
    await fixture.user.paste('1\t10\t100\t10\t90\n11\t999999\t80\t8\t70')
    expect(readValues('Concurrent users', 'to')).toEqual(['10', '999999'])
    await press('Add a module')
    expect(document.activeElement).toBe(findCells('Modules', 'code')[0])
    await fixture.user.keyboard('core{Tab}1{Tab}2{Tab}3{Enter}')
    // Enter at the end of the last row adds a row and focuses its first cell.
    expect(document.activeElement).toBe(findCells('Modules', 'code')[1])
    await fixture.user.keyboard('core{Tab}4{Tab}5{Tab}6')
    await expect.poll(() => readDescription(findCells('Modules', 'code')[1] as Element)).toBe('Duplicated module!')
    await saveList()
    await expect.poll(() => document.activeElement).toBe(findCells('Modules', 'code')[0])
    expect(await fetchPriceLists()).toHaveLength(2)
    await fixture.user.clear(findCells('Modules', 'code')[1] as Element)
    await fixture.user.type(findCells('Modules', 'code')[1] as Element, 'fin')
    await fixture.user.click(screen.getByRole('checkbox', { name: 'This list sells backups' }))
    await typeValues(fixture.user, { 'pdbPrice.pdb2s3_traffic': '0.5', 'pdbPrice.pdb2s3_discount': '101' })
    await saveList()
    await expect.poll(readProblems).toMatchObject({
      'pdbPrice.pdb2s3_traffic': 'Please enter a whole number of GB, 0 or more.',
      'pdbPrice.pdb2s3_discount': 'Please enter a whole number from 0 to 100.',
    })
    await typeValues(fixture.user, { 'pdbPrice.pdb2s3_traffic': '50', 'pdbPrice.pdb2s3_discount': '10' })
    await saveList()
    await waitForEditor('Price list of 2028-01-01')
    const newList = (await fetchPriceLists()).find((row) => row.effective_date === '2028-01-01')
    expect(newList).toMatchObject({ confirmed: false, desc: 'New prices' })
    expect(await fetchPriceList(newList?.id ?? 0)).toMatchObject({
      uat_charge: '12.50',
      min_fee_hkd: '1000.00',
      concurrentUser: [
        { from: 1, to: 10, hkd: '100.00' },
        { from: 11, to: 999_999, hkd: '80.00' },
      ],
      namedUser: [],
      module: [{ code: 'core' }, { code: 'fin', rmb: '6.00' }],
      pdbPrice: { pdb2s3_traffic: '50.00', pdb2s3_discount: '10.00' },
    })
  })

  nightly(
    'shows the prices of a confirmed list read-only, except its description, and copies it (M151, D81)',
    async () => {
      await fixture.browser.openAs(staffName, path)
      await fixture.user.click(await screen.findByRole('link', { name: '2026-01-01' }))
      await waitForEditor('Price list of 2026-01-01')
      await findText('This price list is confirmed, so its prices cannot be changed.')
      expect([...document.querySelectorAll<HTMLInputElement>('form.page-form input')].map(({ name }) => name)).toEqual([
        'desc',
      ])
      const readRow = (table: string, row: RegExp) =>
        within(screen.getByRole('table', { name: table })).getByRole('row', { name: row }).textContent
      expect(readRow('Concurrent users', /^1–10/)).toBe('1–101,200.00154.001,080.00')
      expect(readRow('Modules', /core/)).toBe('core12,000.001,540.0010,800.00')
      expect(screen.queryByRole('button', { name: 'Add a module' })).toBeNull()
      expect(screen.queryByRole('button', { name: 'Confirm…' })).toBeNull()
      await typeValues(fixture.user, { desc: 'As sold in 2026' })
      await saveList()
      await expect.poll(async () => (await fetchPriceLists()).map(({ desc }) => desc)).toContain('As sold in 2026')
      await expect.poll(() => screen.queryByRole('button', { name: 'Save' })).toBeNull()
      await fixture.user.click(await screen.findByRole('link', { name: 'Save as' }))
      await waitForEditor('New price list')
      expect([getNamedField('effective_date').value, getNamedField('desc').value]).toEqual(['', 'As sold in 2026'])
      await expect.poll(() => readValues('Modules', 'code')).toEqual(['core', 'fin', 'scm', 'hr', 'doc'])
      await typeValues(fixture.user, { effective_date: '2029-01-01' })
      const positionField = await screen.findByLabelText('Position of Documents')
      await fixture.user.clear(positionField)
      await fixture.user.type(positionField, '1{Enter}')
      expect(readValues('Modules', 'code')).toEqual(['doc', 'core', 'fin', 'scm', 'hr'])
      await saveList()
      await waitForEditor('Price list of 2029-01-01')
      const newList = (await fetchPriceLists()).find((row) => row.effective_date === '2029-01-01')
      const { module } = await fetchPriceList(newList?.id ?? 0)
      expect(module.map(({ code }) => code)).toEqual(['doc', 'core', 'fin', 'scm', 'hr'])
    },
  )

  nightly('shows that a list does not exist, and does not keep requesting it', async () => {
    await fixture.browser.openAs(staffName, `${path}/987654`)
    await findText('There is no such price list')
    const countRequests = () =>
      fixture.browser.sentRequests.filter((sent) => sent.path.endsWith('/api/prices/987654')).length
    const firstCount = countRequests()
    await new Promise((done) => setTimeout(done, 500))
    expect([firstCount > 0, countRequests()]).toEqual([true, firstCount])
    await fixture.browser.open(`${path}/not-a-number`)
    await findText('There is no such price list')
  })

  nightly('keeps a module that hidden modules require, and warns if visible modules require it (M149)', async () => {
    await openDraftEditor()
    await expect.poll(() => screen.queryByRole('button', { name: 'Remove Core' })).not.toBeNull()
    await press('Remove Core')
    const removeDialog = await dialog('Remove Core from this list')
    await removeDialog.findByText(/these hidden modules depend on it/)
    await fixture.user.click(findFooterButton(removeDialog.element))
    // Repeats the check offline, with the cached modules.
    fixture.browser.goOffline()
    await press('Remove Core')
    const offlineDialog = await dialog('Remove Core from this list')
    await offlineDialog.findByText(/these hidden modules depend on it/)
    await fixture.user.click(findFooterButton(offlineDialog.element))
    await noDialog()
    fixture.browser.goOnline()
    await press('Remove Human resources')
    await expect.poll(() => readValues('Modules', 'code')).toEqual(['core', 'fin', 'scm', 'doc'])
  })

  nightly('stores an offline edit, shows and reopens it while it waits, and sends it once', async () => {
    const id = await createDraftList('2031-01-01')
    await fixture.browser.openAs(staffName, path)
    await expect.poll(readDays).toHaveLength(3)
    await fixture.user.click(await screen.findByRole('link', { name: '2031-01-01' }))
    await waitForEditor('Price list of 2031-01-01')
    fixture.browser.goOffline()
    await typeValues(fixture.user, { desc: 'Written on the train', uat_charge: '7' })
    await saveList()
    await waitForPath(fixture.browser, path)
    await expect.poll(() => findRow('2031-01-01')?.textContent).toContain('Written on the train')
    await fixture.user.click(await screen.findByRole('link', { name: '2031-01-01' }))
    await waitForEditor('Price list of 2031-01-01')
    expect([getNamedField('desc').value, getNamedField('uat_charge').value]).toEqual(['Written on the train', '7.00'])
    fixture.browser.goOnline()
    await expect.poll(async () => (await fetchPriceList(id)).desc).toBe('Written on the train')
    expect(await fetchPriceList(id)).toMatchObject({ uat_charge: '7.00' })
  })

  nightly('shows the changes of another user field by field, and keeps the input (R-14)', async () => {
    const id = await openDraftEditor()
    const { module } = await fetchPriceList(id)
    const serverModules = module.map((row) => ({
      ...omitFields(row, 'id'),
      hkd: row.code === 'fin' ? '1.00' : row.hkd,
    }))
    const response = await changeElsewhere(id, {
      desc: 'Theirs',
      uat_charge: '3.00',
      min_fee_hkd: '5.00',
      module: serverModules,
      concurrentUser: [{ from: 1, to: 7, hkd: '9.00', usd: '1.00', rmb: '8.00' }],
    })
    expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
    await typeValues(fixture.user, { desc: 'Mine' })
    await saveList()
    await findText('Somebody else has changed this price list in the meantime.')
    const conflictNote = document.querySelector('.conflict-note')?.textContent
    for (const change of ['Description: Theirs', 'UAT charge: 3%', 'fin, HKD: 1.00', 'Concurrent users 1–10, To: 7'])
      expect(conflictNote).toContain(change)
    await expect.poll(() => [getNamedField('desc').value, getNamedField('uat_charge').value]).toEqual(['Mine', '3.00'])
    await expect.poll(() => readValues('Modules', 'hkd')[1]).toBe('1.00')
    await saveList()
    await expect.poll(async () => (await fetchPriceList(id)).desc).toBe('Mine')
    expect(await fetchPriceList(id)).toMatchObject({ uat_charge: '3.00' })
  })
})

describe('the rehearsal of a price list', () => {
  /** Buys and pays an order of Acme, which creates a contract. */
  async function sellContract(): Promise<void> {
    const session = await fixture.server.signIn('admin@acme')
    const { company_id: company } = (await session.send({ url: '/api/m18s/user' })).json()
    await buyOrder(fixture.server, session, { code: 'acmeshop', name: 'Acme shop', period_start: today() })
    expect(company).toBeGreaterThan(0)
  }

  it('shows new contract fees and the largest change, and must precede the confirmation (M153)', async () => {
    await sellContract()
    const id = await openDraftEditor()
    const confirmButton = getButton('Confirm…')
    await fixture.user.click(confirmButton)
    const trialDialog = await dialog('A trial run is needed first')
    await trialDialog.press('Not yet')
    const [priceCell] = findCells('Modules', 'hkd')
    await fixture.user.clear(priceCell as Element)
    await fixture.user.type(priceCell as Element, '24000')
    await expect.poll(() => readDescription(confirmButton)).toContain('Save the list first')
    await press('Start trial run')
    await screen.findByRole('progressbar', { name: 'Trial run' })
    await expect.poll(() => runOneJob(fixture.server.app, requestJobKinds)).toBe(true)
    while (await runOneJob(fixture.server.app, requestJobKinds));
    await findText('The 3 largest changes')
    const rehearsalRegion = screen.getByRole('region', { name: 'Trial run' })
    expect(rehearsalRegion.textContent).toContain('Acme shop')
    expect(rehearsalRegion.textContent).toContain('3 more expensive, 0 cheaper, 0 the same')
    const [explanationButton] = within(rehearsalRegion).getAllByRole('button', { name: 'Why this amount?' })
    await fixture.user.click(explanationButton as Element)
    expect(await within(rehearsalRegion).findAllByText('24,000.00')).not.toEqual([])
    await saveList()
    // Saving the list unchanged keeps the rehearsal valid.
    await waitForEditor('Price list of 2031-01-01')
    await expect.poll(() => readDescription(getButton('Confirm…'))).toBe('')
    await press('Confirm…')
    const confirmDialog = await dialog('Confirm the price list of 2031-01-01')
    confirmDialog.getByText(/From 2031-01-01 on/)
    await confirmDialog.press('Confirm price list')
    await findText('This price list is confirmed, so its prices cannot be changed.')
    await expect.poll(() => fetchPriceList(id)).toMatchObject({ confirmed: true })
  })

  it('prevents confirming a list that another user has changed since', async () => {
    const id = await openDraftEditor()
    await press('Start trial run')
    await expect.poll(() => runOneJob(fixture.server.app, requestJobKinds)).toBe(true)
    while (await runOneJob(fixture.server.app, requestJobKinds));
    await expect.poll(() => readDescription(getButton('Confirm…')), { timeout: 20_000 }).toBe('')
    expect((await changeElsewhere(id, { uat_charge: '99.00' })).statusCode).toBe(200)
    await press('Confirm…')
    const confirmDialog = await dialog('Confirm the price list of 2031-01-01')
    await confirmDialog.press('Confirm price list')
    await confirmDialog.findByText(/The list could not be confirmed/)
    expect(await fetchPriceList(id)).toMatchObject({ confirmed: false, uat_charge: '99.00' })
  })

  nightly('shows that it needs a connection, while a test order does not', async () => {
    await fixture.browser.openAs(staffName, path)
    await expect.poll(readDays).toHaveLength(2)
    await fixture.user.click(await screen.findByRole('link', { name: '2027-01-01' }))
    await waitForEditor('Price list of 2027-01-01')
    await expect.poll(() => screen.queryAllByText('With the list of 2026-01-01')).not.toEqual([])
    fixture.browser.goOffline()
    await expect.poll(() => readDescription(getButton('Start trial run'))).toContain('this needs a connection')
    const sampleFees = screen.getByRole('group', { name: 'Annual fee' })
    // The fee of 10 concurrent users under list A of the agreed examples is raised to the minimum fee.
    await expect.poll(() => sampleFees.textContent).toContain('HKD 20,000.00')
    const usersField = screen.getByLabelText('Users')
    await fixture.user.clear(usersField)
    await fixture.user.type(usersField, '40')
    // The fees are 10 x 1,200 + 30 x 1,000 under the current list, and 10 x 1,260 + 30 x 1,050 under this one.
    await expect.poll(() => sampleFees.textContent).toContain('HKD 42,000.00')
    await expect.poll(() => sampleFees.textContent).toContain('HKD 44,100.00')
    await fixture.user.clear(usersField)
    await fixture.user.type(usersField, '501')
    await expect.poll(() => sampleFees.textContent).toContain('no price for 501 users')
  })
})
