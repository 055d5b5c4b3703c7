/** Tests that staff see, while they type, whether customers could order by a price list, and that withdrawn lists stay available. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import {
  getButton,
  readDescription,
  findHeading,
  getNamedField,
  typeValues,
  typeConfirmation,
} from '#tests/support/pages/fields.ts'
import { createUserActions, createPriceList, setUpShopPages } from '#tests/support/pages/shop-pages.ts'
import { buildUsableFields } from '#tests/support/orders/usable-fields.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, findText } = createUserActions(fixture)
const staffName = 'delete@m18'
const path = '/app/m18/price'

const logInAsStaff = async () => await fixture.server.signIn(staffName)
const fetchPriceList = async (id: number) => (await (await logInAsStaff()).send({ url: `/api/prices/${id}` })).json()
const findCheckRegion = () => screen.getByRole('region', { name: 'Ready to confirm?' })
const findCells = (table: string, column: string) => [
  ...screen.getByRole('table', { name: table }).querySelectorAll<HTMLInputElement>(`[data-cell=${column}]`),
]
const findRow = (text: string) =>
  [...document.querySelectorAll<HTMLElement>('tbody tr')].find((row) => row.textContent?.includes(text))
const readDays = () => [...document.querySelectorAll('tbody td.first a')].map(({ textContent }) => textContent)
async function findRowAction(day: string, name: RegExp) {
  const menuButton = await vi.waitFor(() => {
    const match = findRow(day)?.querySelector('[aria-haspopup=menu]')
    if (!match) throw new Error(`there is no menu of ${day}`)
    return match
  })
  await fixture.user.click(menuButton)
  return await screen.findByRole('menuitem', { name })
}
/** Changes the catalogue directly, as another version or another device may have left it. */
const runAsSystem = (change: Parameters<typeof runInTransaction>[2]) =>
  runInTransaction(fixture.server.app, { role: 'portal_system' }, change)
const waitForEditor = async (title: string) => {
  await findHeading(title)
  await screen.findByRole('table', { name: 'Modules' })
}

describe('the price list editor', () => {
  it('shows warnings at the row and at the top while a list is typed, and still saves it (fault 10e)', async () => {
    await fixture.browser.openAs(staffName, `${path}/new`)
    await waitForEditor('New price list')
    // Nothing is a fault before the first change.
    await findText('Add modules and user ranges, then confirm.')
    const [toCell] = findCells('Concurrent users', 'to')
    toCell?.focus()
    await fixture.user.keyboard('999999{Tab}3{Tab}2{Tab}1')
    await expect.poll(() => findCheckRegion().textContent).toContain('This list has no module')
    await expect.poll(() => findCheckRegion().textContent).toContain('Named users: there is no range')
    const [namedToCell] = findCells('Named users', 'to')
    namedToCell?.focus()
    await fixture.user.keyboard('999999{Tab}3{Tab}2{Tab}1')
    await press('Add a module')
    await fixture.user.keyboard('fin{Tab}5{Tab}4{Tab}3')
    await findText('Finance needs Core, which is not on this list')
    await expect
      .poll(() => findCheckRegion().textContent)
      .toContain('Finance (fin) needs Core (core), which is not on this list.')
    await expect.poll(() => findCheckRegion().textContent).toContain('1 problem to solve before confirming')
    await expect
      .poll(() => findCheckRegion().textContent)
      .toContain('4 modules of the catalogue have no price: Core (core), ')
    await expect.poll(() => findCheckRegion().textContent).not.toContain('no range')
    // Repeats the check offline, with the cached modules.
    fixture.browser.goOffline()
    await fixture.user.keyboard('{Enter}scm{Tab}5{Tab}4{Tab}0')
    await expect
      .poll(() => findCheckRegion().textContent)
      .toContain('Supply chain (scm) needs Core (core), which is not on this list.')
    await expect.poll(() => findCheckRegion().textContent).toContain('Supply chain (scm) has a price, but none in RMB.')
    fixture.browser.goOnline()
    await fixture.user.keyboard('{Backspace}9')
    const code = findCells('Modules', 'code')[1] as HTMLInputElement
    await fixture.user.clear(code)
    await fixture.user.type(code, 'core')
    await expect.poll(() => screen.queryByText('Finance needs Core', { exact: false })).toBeNull()
    await expect.poll(() => findCheckRegion().textContent).toContain('3 modules of the catalogue have no price')
    await fixture.user.clear(code)
    await fixture.user.type(code, 'scm')
    await expect.poll(() => findCheckRegion().textContent).toContain('2 problems to solve before confirming')
    await typeValues(fixture.user, { effective_date: '2031-01-01', desc: 'Not yet usable' })
    await press(/^Save$/)
    await waitForEditor('Price list of 2031-01-01')
    await expect
      .poll(() => readDescription(getButton('Confirm…')))
      .toContain('First solve the problems shown at the top')
  })

  it('focuses the next row after a row is removed, or else the button that adds a row (fault 37b)', async () => {
    await fixture.browser.openAs(staffName, `${path}/new`)
    await waitForEditor('New price list')
    const [toCell] = findCells('Concurrent users', 'to')
    toCell?.focus()
    await fixture.user.keyboard('10{Enter}50{Enter}999999')
    const readFocus = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent
    const pressRemove = async (name: string | RegExp) => {
      getButton(name).focus()
      await fixture.user.keyboard('{Enter}')
    }
    await pressRemove('Remove users 11 to 50')
    await expect.poll(readFocus).toBe('Remove users 11 to 999999')
    await fixture.user.keyboard('{Enter}')
    await expect.poll(readFocus).toBe('Remove users 1 to 10')
    await fixture.user.keyboard('{Enter}')
    await expect.poll(readFocus).toContain('Add a range')
    // The dependent modules are loaded first, in a dialog that closes by itself if the list is empty.
    await press('Add a module')
    await fixture.user.keyboard('hr{Tab}5{Tab}4{Tab}3{Enter}core{Tab}5{Tab}4{Tab}3')
    await pressRemove(/^Remove (HR|Human|hr|People)/)
    await noDialog()
    await expect.poll(readFocus).toMatch(/^Remove core/i)
  })

  it('labels the bound of the UAT fee as minimum or maximum, as the server uses it (fault 31g)', async () => {
    await fixture.browser.openAs(staffName, `${path}/new`)
    await waitForEditor('New price list')
    await screen.findByRole('group', { name: 'Minimum annual UAT fee' })
    await findText('The annual UAT fee is at least this')
    fixture.server.app.config.uatBound = 'ceiling'
    await fixture.browser.open(`${path}/new`)
    await waitForEditor('New price list')
    await screen.findByRole('group', { name: 'Maximum annual UAT fee' })
    await findText('The annual UAT fee is at most this')
    expect(screen.queryByText(/limit of the UAT/)).toBeNull()
    fixture.server.app.config.uatBound = 'floor'
  })

  it('shows in the dialog why the server refuses the confirmation (fault 10f)', async () => {
    const session = await logInAsStaff()
    const payload = { type: 'saas', effective_date: '2031-01-01', desc: 'Draft', ...(await buildUsableFields(session)) }
    const { id } = (await session.send({ method: 'POST', url: '/api/pricelist', payload })).json()
    await fixture.browser.openAs(staffName, `${path}/${id}`)
    await waitForEditor('Price list of 2031-01-01')
    await press('Start trial run')
    await expect.poll(() => runOneJob(fixture.server.app, requestJobKinds)).toBe(true)
    while (await runOneJob(fixture.server.app, requestJobKinds));
    await expect.poll(() => readDescription(getButton('Confirm…')), { timeout: 20_000 }).toBe('')
    // Changes the dependencies on the server, so the device does not know about the change.
    await runAsSystem(async (db) => {
      const dependencies = JSON.stringify(['doc'])
      await db.updateTable('module').set({ dependencies }).where('code', '=', 'core').execute()
    })
    await press('Confirm…')
    const confirmDialog = await dialog('Confirm the price list of 2031-01-01')
    await confirmDialog.press('Confirm price list')
    await confirmDialog.findByText(/The list was not confirmed/)
    await confirmDialog.findByText(/Core \(core\) needs Documents \(doc\), which is not on this list/)
    expect(await fetchPriceList(id)).toMatchObject({ confirmed: false })
  })
})

describe('the order wizard', () => {
  it('explains why a module that the current list cannot sell cannot be selected (fault 10g)', async () => {
    await createPriceList(fixture.server, () => ({}))
    await runAsSystem(async (db) => {
      for (const { id, content } of await db.selectFrom('price_list').selectAll().execute()) {
        const module = content.module.filter(({ code }) => code !== 'core')
        const changedContent = JSON.stringify({ ...content, module })
        await db.updateTable('price_list').set({ content: changedContent }).where('id', '=', id).execute()
      }
    })
    await fixture.browser.openAs('admin@acme', '/app/contract/new')
    await expect.poll(() => document.querySelector('[name=code]')).not.toBeNull()
    await typeValues(fixture.user, { code: 'barred', name: 'Barred' })
    await fixture.user.keyboard('{Enter}')
    await expect.poll(() => document.querySelector('[name=module-fin]')).not.toBeNull()
    const financeField = getNamedField('module-fin')
    expect(readDescription(financeField)).toContain(
      'It cannot be ordered at present: it needs Core, which is not on the current',
    )
    financeField.focus()
    await fixture.user.keyboard(' ')
    expect([financeField.checked, document.querySelector('[role=dialog]')]).toEqual([false, null])
    getNamedField('module-doc').focus()
    await fixture.user.keyboard(' ')
    await expect.poll(() => getNamedField('module-doc').checked).toBe(true)
  })
})

describe('the module form', () => {
  it('shows at a new dependency which confirmed price lists lack that module (fault 10d)', async () => {
    const session = await logInAsStaff()
    const newModule = { code: 'ledger', name: 'Ledger', type: 'saas', hidden: false }
    expect((await session.send({ method: 'POST', url: '/api/module', payload: newModule })).statusCode).toBe(200)
    const modules = (await session.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
    await fixture.browser.openAs(staffName, `/app/m18/module/${modules.find(({ code }) => code === 'doc')?.id}`)
    const dependencyField = await vi.waitFor(() => getNamedField('dependencies-ledger'), { timeout: 15_000 })
    dependencyField.focus()
    await fixture.user.keyboard(' ')
    await press(/^Save/)
    await findText(
      'Documents (doc) could no longer be ordered, because Ledger (ledger) is not on these confirmed price lists',
    )
    await findText('2026-01-01 (Price list 2026)')
  })
})

describe('a withdrawn price list', () => {
  it('has its own tab, opens read-only, also offline, and can be reinstated (fault 11g)', async () => {
    await fixture.browser.openAs(staffName, path)
    await expect.poll(readDays).toEqual(['2027-01-01', '2026-01-01'])
    // The current list has open orders of Acme, from the demo data.
    await expect.poll(() => findRow('2026-01-01')?.textContent).toMatch(/open order/)
    await fixture.user.click(await findRowAction('2027-01-01', /^Withdraw/))
    await typeConfirmation(fixture.user, '2027-01-01')
    await (await dialog('Withdraw the price list of 2027-01-01')).press('Withdraw price list')
    await noDialog()
    await expect.poll(readDays).toEqual(['2026-01-01'])
    await fixture.user.click(await screen.findByRole('link', { name: 'Withdrawn (1)' }))
    await expect.poll(readDays).toEqual(['2027-01-01'])
    expect(location.search).toContain('tab=withdrawn')
    fixture.browser.goOffline()
    await fixture.user.click(await screen.findByRole('link', { name: '2027-01-01' }))
    await waitForEditor('Price list of 2027-01-01')
    const page = within(screen.getByRole('main'))
    expect(page.getByText('Withdrawn')).toBeDefined()
    await findText('Withdrawn 20')
    expect([getNamedField('desc').readOnly, getNamedField('uat_charge').readOnly]).toEqual([true, true])
    expect(page.queryByRole('button', { name: /^Save$/ })).toBeNull()
    await expect.poll(() => readDescription(getButton('Reinstate'))).toContain('This needs a connection.')
    fixture.browser.goOnline()
    await expect.poll(() => readDescription(getButton('Reinstate'))).toBe('')
    await press('Reinstate')
    const reinstateDialog = await dialog('Reinstate the price list of 2027-01-01')
    reinstateDialog.getByText(/From 2027-01-01 on/)
    await reinstateDialog.press('Reinstate')
    await noDialog()
    await findText('This price list is confirmed, so its prices cannot be changed.')
    await fixture.browser.open(path)
    await fixture.user.click(await screen.findByRole('link', { name: 'Current' }))
    await expect.poll(readDays).toEqual(['2027-01-01', '2026-01-01'])
    await screen.findByRole('link', { name: 'Withdrawn (0)' })
  })

  it('cannot be reinstated after a later list replaced it, and the reason is shown (fault 11h)', async () => {
    await createPriceList(fixture.server, () => ({}))
    const session = await logInAsStaff()
    const lists = (await session.send({ url: '/api/pricelist?results=50' })).json().data as {
      id: number
      effective_date: string
    }[]
    const firstId = lists.find((row) => row.effective_date === '2026-01-01')?.id ?? 0
    expect((await session.send({ method: 'DELETE', url: `/api/pricelist/${firstId}` })).statusCode).toBe(204)
    await fixture.browser.openAs(staffName, `${path}?tab=withdrawn`)
    await expect.poll(readDays).toEqual(['2026-01-01'])
    await expect
      .poll(async () => {
        const item = await findRowAction('2026-01-01', /^Reinstate/)
        const text = item.textContent
        await fixture.user.keyboard('{Escape}')
        return text
      })
      .toContain('A later list is in force')
  })
})
