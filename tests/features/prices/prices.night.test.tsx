/** The staff's price lists as they are shown and used: list, editor, rehearsal, import (M145 to M153). */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { kinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { button, described, heading, named, problems, type, typeConfirmation } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived } from '#tests/support/pages/screen.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, says } = handsOn(the)
const staff = 'delete@m18'
const path = '/app/m18/price'

interface Row {
  id: number
  effective_date: string
  desc: string
  confirmed: boolean
}
type Range = { from: number; to: number; hkd: string }
type Whole = Row & {
  module: { code: string; hkd: string }[]
  concurrentUser: Range[]
  namedUser: Range[]
  uat_charge: string
}

const asStaff = async () => await the.server.signIn(staff)
const kept = async () => (await (await asStaff()).send({ url: '/api/pricelist?results=50' })).json().data as Row[]
const whole = async (id: number) => (await (await asStaff()).send({ url: `/api/prices/${id}` })).json() as Whole
const days = () => [...document.querySelectorAll('tbody td.first a')].map(({ textContent }) => textContent)
const rowOf = (day: string) =>
  [...document.querySelectorAll<HTMLElement>('tbody tr')].find((row) => row.textContent?.includes(day))
async function menu(day: string) {
  await vi.waitFor(() => expect(rowOf(day)).toBeDefined(), { timeout: 15_000 })
  const found = rowOf(day)?.querySelector('[aria-haspopup=menu]')
  if (!found) throw new Error(`there is no menu of ${day}`)
  await the.user.click(found)
}
const item = (name: RegExp) => screen.findByRole('menuitem', { name })
const choose = async (day: string, name: RegExp) => {
  await menu(day)
  await the.user.click(await item(name))
}
/** One that is not confirmed, a copy of the list in force. */
async function draft(day: string, fields: object = {}): Promise<number> {
  const by = await asStaff()
  const [first] = (await kept()).toSorted((a, b) => (a.effective_date < b.effective_date ? -1 : 1))
  const {
    id: _id,
    update_time: _t,
    update_user_name: _n,
    row_version: _v,
    confirmed: _c,
    ...list
  } = (await whole(first?.id ?? 0)) as never as Record<string, unknown>
  const withoutIds = (rows: unknown) => (rows as { id: number }[]).map(({ id: _one, ...row }) => row)
  const body = {
    ...list,
    concurrentUser: withoutIds(list['concurrentUser']),
    namedUser: withoutIds(list['namedUser']),
    module: withoutIds(list['module']),
    effective_date: day,
    desc: `Draft ${day}`,
    ...fields,
  }
  const answer = await by.send({ method: 'POST', url: '/api/pricelist', body })
  expect(answer.statusCode).toBe(200)
  return (answer.json() as Row).id
}
const cells = (table: string, column: string) => [
  ...(screen.getByRole('table', { name: table }).querySelectorAll<HTMLInputElement>(`[data-cell=${column}]`) ?? []),
]
const values = (table: string, column: string) => cells(table, column).map(({ value }) => value)
const opened = async (title: string) => {
  await heading(title)
  await screen.findByRole('table', { name: 'Modules' })
}
const footer = (dialogElement: HTMLElement) =>
  dialogElement.querySelector('.p-dialog-footer button') as HTMLButtonElement
const save = () => press(/^Save$/)

describe('the list', () => {
  it('says which list is in force and which is next; a confirmed one in force is not withdrawn (M145, M153, D81)', async () => {
    await draft('2031-01-01')
    await the.browser.openAs(staff, path)
    await expect.poll(days).toEqual(['2031-01-01', '2027-01-01', '2026-01-01'])
    await expect.poll(() => rowOf('2026-01-01')?.textContent).toContain('ConfirmedIn force today')
    expect(rowOf('2027-01-01')?.textContent).toContain('ConfirmedNext')
    expect(rowOf('2031-01-01')?.textContent).toContain('UnconfirmedDraft 2031-01-01')
    await menu('2026-01-01')
    expect((await item(/^Withdraw/)).textContent).toContain('Orders are priced by it today.')
    await the.user.keyboard('{Escape}')
    await choose('2027-01-01', /^Withdraw/)
    await typeConfirmation(the.user, '2027-01-01')
    await (await dialog('Withdraw the price list of 2027-01-01')).press('Withdraw price list')
    await noDialog()
    await expect.poll(days).toEqual(['2031-01-01', '2026-01-01'])
  })

  nightly('a draft is deleted without a line too, once; a confirmed one is not withdrawn without it', async () => {
    await draft('2031-01-01')
    await the.browser.openAs(staff, path)
    await expect.poll(days).toHaveLength(3)
    the.browser.goOffline()
    await menu('2027-01-01')
    await expect.poll(async () => (await item(/^Withdraw/)).textContent).toContain('This needs a connection.')
    await the.user.keyboard('{Escape}')
    await choose('2031-01-01', /^Delete/)
    await typeConfirmation(the.user, '2031-01-01')
    await (await dialog('Delete the price list of 2031-01-01')).press('Delete price list')
    await noDialog()
    the.browser.goOnline()
    await expect.poll(async () => (await kept()).length).toBe(2)
  })
})

describe('the editor', () => {
  it('says beside each field what is wrong, saves what is sound, and opens it (M146 to M148, M150)', async () => {
    await the.browser.openAs(staff, path)
    await the.user.click(await screen.findByRole('link', { name: 'New price list' }))
    await opened('New price list')
    await type(the.user, { desc: 'x' })
    await type(the.user, { desc: '' })
    await type(the.user, { uat_charge: '1000', min_fee_hkd: '1.234', min_named_user: '-1' })
    await save()
    await expect.poll(problems).toMatchObject({
      effective_date: 'Please input "Effective date" as it\'s required.',
      desc: 'Please input "Description" as it\'s required.',
      uat_charge: 'Please write a percentage from 0 to 999.99.',
      min_fee_hkd: 'Please write an amount such as 1234.50.',
      min_named_user: 'Please write a whole number from 0 to 999,999.',
    })
    expect(document.activeElement).toBe(named('effective_date'))
    await type(the.user, {
      effective_date: '2027-01-01',
      desc: 'New prices',
      uat_charge: '12.5',
      min_fee_hkd: '1,000',
      min_named_user: '3',
    })
    await save()
    await expect.poll(problems).toEqual({ effective_date: '"2027-01-01" is occupied.' })
    await type(the.user, { effective_date: '2028-01-01' })
    // As from a spreadsheet, with the users that each range begins with.
    const [to] = cells('Concurrent users', 'to')
    to?.focus()
    await the.user.paste('1\t10\t100\t10\t90\n11\t999999\t80\t8\t70')
    expect(values('Concurrent users', 'to')).toEqual(['10', '999999'])
    await press('Add a module')
    expect(document.activeElement).toBe(cells('Modules', 'code')[0])
    await the.user.keyboard('core{Tab}1{Tab}2{Tab}3{Enter}')
    // The end of the last row makes another one, and is at its beginning.
    expect(document.activeElement).toBe(cells('Modules', 'code')[1])
    await the.user.keyboard('core{Tab}4{Tab}5{Tab}6')
    await expect.poll(() => described(cells('Modules', 'code')[1] as Element)).toBe('Duplicated module!')
    await save()
    await expect.poll(() => document.activeElement).toBe(cells('Modules', 'code')[0])
    expect(await kept()).toHaveLength(2)
    await the.user.clear(cells('Modules', 'code')[1] as Element)
    await the.user.type(cells('Modules', 'code')[1] as Element, 'fin')
    await the.user.click(screen.getByRole('checkbox', { name: 'This list sells backups' }))
    await type(the.user, { 'pdbPrice.pdb2s3_traffic': '0.5', 'pdbPrice.pdb2s3_discount': '101' })
    await save()
    await expect.poll(problems).toMatchObject({
      'pdbPrice.pdb2s3_traffic': 'Please write a whole number of GB, 0 or more.',
      'pdbPrice.pdb2s3_discount': 'Please write a whole number from 0 to 100.',
    })
    await type(the.user, { 'pdbPrice.pdb2s3_traffic': '50', 'pdbPrice.pdb2s3_discount': '10' })
    await save()
    await opened('Price list of 2028-01-01')
    const made = (await kept()).find((row) => row.effective_date === '2028-01-01')
    expect(made).toMatchObject({ confirmed: false, desc: 'New prices' })
    expect(await whole(made?.id ?? 0)).toMatchObject({
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
    'a confirmed list shows its prices and changes its description alone; a copy of it is free (M151, D81)',
    async () => {
      await the.browser.openAs(staff, path)
      await the.user.click(await screen.findByRole('link', { name: '2026-01-01' }))
      await opened('Price list of 2026-01-01')
      await says('It is confirmed, so its prices stay as they are.')
      expect(named('uat_charge').readOnly).toBe(true)
      expect(cells('Modules', 'hkd').every(({ readOnly }) => readOnly)).toBe(true)
      expect(screen.queryByRole('button', { name: 'Add a module' })).toBeNull()
      expect(screen.queryByRole('button', { name: 'Confirm price list' })).toBeNull()
      await type(the.user, { desc: 'As sold in 2026' })
      await save()
      await expect.poll(async () => (await kept()).map(({ desc }) => desc)).toContain('As sold in 2026')
      await expect.poll(() => described(button('Save'))).toBe('Nothing has been changed.')
      await the.user.click(await screen.findByRole('link', { name: 'Save as' }))
      await opened('New price list')
      expect([named('effective_date').value, named('desc').value]).toEqual(['', 'As sold in 2026'])
      await expect.poll(() => values('Modules', 'code')).toEqual(['core', 'fin', 'scm', 'hr', 'doc'])
      await type(the.user, { effective_date: '2029-01-01' })
      const place = await screen.findByLabelText('Place of Documents')
      await the.user.clear(place)
      await the.user.type(place, '1{Enter}')
      expect(values('Modules', 'code')).toEqual(['doc', 'core', 'fin', 'scm', 'hr'])
      await save()
      await opened('Price list of 2029-01-01')
      const made = (await kept()).find((row) => row.effective_date === '2029-01-01')
      expect((await whole(made?.id ?? 0)).module.map(({ code }) => code)).toEqual(['doc', 'core', 'fin', 'scm', 'hr'])
    },
  )

  nightly('says of an address that there is no list of, and does not go on asking', async () => {
    await the.browser.openAs(staff, `${path}/987654`)
    await says('There is no such price list')
    const asked = () => the.browser.sent.filter((sent) => sent.path.endsWith('/api/prices/987654')).length
    const first = asked()
    await new Promise((done) => setTimeout(done, 500))
    expect([first > 0, asked()]).toEqual([true, first])
    await the.browser.open(`${path}/not-a-number`)
    await says('There is no such price list')
  })

  nightly('a module that hidden ones depend on stays; of visible ones one is told and may go on (M149)', async () => {
    const id = await draft('2031-01-01')
    await the.browser.openAs(staff, `${path}/${id}`)
    await opened('Price list of 2031-01-01')
    await expect.poll(() => screen.queryByRole('button', { name: 'Remove Core' })).not.toBeNull()
    await press('Remove Core')
    const barred = await dialog('Remove Core from this list')
    await barred.findByText(/these hidden modules depend on it/)
    await the.user.click(footer(barred.element))
    // The same without a line, by what is kept here.
    the.browser.goOffline()
    await press('Remove Core')
    const again = await dialog('Remove Core from this list')
    await again.findByText(/these hidden modules depend on it/)
    await the.user.click(footer(again.element))
    await noDialog()
    the.browser.goOnline()
    await press('Remove Human resources')
    await expect.poll(() => values('Modules', 'code')).toEqual(['core', 'fin', 'scm', 'doc'])
  })

  nightly('an edit without a line waits, is seen and opened again as it waits, and is made once', async () => {
    const id = await draft('2031-01-01')
    await the.browser.openAs(staff, path)
    await expect.poll(days).toHaveLength(3)
    await the.user.click(await screen.findByRole('link', { name: '2031-01-01' }))
    await opened('Price list of 2031-01-01')
    the.browser.goOffline()
    await type(the.user, { desc: 'Written on the train', uat_charge: '7' })
    await save()
    await arrived(the.browser, path)
    await expect.poll(() => rowOf('2031-01-01')?.textContent).toContain('Written on the train')
    await the.user.click(await screen.findByRole('link', { name: '2031-01-01' }))
    await opened('Price list of 2031-01-01')
    expect([named('desc').value, named('uat_charge').value]).toEqual(['Written on the train', '7.00'])
    the.browser.goOnline()
    await expect.poll(async () => (await whole(id)).desc).toBe('Written on the train')
    expect(await whole(id)).toMatchObject({ uat_charge: '7.00' })
  })

  nightly(
    'what somebody else changed meanwhile is said field by field, and what is typed here stays (R-14)',
    async () => {
      const id = await draft('2031-01-01')
      await the.browser.openAs(staff, `${path}/${id}`)
      await opened('Price list of 2031-01-01')
      const by = await asStaff()
      const { module, row_version: version } = (await whole(id)) as Whole & { row_version: number }
      const theirs = module.map(({ id: _id, ...row }: { id?: number; code: string; hkd: string }) => ({
        ...row,
        hkd: row.code === 'fin' ? '1.00' : row.hkd,
      }))
      const headers = { 'if-match': `"${version}"` }
      const put = await by.send({
        method: 'PUT',
        url: '/api/pricelist',
        headers,
        body: {
          id,
          desc: 'Theirs',
          uat_charge: '3.00',
          min_fee_hkd: '5.00',
          module: theirs,
          concurrentUser: [{ from: 1, to: 7, hkd: '9.00', usd: '1.00', rmb: '8.00' }],
        },
      })
      expect([put.statusCode, put.body.slice(0, 300)]).toEqual([200, expect.anything()])
      await type(the.user, { desc: 'Mine' })
      await save()
      await says('Somebody else has changed this price list meanwhile.')
      const note = document.querySelector('.conflict-note')?.textContent
      expect(note).toContain('Description: Theirs')
      expect(note).toContain('UAT system, percent')
      expect(note).toContain('fin, HKD')
      expect(note).toContain('Concurrent users, range 1, To: 7')
      await expect.poll(() => [named('desc').value, named('uat_charge').value]).toEqual(['Mine', '3.00'])
      await expect.poll(() => values('Modules', 'hkd')[1]).toBe('1.00')
      await save()
      await expect.poll(async () => (await whole(id)).desc).toBe('Mine')
      expect(await whole(id)).toMatchObject({ uat_charge: '3.00' })
    },
  )
})

describe('the rehearsal', () => {
  /** Acme's order, paid: a contract that runs. */
  async function sell(): Promise<void> {
    const by = await the.server.signIn('admin@acme')
    const { company_id: company } = (await by.send({ url: '/api/m18s/user' })).json()
    await bought(the.server, by, { code: 'acmeshop', name: 'Acme shop', period_start: today() })
    expect(company).toBeGreaterThan(0)
  }

  it('comes before confirming: what the contracts would cost, the largest change and why; then the list counts (M153)', async () => {
    await sell()
    const id = await draft('2031-01-01')
    await the.browser.openAs(staff, `${path}/${id}`)
    await opened('Price list of 2031-01-01')
    const confirm = button('Confirm price list')
    expect(described(confirm)).toContain('Rehearse the list first')
    const [price] = cells('Modules', 'hkd')
    await the.user.clear(price as Element)
    await the.user.type(price as Element, '24000')
    await expect.poll(() => described(confirm)).toContain('Save the list first')
    await press('Rehearse')
    await screen.findByRole('progressbar', { name: 'Rehearsal' })
    await expect.poll(() => workOne(the.server.app, kinds)).toBe(true)
    while (await workOne(the.server.app, kinds));
    await says('The 3 largest changes')
    const found = screen.getByRole('region', { name: 'Rehearsal' })
    expect(found.textContent).toContain('Acme shop')
    expect(found.textContent).toContain('3 more expensive, 0 cheaper, 0 the same')
    const [why] = within(found).getAllByRole('button', { name: 'Why this amount?' })
    await the.user.click(why as Element)
    expect(await within(found).findAllByText('24,000.00')).not.toEqual([])
    await save()
    // The same list, saved: what was rehearsed still counts.
    await opened('Price list of 2031-01-01')
    await expect.poll(() => described(button('Confirm price list'))).toBe('')
    await press('Confirm price list')
    const asked = await dialog('Confirm the price list of 2031-01-01')
    asked.getByText(/From 2031-01-01 on/)
    await asked.press('Confirm price list')
    await says('It is confirmed, so its prices stay as they are.')
    await expect.poll(() => whole(id)).toMatchObject({ confirmed: true })
  })

  it('what somebody else has changed since is not confirmed unseen', async () => {
    const id = await draft('2031-01-01')
    await the.browser.openAs(staff, `${path}/${id}`)
    await opened('Price list of 2031-01-01')
    await press('Rehearse')
    await expect.poll(() => workOne(the.server.app, kinds)).toBe(true)
    while (await workOne(the.server.app, kinds));
    await expect.poll(() => described(button('Confirm price list')), { timeout: 20_000 }).toBe('')
    const { row_version: version } = (await whole(id)) as Whole & { row_version: number }
    const headers = { 'if-match': `"${version}"` }
    const body = { id, uat_charge: '99.00' }
    expect((await (await asStaff()).send({ method: 'PUT', url: '/api/pricelist', headers, body })).statusCode).toBe(200)
    await press('Confirm price list')
    const asked = await dialog('Confirm the price list of 2031-01-01')
    await asked.press('Confirm price list')
    await asked.findByText(/The list could not be confirmed/)
    expect(await whole(id)).toMatchObject({ confirmed: false, uat_charge: '99.00' })
  })

  nightly('needs a line and says so; an order that one thinks of does not', async () => {
    await the.browser.openAs(staff, path)
    await expect.poll(days).toHaveLength(2)
    await the.user.click(await screen.findByRole('link', { name: '2027-01-01' }))
    await opened('Price list of 2027-01-01')
    await expect.poll(() => screen.queryAllByText('By the list of 2026-01-01')).not.toEqual([])
    the.browser.goOffline()
    await expect.poll(() => described(button('Rehearse'))).toContain('this needs a connection')
    const samples = screen.getByRole('group', { name: 'Fee of a year' })
    // 10 concurrent users by A of the agreed examples: raised to its minimum.
    await expect.poll(() => samples.textContent).toContain('HKD 20,000.00')
    const users = screen.getByLabelText('Users')
    await the.user.clear(users)
    await the.user.type(users, '40')
    // 10 x 1,200 + 30 x 1,000, and by the list itself 10 x 1,260 + 30 x 1,050.
    await expect.poll(() => samples.textContent).toContain('HKD 42,000.00')
    await expect.poll(() => samples.textContent).toContain('HKD 44,100.00')
    await the.user.clear(users)
    await the.user.type(users, '501')
    await expect.poll(() => samples.textContent).toContain('no price for 501 users')
  })
})
