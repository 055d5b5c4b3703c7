/** The staff see while they type whether customers could order by a price list, and keep the lists that they withdraw. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { kinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { button, described, heading, named, type, typeConfirmation } from '#tests/support/pages/fields.ts'
import { handsOn, newPrices, setUpShopPages } from '#tests/support/pages/shop-pages.ts'
import { usableFields } from '#tests/support/orders/usable-fields.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, says } = handsOn(the)
const staff = 'delete@m18'
const path = '/app/m18/price'

const asStaff = async () => await the.server.signIn(staff)
const read = async (id: number) => (await (await asStaff()).send({ url: `/api/prices/${id}` })).json()
const check = () => screen.getByRole('region', { name: 'Ready to confirm?' })
const cells = (table: string, column: string) => [
  ...screen.getByRole('table', { name: table }).querySelectorAll<HTMLInputElement>(`[data-cell=${column}]`),
]
const rowOf = (text: string) =>
  [...document.querySelectorAll<HTMLElement>('tbody tr')].find((row) => row.textContent?.includes(text))
const days = () => [...document.querySelectorAll('tbody td.first a')].map(({ textContent }) => textContent)
async function choose(day: string, name: RegExp) {
  const menu = await vi.waitFor(() => {
    const found = rowOf(day)?.querySelector('[aria-haspopup=menu]')
    if (!found) throw new Error(`there is no menu of ${day}`)
    return found
  })
  await the.user.click(menu)
  return await screen.findByRole('menuitem', { name })
}
/** As another version, or somebody else's device, left the catalogue. */
const asSystem = (change: Parameters<typeof inTransaction>[2]) =>
  inTransaction(the.server.app, { role: 'portal_system' }, change)
const opened = async (title: string) => {
  await heading(title)
  await screen.findByRole('table', { name: 'Modules' })
}

describe('the editor', () => {
  it('fault 10e warns while a list is typed, beside the row and at the top, and the list can be saved all the same', async () => {
    await the.browser.openAs(staff, `${path}/new`)
    await opened('New price list')
    await expect.poll(() => check().textContent).toContain('This list has no module')
    await expect.poll(() => check().textContent).toContain('Named users: there is no range')
    const [to] = cells('Concurrent users', 'to')
    to?.focus()
    await the.user.keyboard('999999{Tab}3{Tab}2{Tab}1')
    const [namedTo] = cells('Named users', 'to')
    namedTo?.focus()
    await the.user.keyboard('999999{Tab}3{Tab}2{Tab}1')
    await press('Add a module')
    await the.user.keyboard('fin{Tab}5{Tab}4{Tab}3')
    await says('Finance needs Core, which is not on this list')
    await expect
      .poll(() => check().textContent)
      .toContain('Finance (fin) needs Core (core), which is not on this list.')
    await expect.poll(() => check().textContent).toContain('1 problem to solve before confirming')
    await expect.poll(() => check().textContent).toContain('4 modules of the catalogue have no price: Core (core), ')
    await expect.poll(() => check().textContent).not.toContain('no range')
    // The same without a connection, by the modules that are kept here.
    the.browser.goOffline()
    await the.user.keyboard('{Enter}scm{Tab}5{Tab}4{Tab}0')
    await expect
      .poll(() => check().textContent)
      .toContain('Supply chain (scm) needs Core (core), which is not on this list.')
    await expect.poll(() => check().textContent).toContain('Supply chain (scm) has a price, but none in RMB.')
    the.browser.goOnline()
    await the.user.keyboard('{Backspace}9')
    const code = cells('Modules', 'code')[1] as HTMLInputElement
    await the.user.clear(code)
    await the.user.type(code, 'core')
    await expect.poll(() => screen.queryByText('Finance needs Core', { exact: false })).toBeNull()
    await expect.poll(() => check().textContent).toContain('3 modules of the catalogue have no price')
    await the.user.clear(code)
    await the.user.type(code, 'scm')
    await expect.poll(() => check().textContent).toContain('2 problems to solve before confirming')
    await type(the.user, { effective_date: '2031-01-01', desc: 'Not yet usable' })
    await press(/^Save$/)
    await opened('Price list of 2031-01-01')
    await expect
      .poll(() => described(button('Confirm price list')))
      .toContain('First solve the problems named at the top')
  })

  it('fault 37b the focus goes to the row beside one that is removed, or to the button that adds one', async () => {
    await the.browser.openAs(staff, `${path}/new`)
    await opened('New price list')
    const [to] = cells('Concurrent users', 'to')
    to?.focus()
    await the.user.keyboard('10{Enter}50{Enter}999999')
    const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent
    const remove = async (name: string | RegExp) => {
      button(name).focus()
      await the.user.keyboard('{Enter}')
    }
    await remove('Remove users 11 to 50')
    await expect.poll(focused).toBe('Remove users 11 to 999999')
    await the.user.keyboard('{Enter}')
    await expect.poll(focused).toBe('Remove users 1 to 10')
    await the.user.keyboard('{Enter}')
    await expect.poll(focused).toContain('Add a range')
    // What depends on a module is asked for first, in a dialog that closes by itself where nothing does.
    await press('Add a module')
    await the.user.keyboard('hr{Tab}5{Tab}4{Tab}3{Enter}core{Tab}5{Tab}4{Tab}3')
    await remove(/^Remove (HR|Human|hr|People)/)
    await noDialog()
    await expect.poll(focused).toMatch(/^Remove core/i)
  })

  it('fault 31g the bound of the UAT fee is called what it is: a minimum, or a maximum where the server reads it so', async () => {
    await the.browser.openAs(staff, `${path}/new`)
    await opened('New price list')
    await screen.findByRole('group', { name: 'UAT system, minimum fee a year' })
    await says('The UAT fee a year is at least this')
    the.server.app.config.uatBound = 'ceiling'
    await the.browser.open(`${path}/new`)
    await opened('New price list')
    await screen.findByRole('group', { name: 'UAT system, maximum fee a year' })
    await says('The UAT fee a year is at most this')
    expect(screen.queryByText(/limit of the UAT/)).toBeNull()
    the.server.app.config.uatBound = 'floor'
  })

  it('fault 10f what the server refuses to confirm is named in the dialog', async () => {
    const by = await asStaff()
    const payload = { type: 'saas', effective_date: '2031-01-01', desc: 'Draft', ...(await usableFields(by)) }
    const { id } = (await by.send({ method: 'POST', url: '/api/pricelist', payload })).json()
    await the.browser.openAs(staff, `${path}/${id}`)
    await opened('Price list of 2031-01-01')
    await press('Rehearse')
    await expect.poll(() => workOne(the.server.app, kinds)).toBe(true)
    while (await workOne(the.server.app, kinds));
    await expect.poll(() => described(button('Confirm price list')), { timeout: 20_000 }).toBe('')
    // The device has not heard of it.
    await asSystem(async (db) => {
      const dependencies = JSON.stringify(['doc'])
      await db.updateTable('module').set({ dependencies }).where('code', '=', 'core').execute()
    })
    await press('Confirm price list')
    const asked = await dialog('Confirm the price list of 2031-01-01')
    await asked.press('Confirm price list')
    await asked.findByText(/The list was not confirmed/)
    await asked.findByText(/Core \(core\) needs Documents \(doc\), which is not on this list/)
    expect(await read(id)).toMatchObject({ confirmed: false })
  })
})

describe('the wizard', () => {
  it('fault 10g says of a module that a list in force cannot sell why it cannot be chosen', async () => {
    await newPrices(the.server, () => ({}))
    await asSystem(async (db) => {
      for (const { id, content } of await db.selectFrom('price_list').selectAll().execute()) {
        const module = content.module.filter(({ code }) => code !== 'core')
        const changed = JSON.stringify({ ...content, module })
        await db.updateTable('price_list').set({ content: changed }).where('id', '=', id).execute()
      }
    })
    await the.browser.openAs('admin@acme', '/app/contract/new')
    await expect.poll(() => document.querySelector('[name=code]')).not.toBeNull()
    await type(the.user, { code: 'barred', name: 'Barred' })
    await the.user.keyboard('{Enter}')
    await expect.poll(() => document.querySelector('[name=module-fin]')).not.toBeNull()
    const finance = named('module-fin')
    expect(described(finance)).toContain('It cannot be ordered at present: it needs Core, which is not on the current')
    finance.focus()
    await the.user.keyboard(' ')
    expect([finance.checked, document.querySelector('[role=dialog]')]).toEqual([false, null])
    named('module-doc').focus()
    await the.user.keyboard(' ')
    await expect.poll(() => named('module-doc').checked).toBe(true)
  })
})

describe('a module', () => {
  it('fault 10d says at its dependencies which confirmed lists lack the new one', async () => {
    const by = await asStaff()
    const made = { code: 'ledger', name: 'Ledger', type: 'saas', hidden: false }
    expect((await by.send({ method: 'POST', url: '/api/module', payload: made })).statusCode).toBe(200)
    const modules = (await by.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
    await the.browser.openAs(staff, `/app/m18/module/${modules.find(({ code }) => code === 'doc')?.id}`)
    const box = await vi.waitFor(() => named('dependencies-ledger'), { timeout: 15_000 })
    box.focus()
    await the.user.keyboard(' ')
    await press(/^Save/)
    await says(
      'Documents (doc) could no longer be ordered, because Ledger (ledger) is not on these confirmed price lists',
    )
    await says('2026-01-01 (Price list 2026)')
  })
})

describe('a withdrawn list', () => {
  it('fault 11g stands under a tab of its own, opens read-only, without a connection too, and is reinstated', async () => {
    await the.browser.openAs(staff, path)
    await expect.poll(days).toEqual(['2027-01-01', '2026-01-01'])
    // Acme's orders of the demo world.
    await expect.poll(() => rowOf('2026-01-01')?.textContent).toMatch(/open order/)
    await the.user.click(await choose('2027-01-01', /^Withdraw/))
    await typeConfirmation(the.user, '2027-01-01')
    await (await dialog('Withdraw the price list of 2027-01-01')).press('Withdraw price list')
    await noDialog()
    await expect.poll(days).toEqual(['2026-01-01'])
    await the.user.click(await screen.findByRole('link', { name: 'Withdrawn (1)' }))
    await expect.poll(days).toEqual(['2027-01-01'])
    expect(location.search).toContain('tab=withdrawn')
    the.browser.goOffline()
    await the.user.click(await screen.findByRole('link', { name: '2027-01-01' }))
    await opened('Price list of 2027-01-01')
    const page = within(screen.getByRole('main'))
    expect(page.getByText('Withdrawn')).toBeDefined()
    await says('Withdrawn 20')
    expect([named('desc').readOnly, named('uat_charge').readOnly]).toEqual([true, true])
    expect(page.queryByRole('button', { name: /^Save$/ })).toBeNull()
    await expect.poll(() => described(button('Reinstate'))).toContain('This needs a connection.')
    the.browser.goOnline()
    await expect.poll(() => described(button('Reinstate'))).toBe('')
    await press('Reinstate')
    const asked = await dialog('Reinstate the price list of 2027-01-01')
    asked.getByText(/From 2027-01-01 on/)
    await asked.press('Reinstate')
    await noDialog()
    await says('It is confirmed, so its prices stay as they are.')
    await the.browser.open(path)
    await the.user.click(await screen.findByRole('link', { name: 'Current' }))
    await expect.poll(days).toEqual(['2027-01-01', '2026-01-01'])
    await screen.findByRole('link', { name: 'Withdrawn (0)' })
  })

  it('fault 11h that a later one has replaced says why it cannot be reinstated', async () => {
    await newPrices(the.server, () => ({}))
    const by = await asStaff()
    const lists = (await by.send({ url: '/api/pricelist?results=50' })).json().data as {
      id: number
      effective_date: string
    }[]
    const first = lists.find((row) => row.effective_date === '2026-01-01')?.id ?? 0
    expect((await by.send({ method: 'DELETE', url: `/api/pricelist/${first}` })).statusCode).toBe(204)
    await the.browser.openAs(staff, `${path}?tab=withdrawn`)
    await expect.poll(days).toEqual(['2026-01-01'])
    await expect
      .poll(async () => {
        const item = await choose('2026-01-01', /^Reinstate/)
        const text = item.textContent
        await the.user.keyboard('{Escape}')
        return text
      })
      .toContain('A later list is in force')
  })
})
