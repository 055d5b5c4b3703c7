/** The confirmation of what cannot be undone (M52, D84). */
import { useState } from 'react'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWords } from '#app/i18n/i18n.ts'
import { Button } from '#ui/display/Button.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { described } from '#tests/support/pages/fields.ts'

const user = userEvent.setup()
let confirmed = 0

function Asking() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Ask</Button>
      <TypedConfirmation
        open={open}
        title="Delete service abc"
        value="abc01"
        label="Service code"
        action="Delete service"
        busy={false}
        problem={null}
        onConfirm={() => (confirmed += 1)}
        onClose={() => setOpen(false)}
      >
        <p>All data of the service is lost.</p>
      </TypedConfirmation>
    </>
  )
}

beforeEach(async () => {
  await startWords()
  confirmed = 0
  render(<Asking />)
  await user.click(screen.getByRole('button', { name: 'Ask' }))
  await screen.findByRole('dialog')
})
afterEach(cleanup)

const value = () => screen.getByLabelText<HTMLInputElement>('Service code')
const code = () => screen.getByLabelText<HTMLInputElement>(/^Confirmation code/)
const groups = () => [...document.querySelectorAll('.confirm-code code')].map(({ textContent }) => textContent)
const confirm = () => user.click(screen.getByRole('button', { name: 'Delete service' }))

describe('a typed confirmation', () => {
  it.each([
    ['in one', ''],
    ['in the groups that are shown', ' '],
  ])('acts when value and code are typed exactly, the code %s', async (_, between) => {
    await user.type(value(), 'abc01')
    await user.type(code(), groups().join(between))
    await confirm()
    expect(confirmed).toBe(1)
  })

  it.each([
    ['another value', 'abc02', true, ['typed-value']],
    ['the value in capitals', 'ABC01', true, ['typed-value']],
    ['another code', 'abc01', false, ['typed-code']],
    ['nothing at all', '', false, ['typed-value', 'typed-code']],
  ])('says "Input Error!" to %s, and does nothing', async (_, typed, rightCode, wrong) => {
    if (typed) await user.type(value(), typed)
    if (rightCode) await user.type(code(), groups().join(''))
    else if (typed) await user.type(code(), 'AAAAAAAAAAAA')
    await confirm()
    const invalid = [...document.querySelectorAll<HTMLInputElement>('[aria-invalid]')]
    expect(invalid.map(({ name }) => name)).toEqual(wrong)
    for (const input of invalid) expect(described(input)).toContain('Input Error!')
    expect(document.activeElement).toBe(invalid[0])
    expect(confirmed).toBe(0)
  })

  it('takes no paste and no drop, but every key', async () => {
    await user.click(code())
    await user.paste(groups().join(''))
    expect(code().value).toBe('')
    expect(code().dispatchEvent(new Event('drop', { bubbles: true, cancelable: true }))).toBe(false)
    await user.keyboard('abc')
    expect(code().value).toBe('abc')
  })

  it('gives its code in groups that a reader hears with the field (A-18)', () => {
    expect(groups()).toHaveLength(3)
    expect(described(code())).toBe(groups().join(''))
  })

  it('is left by Escape without anything done, and asks for another code next time', async () => {
    const before = groups().join('')
    await user.click(value())
    await user.keyboard('{Escape}')
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    expect(confirmed).toBe(0)
    await expect.poll(() => document.activeElement?.textContent).toBe('Ask')
    await user.click(screen.getByRole('button', { name: 'Ask' }))
    await screen.findByRole('dialog')
    expect(groups().join('')).not.toBe(before)
  })
})
