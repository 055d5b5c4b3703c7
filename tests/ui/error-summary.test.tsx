import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { type FormEvent, useState } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Field } from '#ui/form/Field.tsx'

beforeEach(startMessages)
afterEach(cleanup)

const names = ['code', 'name', 'number'] as const

function TestForm({ sent: isSent }: { sent: boolean }) {
  const [values, setValues] = useState<Record<string, string>>({})
  const [hasErrorsShown, setErrorsShown] = useState(!isSent)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setErrorsShown(true)
  }
  return (
    <form noValidate onSubmit={submit}>
      <ErrorSummary />
      {names.map((name) => (
        <Field
          key={name}
          label={name}
          name={name}
          optional
          error={hasErrorsShown && !values[name] ? 'Missing' : null}
          value={values[name] ?? ''}
          onChange={({ target }) => setValues({ ...values, [name]: target.value })}
        />
      ))}
      <button type="submit">Send</button>
    </form>
  )
}

const readSummary = () => screen.getByRole('status').textContent
const findField = (name: string) => document.querySelector<HTMLInputElement>(`[name=${name}]`) as HTMLInputElement

it('A refused form counts its invalid fields and links to each until they are corrected (A-11)', async () => {
  const { default: userEvent } = await import('@testing-library/user-event')
  const user = userEvent.setup()
  render(<TestForm sent />)
  expect(readSummary()).toBe('')
  await user.click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(readSummary()).toBe('3 fields need your attentioncodenamenumber'))
  await user.click(screen.getByRole('button', { name: 'number' }))
  expect(document.activeElement).toBe(findField('number'))
  await user.type(findField('number'), '1')
  await waitFor(() => expect(readSummary()).toBe('2 fields need your attentioncodename'))
  await user.type(findField('name'), 'a')
  await user.type(findField('code'), 'a')
  await waitFor(() => expect(readSummary()).toBe(''))
})

it('A problem found before sending is shown only at its field', async () => {
  render(<TestForm sent={false} />)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(document.querySelectorAll('[aria-invalid=true]')).toHaveLength(3)
  expect(readSummary()).toBe('')
})
