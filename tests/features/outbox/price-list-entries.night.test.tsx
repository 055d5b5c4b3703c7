/** What waits of a price list names the list, and is compared with another change price by price, in words. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { type, typeConfirmation } from '#tests/support/pages/fields.ts'
import { handsOn, setUpShopPages } from '#tests/support/pages/shop-pages.ts'
import { arrived } from '#tests/support/pages/screen.ts'
import { usableFields } from '#tests/support/orders/usable-fields.ts'

const the = setUpShopPages()
const { press, dialog, noDialog } = handsOn(the)
const staff = 'delete@m18'
const path = '/app/m18/price'
const payload = { type: 'saas', effective_date: '2031-01-01', desc: 'Draft', min_fee_hkd: '20000.00' }
const listName = '2031-01-01 · saas · Draft'

const titles = () => [...document.querySelectorAll('.write h3')].map(({ textContent }) => textContent)
const lines = () => [...document.querySelectorAll('.write-fields li')].map(({ textContent }) => textContent)
const firstPrice = async () => {
  const table = await screen.findByRole('table', { name: 'Concurrent users' })
  const cell = table.querySelector<HTMLInputElement>('[data-cell=hkd]')
  if (!cell) throw new Error('the table has no price')
  return cell
}

const openOutbox = async () => {
  await the.user.click(await screen.findByRole('link', { name: /Waiting changes/ }))
}

async function makeList() {
  const by = await the.server.signIn(staff)
  const body = { ...payload, ...(await usableFields(by)) }
  const { id } = (await by.send({ method: 'POST', url: '/api/pricelist', payload: body })).json()
  return { by, id: Number(id), body }
}

describe('a change of a price list that waits', () => {
  it('fault 33b names the list and the price, and is compared price by price without a word of JSON', async () => {
    const { by, id, body } = await makeList()
    await the.browser.openAs(staff, `${path}/${id}`)
    const cell = await firstPrice()
    the.browser.goOffline()
    await the.user.clear(cell)
    await the.user.type(cell, '1300')
    await type(the.user, { min_fee_hkd: '21000' })
    await press(/^Save$/)
    await arrived(the.browser, path)
    await openOutbox()
    await expect
      .poll(titles)
      .toEqual([`Change minimum fee HKD and prices of concurrent users of price list ${listName}`])
    await expect
      .poll(lines)
      .toEqual(['Minimum fee a year, HKD: 20,000.00 → 21,000.00', 'Concurrent users 1–999,999, HKD: 3.00 → 1,300.00'])
    const [range] = body.concurrentUser
    const changed = { id, desc: 'Of another', concurrentUser: [{ ...range, hkd: '1290.00', usd: '160.00' }] }
    expect((await by.send({ method: 'PUT', url: '/api/pricelist', payload: changed })).statusCode).toBe(200)
    the.browser.goOnline()
    await the.user.click(await screen.findByRole('button', { name: 'Compare and choose' }))
    const compared = await dialog(`Two changes of price list ${listName}`)
    const choice = within(compared.getByRole('group', { name: 'Prices of concurrent users' }))
    const sides = choice.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)
    expect(sides).toEqual([
      'This deviceConcurrent users 1–999,999, HKD: 1,300.00Concurrent users 1–999,999, USD: 2.00',
      'ServerConcurrent users 1–999,999, HKD: 1,290.00Concurrent users 1–999,999, USD: 160.00',
    ])
    expect(compared.getAllByRole('group')).toHaveLength(1)
    const merged = [...document.querySelectorAll('.compare-merged li')].map(({ textContent }) => textContent)
    expect(merged).toEqual([
      'Minimum fee a year, HKD: 20,000.00 → 21,000.00Changed on this device only. Kept.',
      'Description: Draft → Of anotherChanged on the server only. Kept.',
    ])
    expect(document.querySelector('[role=dialog]')?.textContent).not.toMatch(/[{}[\]]/)
    await the.user.click(choice.getByRole('radio', { name: /This device/ }))
    await compared.press('Save this choice')
    await noDialog()
    await screen.findByRole('heading', { name: 'Everything has been sent' })
    const stored = (await by.send({ url: `/api/prices/${id}` })).json()
    expect(stored).toMatchObject({ desc: 'Of another', min_fee_hkd: '21000.00', concurrentUser: [{ hkd: '1300.00' }] })
  })

  it('fault 33c names a list that is made, changed and deleted, and shows its prices in words where it is edited', async () => {
    const { by, id } = await makeList()
    await the.browser.openAs(staff, `${path}/${id}`)
    await firstPrice()
    await the.browser.open(`${path}/new?from=${id}`)
    const copied = await firstPrice()
    the.browser.goOffline()
    await expect.poll(() => copied.isConnected && copied.value).toBe('3.00')
    await type(the.user, { effective_date: '2032-01-01', desc: 'A copy' })
    await press(/^Save$/)
    await arrived(the.browser, path)
    const row = await screen.findByRole('row', { name: /2031-01-01/ })
    await the.user.click(within(row).getByRole('button', { name: /More/ }))
    await the.user.click(await screen.findByRole('menuitem', { name: 'Delete price list' }))
    await dialog('Delete the price list of 2031-01-01')
    await typeConfirmation(the.user, '2031-01-01')
    await press('Delete price list')
    await noDialog()
    await openOutbox()
    await expect.poll(titles).toEqual(['New price list 2032-01-01 · saas · A copy', `Delete price list ${listName}`])
    // A list of that day was made meanwhile.
    const taken = { ...payload, effective_date: '2032-01-01' }
    await by.send({ method: 'POST', url: '/api/pricelist', payload: taken })
    the.browser.goOnline()
    await press('Edit and resend')
    await screen.findByText('Concurrent users 1–999,999, HKD: 3.00')
    expect(document.querySelector('[role=dialog]')?.textContent).not.toMatch(/[{}[\]]/)
  })

  it('fault 37u the toast says of a conflict what its entry says: that it waits for a decision, and who changed it', async () => {
    const { by, id } = await makeList()
    await the.browser.openAs(staff, path)
    const row = await screen.findByRole('row', { name: /2031-01-01/ })
    the.browser.goOffline()
    await the.user.click(within(row).getByRole('button', { name: /More/ }))
    await the.user.click(await screen.findByRole('menuitem', { name: 'Delete price list' }))
    await dialog('Delete the price list of 2031-01-01')
    await typeConfirmation(the.user, '2031-01-01')
    await press('Delete price list')
    await noDialog()
    // By the same person, elsewhere.
    await by.send({ method: 'PUT', url: '/api/pricelist', payload: { id, desc: 'Of another' } })
    await openOutbox()
    the.browser.goOnline()
    await screen.findByRole('button', { name: 'Compare and choose' })
    const own =
      'You changed this elsewhere in the meantime. Compare both versions and choose; nothing is sent until then.'
    await expect.poll(() => document.querySelector('.write-trouble')?.textContent).toBe(own)
    await expect
      .poll(() => document.querySelector('.toasts')?.textContent)
      .toContain(`1 needs your decision. Delete price list ${listName}: ${own}`)
  })
})
