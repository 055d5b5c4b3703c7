import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { typeValues, typeConfirmation } from '#tests/support/pages/fields.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { buildUsableFields } from '#tests/support/orders/usable-fields.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
const staffName = 'delete@m18'
const path = '/app/m18/price'
const priceListFields = { type: 'saas', effective_date: '2031-01-01', desc: 'Draft', min_fee_hkd: '20000.00' }
const listName = '2031-01-01 · saas · Draft'

const readTitles = () => [...document.querySelectorAll('.write h3')].map(({ textContent }) => textContent)
const readFieldLines = () => [...document.querySelectorAll('.write-fields li')].map(({ textContent }) => textContent)
const findFirstPrice = async () => {
  const table = await screen.findByRole('table', { name: 'Concurrent users' })
  const cell = table.querySelector<HTMLInputElement>('[data-cell=hkd]')
  if (!cell) throw new Error('the table has no price')
  return cell
}

const openOutbox = async () => {
  await fixture.user.click(await screen.findByRole('link', { name: /Waiting changes/ }))
}

async function createTestList() {
  const session = await fixture.server.signIn(staffName)
  const body = { ...priceListFields, ...(await buildUsableFields(session)) }
  const { id } = (await session.send({ method: 'POST', url: '/api/pricelist', payload: body })).json()
  return { session, id: Number(id), body }
}

describe('a waiting change of a price list', () => {
  it('names the list and the price, and is compared price by price without JSON (fault 33b)', async () => {
    const { session, id, body } = await createTestList()
    await fixture.browser.openAs(staffName, `${path}/${id}`)
    const cell = await findFirstPrice()
    fixture.browser.goOffline()
    await fixture.user.clear(cell)
    await fixture.user.type(cell, '1300')
    await typeValues(fixture.user, { min_fee_hkd: '21000' })
    await press(/^Save$/)
    await waitForPath(fixture.browser, path)
    await openOutbox()
    await expect
      .poll(readTitles)
      .toEqual([`Change minimum annual fee HKD and prices of concurrent users of price list ${listName}`])
    await expect
      .poll(readFieldLines)
      .toEqual(['Minimum annual fee, HKD: 20,000.00 → 21,000.00', 'Concurrent users 1–999,999, HKD: 3.00 → 1,300.00'])
    const [range] = body.concurrentUser
    const otherChange = { id, desc: 'Of another', concurrentUser: [{ ...range, hkd: '1290.00', usd: '160.00' }] }
    expect((await session.send({ method: 'PUT', url: '/api/pricelist', payload: otherChange })).statusCode).toBe(200)
    fixture.browser.goOnline()
    await fixture.user.click(await screen.findByRole('button', { name: 'Compare and choose' }))
    const comparisonDialog = await dialog(`Two versions of price list ${listName}`)
    const priceChoice = within(comparisonDialog.getByRole('group', { name: 'Prices of concurrent users' }))
    const sides = priceChoice.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)
    expect(sides).toEqual([
      'This deviceConcurrent users 1–999,999, HKD: 1,300.00Concurrent users 1–999,999, USD: 2.00',
      'ServerConcurrent users 1–999,999, HKD: 1,290.00Concurrent users 1–999,999, USD: 160.00',
    ])
    expect(comparisonDialog.getAllByRole('group')).toHaveLength(1)
    const mergedLines = [...document.querySelectorAll('.compare-merged li')].map(({ textContent }) => textContent)
    expect(mergedLines).toEqual([
      'Minimum annual fee, HKD: 20,000.00 → 21,000.00Changed on this device only. Kept.',
      'Description: Draft → Of anotherChanged on the server only. Kept.',
    ])
    expect(document.querySelector('[role=dialog]')?.textContent).not.toMatch(/[{}[\]]/)
    await fixture.user.click(priceChoice.getByRole('radio', { name: /This device/ }))
    await comparisonDialog.press('Save this choice')
    await noDialog()
    await screen.findByRole('heading', { name: 'Everything has been sent' })
    const stored = (await session.send({ url: `/api/prices/${id}` })).json()
    expect(stored).toMatchObject({ desc: 'Of another', min_fee_hkd: '21000.00', concurrentUser: [{ hkd: '1300.00' }] })
  })

  it('names a new, changed or deleted list, and shows its prices as text where it is edited (fault 33c)', async () => {
    const { session, id } = await createTestList()
    await fixture.browser.openAs(staffName, `${path}/${id}`)
    await findFirstPrice()
    await fixture.browser.open(`${path}/new?from=${id}`)
    const copiedCell = await findFirstPrice()
    fixture.browser.goOffline()
    await expect.poll(() => copiedCell.isConnected && copiedCell.value).toBe('3.00')
    await typeValues(fixture.user, { effective_date: '2032-01-01', desc: 'A copy' })
    await press(/^Save$/)
    await waitForPath(fixture.browser, path)
    const row = await screen.findByRole('row', { name: /2031-01-01/ })
    await fixture.user.click(within(row).getByRole('button', { name: /More/ }))
    await fixture.user.click(await screen.findByRole('menuitem', { name: 'Delete price list' }))
    await dialog('Delete the price list of 2031-01-01')
    await typeConfirmation(fixture.user, '2031-01-01')
    await press('Delete price list')
    await noDialog()
    await openOutbox()
    await expect
      .poll(readTitles)
      .toEqual(['New price list 2032-01-01 · saas · A copy', `Delete price list ${listName}`])
    // Creates another list of the same day in the meantime.
    const sameDayList = { ...priceListFields, effective_date: '2032-01-01' }
    await session.send({ method: 'POST', url: '/api/pricelist', payload: sameDayList })
    fixture.browser.goOnline()
    await press('Edit and resend')
    await screen.findByText('Concurrent users 1–999,999, HKD: 3.00')
    expect(document.querySelector('[role=dialog]')?.textContent).not.toMatch(/[{}[\]]/)
  })

  it('shows in the toast, as in its entry, that a conflict needs a decision and who caused it (fault 37u)', async () => {
    const { session, id } = await createTestList()
    await fixture.browser.openAs(staffName, path)
    const row = await screen.findByRole('row', { name: /2031-01-01/ })
    fixture.browser.goOffline()
    await fixture.user.click(within(row).getByRole('button', { name: /More/ }))
    await fixture.user.click(await screen.findByRole('menuitem', { name: 'Delete price list' }))
    await dialog('Delete the price list of 2031-01-01')
    await typeConfirmation(fixture.user, '2031-01-01')
    await press('Delete price list')
    await noDialog()
    // Changes the list as the same user on another device.
    await session.send({ method: 'PUT', url: '/api/pricelist', payload: { id, desc: 'Of another' } })
    await openOutbox()
    fixture.browser.goOnline()
    await screen.findByRole('button', { name: 'Compare and choose' })
    const ownConflictText =
      'You changed this elsewhere in the meantime. Compare both versions and choose; nothing is sent until then.'
    await expect.poll(() => document.querySelector('.write-trouble')?.textContent).toBe(ownConflictText)
    await expect
      .poll(() => document.querySelector('.toasts')?.textContent)
      .toContain(`1 change needs review. Delete price list ${listName}: ${ownConflictText}`)
  })
})
