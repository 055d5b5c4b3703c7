/** Tests that the editor of a price list shows the fault of a field when the focus leaves it. */
import { fireEvent, screen, waitFor } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { getButton, getNamedField, readDescription, readProblems } from '#tests/support/pages/fields.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

const findCell = (table: string, column: string): HTMLInputElement => {
  const cell = screen.getByRole('table', { name: table }).querySelector<HTMLInputElement>(`[data-cell=${column}]`)
  if (!cell) throw new Error(`there is no cell ${column}`)
  return cell
}
const replaceText = async (input: HTMLElement, text: string) => {
  await fixture.user.clear(input)
  if (text !== '') await fixture.user.paste(text)
}

it('A fault is shown when its field is left, and not before', async () => {
  const { user, browser } = fixture
  await browser.openAs('delete@m18', '/app/m18/price/new')
  await screen.findByRole('table', { name: 'Concurrent users' })
  getNamedField('effective_date').focus()
  // Fields that are only passed through are not missing yet.
  await user.tab()
  await user.tab()
  await user.tab()
  expect(readProblems()).toEqual({})

  const amountText = 'Please enter an amount such as 1234.50.'
  const faults: [name: string, text: string, problem: string | undefined][] = [
    ['uat_charge', '1000', 'Please enter a percentage from 0 to 999.99.'],
    ['uat_charge', '999.99', undefined],
    ['min_fee_hkd', '1.234', amountText],
    ['min_fee_usd', '1e9', amountText],
    ['min_fee_rmb', '-5', 'Please enter an amount of 0.00 or more.'],
    ['uat_cap_hkd', 'abc', amountText],
    ['uat_cap_usd', '1,260.00', undefined],
    ['uat_cap_rmb', '１２６０．５', undefined],
    ['min_named_user', '1.5', 'Please enter a whole number from 0 to 999,999.'],
    ['desc', 'x', undefined],
    ['effective_date', '2027-13-01', 'Please enter a date such as 2027-01-31.'],
    ['effective_date', '20280101', undefined],
  ]
  for (const [name, text, problem] of faults) {
    await replaceText(getNamedField(name), text)
    expect(readProblems()[name]).toBe(undefined)
    await user.tab()
    await waitFor(() => expect(readProblems()[name]).toBe(problem))
  }
  await replaceText(getNamedField('desc'), '')
  await user.tab()
  await waitFor(() => expect(readProblems()['desc']).toBe('Please input "Description" as it\'s required.'))
})

it('A fault of a cell is shown when the cell is left, and a click that leaves it still presses the button', async () => {
  const { user, browser } = fixture
  await browser.openAs('delete@m18', '/app/m18/price/new')
  await screen.findByRole('table', { name: 'Concurrent users' })
  await user.type(findCell('Concurrent users', 'to'), '１０')
  await user.tab()
  await user.keyboard('12,60')
  await user.click(getButton('Add a module'))
  expect(screen.getByRole('table', { name: 'Modules' }).querySelectorAll('[data-cell=code]')).toHaveLength(1)
  const cell = findCell('Concurrent users', 'hkd')
  await waitFor(() => expect(readDescription(cell)).toBe('Please enter an amount such as 1234.50.'))
  // Leaving the end of the range does not remove the fault of another cell.
  findCell('Concurrent users', 'to').focus()
  await user.tab()
  expect(readDescription(cell)).toBe('Please enter an amount such as 1234.50.')
  await replaceText(cell, '1,260.00')
  await user.tab()
  expect(readDescription(cell)).toBe('')
})

it('A fault is shown when the pointer that left the field was cancelled, as by scrolling', async () => {
  await fixture.browser.openAs('delete@m18', '/app/m18/price/new')
  await screen.findByRole('table', { name: 'Concurrent users' })
  const field = getNamedField('uat_charge')
  await replaceText(field, '1000')
  fireEvent.pointerDown(document.body)
  field.blur()
  expect(readProblems()).toEqual({})
  fireEvent.pointerCancel(document.body)
  await waitFor(() => expect(readProblems()['uat_charge']).toBe('Please enter a percentage from 0 to 999.99.'))
})
