/** Tests the staff's pages of modules and hidden modules, and the test for missing apps (M136 to M142). */
import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { getButton, findHeading, getNamedField, readProblems, typeConfirmation } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, findText } = createUserActions(fixture)
const staffName = 'delete@m18'

/** Waits for the field, which is rendered after the catalogue was read. */
const clickField = async (name: string) =>
  fixture.user.click(await vi.waitFor(() => getNamedField(name), { timeout: 15_000 }))
const readCodes = () => [...document.querySelectorAll('tbody .module-code')].map(({ textContent }) => textContent)
const findRow = (code: string) =>
  [...document.querySelectorAll<HTMLElement>('tbody tr')].find((row) => row.textContent?.includes(code))
async function chooseAction(code: string, item: string) {
  const menuButton = findRow(code)?.querySelector('[aria-haspopup=menu]')
  if (!menuButton) throw new Error(`there is no menu of ${code}`)
  await fixture.user.click(menuButton)
  await fixture.user.click(await screen.findByRole('menuitem', { name: item }))
}
const fetchModules = async () =>
  (await (await fixture.server.signIn(staffName)).send({ url: '/api/module?results=50' })).json().data as {
    id: number
    code: string
    name: string
    apps: object[]
    dependencies: string[]
  }[]
const fetchModule = async (code: string) => (await fetchModules()).find((row) => row.code === code)

describe('the module list', () => {
  it('filters by kind, searches code and name, and draws the dependencies', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await expect.poll(readCodes).toEqual(['core', 'doc', 'fin', 'hr', 'scm'])
    expect(findRow('Supply chain')?.textContent).toContain('fin')
    await fixture.user.selectOptions(screen.getByLabelText('Kind'), 'hidden')
    await expect.poll(readCodes).toEqual(['base', 'stocktake'])
    await fixture.user.selectOptions(screen.getByLabelText('Kind'), 'all')
    await fixture.user.type(screen.getByRole('textbox', { name: 'Search code or name' }), 'stock')
    await expect.poll(readCodes).toEqual(['stocktake'])
    await press('Dependencies')
    const graph = await screen.findByRole('group', { name: 'Dependencies' })
    // The graph shows direct and indirect dependencies.
    const readBoxCodes = () => [...graph.querySelectorAll('li')].map((box) => box.querySelector('code')?.textContent)
    await expect.poll(() => readBoxCodes().toSorted()).toEqual(['base', 'core', 'fin', 'hr', 'scm', 'stocktake'])
    await expect.poll(() => graph.querySelectorAll('polyline.condition')).toHaveLength(3)
    await within(graph).findByRole('link', { name: /Stock taking.*included with fin, scm/ })
  })

  nightly('shows, on a Mac only, which files packages must not contain (M144)', async () => {
    const platform = vi.spyOn(navigator, 'platform', 'get').mockReturnValue('MacIntel')
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await findText('You are on a Mac.')
    await fixture.browser.open('/app/m18/automodule/new')
    await findText('You are on a Mac.')
    platform.mockReturnValue('Win32')
    await fixture.browser.open('/app/m18/module')
    await expect.poll(readCodes).toHaveLength(5)
    expect(screen.queryByText('You are on a Mac.', { exact: false })).toBeNull()
    platform.mockRestore()
  })

  nightly('searches, sorts and filters offline', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await expect.poll(readCodes).toHaveLength(5)
    fixture.browser.goOffline()
    await fixture.user.selectOptions(screen.getByLabelText('Kind'), 'hidden')
    await expect.poll(readCodes).toEqual(['base', 'stocktake'])
    await press(/^Name/)
    await fixture.user.type(screen.getByRole('textbox', { name: 'Search code or name' }), 'plat')
    await expect.poll(readCodes).toEqual(['base'])
  })
})

describe('a module form', () => {
  it('creates a module by keyboard, with dependencies and app settings, as the first row (M137, M139)', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await fixture.user.click(await screen.findByRole('link', { name: 'New module' }))
    await findHeading('New module')
    await fixture.user.click(getNamedField('code'))
    await fixture.user.keyboard('{Enter}')
    await expect
      .poll(readProblems)
      .toMatchObject({ code: expect.stringContaining('required'), name: expect.anything() })
    expect(document.activeElement).toBe(getNamedField('code'))
    // The focus stays in the field while the user types.
    await fixture.user.keyboard('select')
    expect(document.activeElement).toBe(getNamedField('code'))
    await fixture.user.tab()
    await expect.poll(() => readProblems().code).toBe('"select" is reserved by system')
    await fixture.user.clear(getNamedField('code'))
    await fixture.user.type(getNamedField('code'), 'CORE')
    await fixture.user.tab()
    await expect.poll(() => readProblems().code).toBe('"CORE" is occupied.')
    await fixture.user.clear(getNamedField('code'))
    await fixture.user.type(getNamedField('code'), 'crm{Tab}Customers')
    await clickField('dependencies-scm')
    await findText('Also included: fin, core.')
    await fixture.user.click(getNamedField('add-app'))
    await fixture.user.keyboard('barc')
    await screen.findByRole('option', { name: /^Barcodes/ })
    await fixture.user.keyboard('{Enter}')
    await screen.findByLabelText('Digits of a barcode')
    await fixture.user.type(getNamedField('barcode.digits'), '12')
    await fixture.user.click(getNamedField('barcode.batches'))
    await press('Create')
    await waitForPath(fixture.browser, '/app/m18/module')
    await expect.poll(() => readCodes()[0]).toBe('crm')
    await expect
      .poll(() => fetchModule('crm'))
      .toMatchObject({
        name: 'Customers',
        dependencies: ['scm'],
        apps: [{ code: 'barcode', flag: { digits: 12, batches: true } }],
      })
  })

  nightly('adds a new module only to the list of its client type', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module/new')
    await findHeading('New module')
    await fixture.user.type(getNamedField('code'), 'crm')
    await fixture.user.type(getNamedField('name'), 'Customers')
    await press('Create')
    await expect.poll(() => readCodes()[0]).toBe('crm')
    await fixture.user.selectOptions(await screen.findByRole('combobox', { name: 'Client type' }), 'mma')
    await findText('No modules yet')
    expect(readCodes()).toEqual([])
    await fixture.user.selectOptions(screen.getByRole('combobox', { name: 'Client type' }), 'saas')
    await expect.poll(readCodes).toEqual(['core', 'crm', 'doc', 'fin', 'hr', 'scm'])
  })

  nightly('keeps and reports a setting that is not a whole number, and saves nothing', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/automodule')
    await fixture.user.click(await screen.findByRole('link', { name: 'stocktake' }))
    await findHeading('Edit Stock taking')
    await screen.findByLabelText('Digits of a barcode')
    await fixture.user.type(getNamedField('barcode.digits'), '1.5')
    await fixture.user.click(getButton('Save changes'))
    await findText('Please enter a value of the right type')
    expect(getNamedField('barcode.digits').value).toBe('1.5')
    await expect.poll(() => readProblems()['barcode.digits']).toBe('Please enter a whole number, such as 13.')
    expect(await fetchModule('stocktake')).toMatchObject({ apps: [{ code: 'barcode', flag: {} }] })
  })

  nightly(
    'requires conditions and an app for a hidden module, and shows the contracts that meet them (M138)',
    async () => {
      await fixture.browser.openAs(staffName, '/app/m18/automodule/new')
      await findHeading('New hidden module')
      await fixture.user.type(getNamedField('name'), 'Extras')
      await press('Create')
      await findText('No app is selected')
      await findText('Please input "Conditions" as it\'s required.')
      await clickField('conditions-scm')
      await findText('1 contract in effect meets these conditions now:')
      await findText('Acme Trading Limited')
      await clickField('conditions-hr')
      await findText('No contract in effect meets these conditions now.')
      await fixture.user.click(screen.getByLabelText('any of them'))
      await findText('1 contract in effect meets these conditions now:')
      await fixture.user.click(getNamedField('add-app'))
      await fixture.user.keyboard('frame')
      await screen.findByRole('option', { name: /^Framework/ })
      await fixture.user.keyboard('{Enter}')
      await press('Create')
      await waitForPath(fixture.browser, '/app/m18/automodule')
      await expect.poll(() => findRow('Extras')?.querySelector('.module-code')?.textContent).toMatch(/^auto_\w{10}$/)
    },
  )

  nightly('saves a change offline, and sends it when the connection is back', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await expect.poll(readCodes).toHaveLength(5)
    fixture.browser.goOffline()
    await fixture.user.click(await screen.findByRole('link', { name: 'doc' }))
    await findHeading('Edit Documents')
    await fixture.user.type(getNamedField('name'), ' and files')
    await press('Save changes')
    await waitForPath(fixture.browser, '/app/m18/module')
    await expect
      .poll(() => findRow('doc')?.textContent)
      .toMatch(/Documents and files.*Waiting|Waiting.*Documents and files/)
    expect((await fetchModule('doc'))?.name).toBe('Documents')
    fixture.browser.goOnline()
    await expect.poll(async () => (await fetchModule('doc'))?.name).toBe('Documents and files')
  })

  nightly('keeps the input if another user has changed the module, and shows the differences', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await fixture.user.click(await screen.findByRole('link', { name: 'doc' }))
    await findHeading('Edit Documents')
    await fixture.user.type(getNamedField('name'), ' and files')
    const { id = 0 } = (await fetchModule('doc')) ?? {}
    const otherSession = await fixture.server.signIn('admin@m18')
    const serverChange = { name: 'Papers', dependencies: ['core'] }
    await otherSession.send({ method: 'PUT', url: `/api/module/${id}`, payload: serverChange })
    await press('Save changes')
    await findText('Somebody else has changed this module')
    expect(getNamedField('name').value).toBe('Documents and files')
    await expect.poll(() => getNamedField('dependencies-core').checked).toBe(true)
    await press('Save changes')
    await waitForPath(fixture.browser, '/app/m18/module')
    await expect.poll(() => fetchModule('doc')).toMatchObject({ name: 'Documents and files', dependencies: ['core'] })
  })

  it('deletes a module after its code and another code are typed, unless it is in use', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await expect.poll(readCodes).toHaveLength(5)
    await chooseAction('core', 'Delete module')
    const deleteDialog = await dialog('Delete Core')
    await deleteDialog.findByText('It cannot be deleted: these 3 modules depend on it.')
    await expect.poll(() => deleteDialog.element.querySelectorAll('li')).toHaveLength(3)
    await fixture.user.keyboard('{Escape}')
    await noDialog()
    await chooseAction('doc', 'Delete module')
    await typeConfirmation(fixture.user, 'doc')
    await press('Delete module')
    await findText('It cannot be deleted: it is on the price lists of 2026-01-01, 2027-01-01.')
    await fixture.user.keyboard('{Escape}')
    await noDialog()
    const staffSession = await fixture.server.signIn(staffName)
    await staffSession.send({ method: 'POST', url: '/api/module', payload: { code: 'crm', name: 'Customers' } })
    await press('Refresh')
    await expect.poll(readCodes).toContain('crm')
    await chooseAction('crm', 'Delete module')
    await typeConfirmation(fixture.user, 'crn')
    await press('Delete module')
    await findText('Input Error!')
    await typeConfirmation(fixture.user, 'crm')
    await press('Delete module')
    await expect.poll(readCodes).not.toContain('crm')
    // The row disappears at once, before the server has deleted the module.
    await expect.poll(() => fetchModule('crm')).toBeUndefined()
  })

  nightly('shows "There is no such module" for an unknown id', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module/4711')
    await findText('There is no such module')
    await fixture.browser.open('/app/m18/module/nonsense')
    await findText('There is no such module')
  })
})

describe('the test for missing apps', () => {
  /** The app of this module requires the framework, which is in Core. */
  beforeEach(async () => {
    const payload = { code: 'crm', name: 'Customers', apps: [{ code: 'barcode', flag: {} }] }
    await (await fixture.server.signIn(staffName)).send({ method: 'POST', url: '/api/module', payload })
  })

  it('names the missing apps, from the server or offline from the device (M140, M141)', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await expect.poll(readCodes).toHaveLength(6)
    await press('Test for missing apps')
    await fixture.user.click(screen.getByLabelText('Choose Customers'))
    await press('Test')
    await (await dialog('The following apps are missing!')).findByText('framework')
    await fixture.user.keyboard('{Escape}')
    await noDialog()
    fixture.browser.goOffline()
    await press('Test')
    const resultDialog = await dialog('The following apps are missing!')
    await resultDialog.findByText('framework')
    await resultDialog.findByText(/^Tested on this device, with the data of/)
    await fixture.user.keyboard('{Escape}')
    await noDialog()
    await fixture.user.click(screen.getByLabelText('Choose Finance'))
    await press('Test')
    const fullSetDialog = await dialog('Test of 2 modules')
    await fullSetDialog.findByText('No app is missing.')
    await fullSetDialog.findByText('Tested with the modules that these need: core.')
  })

  nightly('works offline if only the list was opened before', async () => {
    await fixture.browser.openAs(staffName, '/app/m18/module')
    await expect.poll(readCodes).toHaveLength(6)
    await expect
      .poll(() => fixture.browser.sentRequests.some(({ path }) => path.startsWith('/api/app?since')))
      .toBe(true)
    fixture.browser.goOffline()
    await press('Test for missing apps')
    await fixture.user.click(screen.getByLabelText('Choose Customers'))
    await press('Test')
    await (await dialog('The following apps are missing!')).findByText('framework')
  })
})
