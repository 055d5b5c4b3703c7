/** The staff's catalogue as it is shown and used: modules, hidden modules, the test of a set (M136 to M142). */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { button, heading, named, problems, typeConfirmation } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived } from '#tests/support/pages/screen.ts'
import { handsOn, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, says } = handsOn(the)
const staff = 'delete@m18'

/** Of a part that comes when the catalogue was read. */
const tick = async (name: string) => the.user.click(await vi.waitFor(() => named(name), { timeout: 15_000 }))
const codes = () => [...document.querySelectorAll('tbody .module-code')].map(({ textContent }) => textContent)
const rowOf = (code: string) =>
  [...document.querySelectorAll<HTMLElement>('tbody tr')].find((row) => row.textContent?.includes(code))
async function act(code: string, item: string) {
  const menu = rowOf(code)?.querySelector('[aria-haspopup=menu]')
  if (!menu) throw new Error(`there is no menu of ${code}`)
  await the.user.click(menu)
  await the.user.click(await screen.findByRole('menuitem', { name: item }))
}
const allRows = async () =>
  (await (await the.server.signIn(staff)).send({ url: '/api/module?results=50' })).json().data as {
    id: number
    code: string
    name: string
    apps: object[]
    dependencies: string[]
  }[]
const module = async (code: string) => (await allRows()).find((row) => row.code === code)

describe('the list', () => {
  it('shows what can be ordered, or what joins by itself, finds by code and name, and draws what depends on what', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await expect.poll(codes).toEqual(['core', 'doc', 'fin', 'hr', 'scm'])
    expect(rowOf('Supply chain')?.textContent).toContain('fin')
    await the.user.selectOptions(screen.getByLabelText('Kind'), 'hidden')
    await expect.poll(codes).toEqual(['base', 'stocktake'])
    await the.user.selectOptions(screen.getByLabelText('Kind'), 'all')
    await the.user.type(screen.getByRole('textbox', { name: 'Search code or name' }), 'stock')
    await expect.poll(codes).toEqual(['stocktake'])
    await press('Dependencies')
    const drawing = await screen.findByRole('group', { name: 'Dependencies' })
    // With all that it is tied to, at first hand and at second.
    const boxes = () => [...drawing.querySelectorAll('li')].map((box) => box.querySelector('code')?.textContent)
    await expect.poll(() => boxes().toSorted()).toEqual(['base', 'core', 'fin', 'hr', 'scm', 'stocktake'])
    await expect.poll(() => drawing.querySelectorAll('polyline.condition')).toHaveLength(3)
    await within(drawing).findByRole('link', { name: /Stock taking.*included with fin, scm/ })
  })

  nightly('says on a Mac alone what its packages must not hold (M144)', async () => {
    const platform = vi.spyOn(navigator, 'platform', 'get').mockReturnValue('MacIntel')
    await the.browser.openAs(staff, '/app/m18/module')
    await says('You are on a Mac.')
    await the.browser.open('/app/m18/automodule/new')
    await says('You are on a Mac.')
    platform.mockReturnValue('Win32')
    await the.browser.open('/app/m18/module')
    await expect.poll(codes).toHaveLength(5)
    expect(screen.queryByText('You are on a Mac.', { exact: false })).toBeNull()
    platform.mockRestore()
  })

  nightly('stands without a line, with search, order and kind', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await expect.poll(codes).toHaveLength(5)
    the.browser.goOffline()
    await the.user.selectOptions(screen.getByLabelText('Kind'), 'hidden')
    await expect.poll(codes).toEqual(['base', 'stocktake'])
    await press(/^Name/)
    await the.user.type(screen.getByRole('textbox', { name: 'Search code or name' }), 'plat')
    await expect.poll(codes).toEqual(['base'])
  })
})

describe('a module', () => {
  it('is made by keys alone, with its needs and an app that is told something, and is the first row then (M137, M139)', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await the.user.click(await screen.findByRole('link', { name: 'New module' }))
    await heading('New module')
    await the.user.click(named('code'))
    await the.user.keyboard('{Enter}')
    await expect.poll(problems).toMatchObject({ code: expect.stringContaining('required'), name: expect.anything() })
    expect(document.activeElement).toBe(named('code'))
    // The focus stays where one types, letter by letter.
    await the.user.keyboard('select')
    expect(document.activeElement).toBe(named('code'))
    await the.user.tab()
    await expect.poll(() => problems().code).toBe('"select" is reserved by system')
    await the.user.clear(named('code'))
    await the.user.type(named('code'), 'CORE')
    await the.user.tab()
    await expect.poll(() => problems().code).toBe('"CORE" is occupied.')
    await the.user.clear(named('code'))
    await the.user.type(named('code'), 'crm{Tab}Customers')
    await tick('dependencies-scm')
    await says('Also included: fin, core.')
    await the.user.click(named('add-app'))
    await the.user.keyboard('barc')
    await screen.findByRole('option', { name: /^Barcodes/ })
    await the.user.keyboard('{Enter}')
    await screen.findByLabelText('Digits of a barcode')
    await the.user.type(named('barcode.digits'), '12')
    await the.user.click(named('barcode.batches'))
    await press('Create')
    await arrived(the.browser, '/app/m18/module')
    await expect.poll(() => codes()[0]).toBe('crm')
    await expect
      .poll(() => module('crm'))
      .toMatchObject({
        name: 'Customers',
        dependencies: ['scm'],
        apps: [{ code: 'barcode', flag: { digits: 12, batches: true } }],
      })
  })

  nightly('is new in the list of its own client type alone', async () => {
    await the.browser.openAs(staff, '/app/m18/module/new')
    await heading('New module')
    await the.user.type(named('code'), 'crm')
    await the.user.type(named('name'), 'Customers')
    await press('Create')
    await expect.poll(() => codes()[0]).toBe('crm')
    await the.user.selectOptions(await screen.findByRole('combobox', { name: 'Client type' }), 'mma')
    await says('No modules yet')
    expect(codes()).toEqual([])
    await the.user.selectOptions(screen.getByRole('combobox', { name: 'Client type' }), 'saas')
    await expect.poll(codes).toEqual(['core', 'crm', 'doc', 'fin', 'hr', 'scm'])
  })

  nightly('keeps what is no whole number as it was typed, says so, and saves nothing', async () => {
    await the.browser.openAs(staff, '/app/m18/automodule')
    await the.user.click(await screen.findByRole('link', { name: 'stocktake' }))
    await heading('Edit Stock taking')
    await screen.findByLabelText('Digits of a barcode')
    await the.user.type(named('barcode.digits'), '1.5')
    await the.user.click(button('Save changes'))
    await says('Please give this setting a whole number or yes and no, by its type')
    expect(named('barcode.digits').value).toBe('1.5')
    await expect.poll(() => problems()['barcode.digits']).toBe('Please enter a whole number, such as 13.')
    expect(await module('stocktake')).toMatchObject({ apps: [{ code: 'barcode', flag: {} }] })
  })

  nightly('that is hidden needs conditions and an app, and says which contracts it will join (M138)', async () => {
    await the.browser.openAs(staff, '/app/m18/automodule/new')
    await heading('New hidden module')
    await the.user.type(named('name'), 'Extras')
    await press('Create')
    await says('No app is selected')
    await says('Please input "Conditions" as it\'s required.')
    await tick('conditions-scm')
    await says('1 contract in effect meets these conditions now:')
    await says('Acme Trading Limited')
    await tick('conditions-hr')
    await says('No contract in effect meets these conditions now.')
    await the.user.click(screen.getByLabelText('any of them'))
    await says('1 contract in effect meets these conditions now:')
    await the.user.click(named('add-app'))
    await the.user.keyboard('frame')
    await screen.findByRole('option', { name: /^Framework/ })
    await the.user.keyboard('{Enter}')
    await press('Create')
    await arrived(the.browser, '/app/m18/automodule')
    await expect.poll(() => rowOf('Extras')?.querySelector('.module-code')?.textContent).toMatch(/^auto_\w{10}$/)
  })

  nightly('is changed without a line, waits, and is changed on the server when the line is back', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await expect.poll(codes).toHaveLength(5)
    the.browser.goOffline()
    await the.user.click(await screen.findByRole('link', { name: 'doc' }))
    await heading('Edit Documents')
    await the.user.type(named('name'), ' and files')
    await press('Save changes')
    await arrived(the.browser, '/app/m18/module')
    await expect
      .poll(() => rowOf('doc')?.textContent)
      .toMatch(/Documents and files.*Waiting|Waiting.*Documents and files/)
    expect((await module('doc'))?.name).toBe('Documents')
    the.browser.goOnline()
    await expect.poll(async () => (await module('doc'))?.name).toBe('Documents and files')
  })

  nightly('that somebody else changed meanwhile keeps what was typed, and says what is new', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await the.user.click(await screen.findByRole('link', { name: 'doc' }))
    await heading('Edit Documents')
    await the.user.type(named('name'), ' and files')
    const { id = 0 } = (await module('doc')) ?? {}
    const other = await the.server.signIn('admin@m18')
    const theirs = { name: 'Papers', dependencies: ['core'] }
    await other.send({ method: 'PUT', url: `/api/module/${id}`, payload: theirs })
    await press('Save changes')
    await says('Somebody else has changed this module')
    expect(named('name').value).toBe('Documents and files')
    await expect.poll(() => named('dependencies-core').checked).toBe(true)
    await press('Save changes')
    await arrived(the.browser, '/app/m18/module')
    await expect.poll(() => module('doc')).toMatchObject({ name: 'Documents and files', dependencies: ['core'] })
  })

  it('is deleted by its code and another one that are typed; what depends on it or sells it is in the way', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await expect.poll(codes).toHaveLength(5)
    await act('core', 'Delete module')
    const needed = await dialog('Delete Core')
    await needed.findByText('It cannot be deleted: these 3 modules depend on it.')
    await expect.poll(() => needed.element.querySelectorAll('li')).toHaveLength(3)
    await the.user.keyboard('{Escape}')
    await noDialog()
    await act('doc', 'Delete module')
    await typeConfirmation(the.user, 'doc')
    await press('Delete module')
    await says('It cannot be deleted: it is on the price lists of 2026-01-01, 2027-01-01.')
    await the.user.keyboard('{Escape}')
    await noDialog()
    const by = await the.server.signIn(staff)
    await by.send({ method: 'POST', url: '/api/module', payload: { code: 'crm', name: 'Customers' } })
    await press('Refresh')
    await expect.poll(codes).toContain('crm')
    await act('crm', 'Delete module')
    await typeConfirmation(the.user, 'crn')
    await press('Delete module')
    await says('Input Error!')
    await typeConfirmation(the.user, 'crm')
    await press('Delete module')
    await expect.poll(codes).not.toContain('crm')
    // The row goes as soon as it is said, the server follows.
    await expect.poll(() => module('crm')).toBeUndefined()
  })

  nightly('that there is not says so', async () => {
    await the.browser.openAs(staff, '/app/m18/module/4711')
    await says('There is no such module')
    await the.browser.open('/app/m18/module/nonsense')
    await says('There is no such module')
  })
})

describe('the test of a set', () => {
  it('names the apps that are missing, by the server and without a line by the device (M140, M141)', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await expect.poll(codes).toHaveLength(5)
    await press('Test for missing apps')
    await the.user.click(screen.getByLabelText('Choose Finance'))
    await the.user.click(screen.getByLabelText('Choose Supply chain'))
    await press('Test')
    await (await dialog('The following apps are missing!')).findByText('framework')
    await the.user.keyboard('{Escape}')
    await noDialog()
    the.browser.goOffline()
    await press('Test')
    const here = await dialog('The following apps are missing!')
    await here.findByText('framework')
    await here.findByText(/^Tested on this device, with the data of/)
    await the.user.keyboard('{Escape}')
    await noDialog()
    await the.user.click(screen.getByLabelText('Choose Core'))
    await press('Test')
    await (await dialog('Test of 3 modules')).findByText('No app is missing.')
  })

  nightly('needs no line for a device on which only the list was opened before', async () => {
    await the.browser.openAs(staff, '/app/m18/module')
    await expect.poll(codes).toHaveLength(5)
    await expect.poll(() => the.browser.sent.some(({ path }) => path.startsWith('/api/app?since'))).toBe(true)
    the.browser.goOffline()
    await press('Test for missing apps')
    await the.user.click(screen.getByLabelText('Choose Finance'))
    await the.user.click(screen.getByLabelText('Choose Supply chain'))
    await press('Test')
    await (await dialog('The following apps are missing!')).findByText('framework')
  })
})
