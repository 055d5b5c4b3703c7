/** Whole numbers that are typed (fault 18), and what people write in place of plain figures (fault 22). */
import { useState } from 'react'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'

const user = userEvent.setup()
afterEach(cleanup)

function TestNumberInput({ first: initialValue = '' }) {
  const [value, setValue] = useState(initialValue)
  return <WholeNumberInput value={value} min={2} max={99} onType={setValue} />
}
const findField = () => screen.getByRole<HTMLInputElement>('spinbutton')

it.each([
  ['１２', '12'],
  [' 1 2 ', '12'],
  ['1,200', '1200'],
  ['1.50', '1.50'],
  ['1e3', '1e3'],
  ['1,20', '1,20'],
  ['twelve', 'twelve'],
])('fault 22a "%s" is "%s" when the field is left', async (text, normalised) => {
  render(<TestNumberInput />)
  await user.type(findField(), text)
  await user.tab()
  expect(findField().value).toBe(normalised)
})

it.each([
  ['', '{ArrowUp}', '2'],
  ['98', '{ArrowUp}{ArrowUp}', '99'],
  ['3', '{ArrowDown}{ArrowDown}', '2'],
  ['1.5', '{ArrowUp}', '1.5'],
])('fault 18b the arrow keys step from "%s" within the limits', async (initialValue, keys, expectedValue) => {
  render(<TestNumberInput first={initialValue} />)
  await user.click(findField())
  await user.keyboard(keys)
  expect(findField().value).toBe(expectedValue)
})
