/** Tests `maxLength` of a field: input is never cut off silently. */
import { useState } from 'react'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { Field } from '#ui/form/Field.tsx'

beforeAll(() => startMessages())
const user = userEvent.setup({ delay: 5 })
afterEach(cleanup)

function TestField({ error = null }: { error?: string | null }) {
  const [value, setValue] = useState('')
  return (
    <Field label="Code" maxLength={16} value={value} error={error} onChange={({ target }) => setValue(target.value)} />
  )
}
const findField = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Code' })

it('A field keeps a character over its limit, and shows the limit until it is removed (fault 36M72a)', async () => {
  render(<TestField />)
  await user.type(findField(), 'abcdefghijklmnop')
  expect(screen.queryByText(/at most/)).toBeNull()
  await user.type(findField(), 'q')
  expect(findField().value).toBe('abcdefghijklmnopq')
  expect(screen.getByText('Please use at most 16 characters.')).toBeTruthy()
  expect(findField().getAttribute('aria-invalid')).toBe('true')
  await user.type(findField(), '{Backspace}')
  expect(screen.queryByText(/at most/)).toBeNull()
})

it('A field keeps an overlong pasted text, and shows another error first (fault 36M72a)', async () => {
  render(<TestField error="Taken" />)
  await user.click(findField())
  await user.paste('x'.repeat(300))
  expect(findField().value).toHaveLength(300)
  expect(screen.getByText('Taken')).toBeTruthy()
  expect(screen.queryByText(/at most/)).toBeNull()
})

it('A field emptied by its form shows no error about the previous text (fault 36M72a)', async () => {
  const { rerender } = render(<Field label="Code" maxLength={16} value={'x'.repeat(17)} onChange={() => undefined} />)
  expect(screen.getByText('Please use at most 16 characters.')).toBeTruthy()
  rerender(<Field label="Code" maxLength={16} value="" onChange={() => undefined} />)
  expect(screen.queryByText(/at most/)).toBeNull()
})
