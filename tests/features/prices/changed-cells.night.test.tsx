/** Tests that the editor of a price list marks, counts and restores changed cells. */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { groupThousands } from '#domain/money.ts'
import { findHeading, getButton, getNamedField, readDescription, typeValues } from '#tests/support/pages/fields.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press } = createUserActions(fixture)

const findCells = (table: string, column: string) => [
  ...screen.getByRole('table', { name: table }).querySelectorAll<HTMLInputElement>(`[data-cell=${column}]`),
]

/** Opens an unconfirmed copy of the list in force. */
async function openDraftEditor(): Promise<void> {
  const session = await fixture.server.signIn('delete@m18')
  const { data } = (
    await session.send({ url: '/api/pricelist?results=50&sortField=effective_date&sortOrder=asc' })
  ).json()
  const {
    id: _id,
    confirmed: _c,
    row_version: _v,
    update_time: _t,
    update_user_name: _u,
    withdrawn: _w,
    ...list
  } = (await session.send({ url: `/api/prices/${data[0].id}` })).json()
  const withoutIds = (rows: { id: number }[]) => rows.map(({ id: _rowId, ...row }) => row)
  const body = {
    ...list,
    concurrentUser: withoutIds(list.concurrentUser),
    namedUser: withoutIds(list.namedUser),
    module: withoutIds(list.module),
    effective_date: '2031-01-01',
  }
  const response = await session.send({ method: 'POST', url: '/api/pricelist', body })
  expect(response.statusCode).toBe(200)
  await fixture.browser.openAs('delete@m18', `/app/m18/price/${response.json().id}`)
  await findHeading('Price list of 2031-01-01')
  await screen.findByRole('table', { name: 'Modules' })
}

it('marks changed cells, and restores one with Escape or its button', async () => {
  await openDraftEditor()
  const [, finCell] = findCells('Modules', 'hkd')
  const [rangeCell] = findCells('Concurrent users', 'usd')
  const readCount = () => screen.getByRole('group', { name: 'Save the price list' }).querySelector('p')?.textContent
  const [oldPrice, oldRangePrice] = [finCell?.value ?? '', rangeCell?.value ?? '']
  expect([readCount(), oldPrice.length > 0]).toEqual(['No changes', true])
  await fixture.user.clear(finCell as Element)
  await fixture.user.type(finCell as Element, '1260')
  await fixture.user.type(rangeCell as Element, '9')
  await typeValues(fixture.user, { min_fee_hkd: '7' })
  expect(readCount()).toBe('3 changes')
  expect(readDescription(finCell as Element)).toContain(`Before: ${groupThousands(oldPrice)}`)
  expect(readDescription(getNamedField('min_fee_hkd'))).toContain('Before: ')
  // The same amount in another form is no change.
  await fixture.user.clear(finCell as Element)
  await fixture.user.type(finCell as Element, String(Number(oldPrice.replaceAll(',', ''))))
  expect([readCount(), readDescription(finCell as Element)]).toEqual(['2 changes', ''])
  await fixture.user.click(rangeCell as Element)
  await fixture.user.keyboard('{Escape}')
  expect([readCount(), rangeCell?.value]).toEqual(['1 change', oldRangePrice])
  await press('Undo: Minimum annual fee, HKD')
  expect([readCount(), document.activeElement]).toEqual(['No changes', getNamedField('min_fee_hkd')])
  expect(readDescription(getButton('Save'))).toBe('Nothing has been changed.')
})
