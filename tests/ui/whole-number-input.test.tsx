/** Tests typing whole numbers (fault 18), also in the notations that people use (fault 22). */
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
])('The number field changes "%s" to "%s" when it loses focus (fault 22a)', async (text, normalised) => {
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
])('The arrow keys change "%s" within the limits (fault 18b)', async (initialValue, keys, expectedValue) => {
  render(<TestNumberInput first={initialValue} />)
  await user.click(findField())
  await user.keyboard(keys)
  expect(findField().value).toBe(expectedValue)
})
