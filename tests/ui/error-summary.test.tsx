import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { type FormEvent, useState } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startWords } from '#app/i18n/i18n.ts'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Field } from '#ui/form/Field.tsx'

beforeEach(startWords)
afterEach(cleanup)

const names = ['code', 'name', 'number'] as const

function Form({ sent }: { sent: boolean }) {
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [isTold, setTold] = useState(!sent)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTold(true)
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
          error={isTold && !typed[name] ? 'Missing' : null}
          value={typed[name] ?? ''}
          onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
        />
      ))}
      <button type="submit">Send</button>
    </form>
  )
}

const summary = () => screen.getByRole('status').textContent
const field = (name: string) => document.querySelector<HTMLInputElement>(`[name=${name}]`) as HTMLInputElement

it('a refused form says how many fields are wrong and leads to each, until they are mended (A-11)', async () => {
  const { default: userEvent } = await import('@testing-library/user-event')
  const user = userEvent.setup()
  render(<Form sent />)
  expect(summary()).toBe('')
  await user.click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(summary()).toBe('3 fields need your attentioncodenamenumber'))
  await user.click(screen.getByRole('button', { name: 'number' }))
  expect(document.activeElement).toBe(field('number'))
  await user.type(field('number'), '1')
  await waitFor(() => expect(summary()).toBe('2 fields need your attentioncodename'))
  await user.type(field('name'), 'a')
  await user.type(field('code'), 'a')
  await waitFor(() => expect(summary()).toBe(''))
})

it('what is wrong before anything is sent is said at its field alone', async () => {
  render(<Form sent={false} />)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(document.querySelectorAll('[aria-invalid=true]')).toHaveLength(3)
  expect(summary()).toBe('')
})
