/** The confirmation of what cannot be undone (M52, D84). */
import { useState } from 'react'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { Button } from '#ui/display/Button.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { readDescription } from '#tests/support/pages/fields.ts'

const user = userEvent.setup()
let confirmCount = 0

function TestConfirmation() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Ask</Button>
      <TypedConfirmation
        open={isOpen}
        title="Delete service abc"
        value="abc01"
        label="Service code"
        actionLabel="Delete service"
        isBusy={false}
        problem={null}
        onConfirm={() => (confirmCount += 1)}
        onClose={() => setIsOpen(false)}
      >
        <p>All data of the service is lost.</p>
      </TypedConfirmation>
    </>
  )
}

beforeEach(async () => {
  await startMessages()
  confirmCount = 0
  render(<TestConfirmation />)
  await user.click(screen.getByRole('button', { name: 'Ask' }))
  await screen.findByRole('dialog')
})
afterEach(cleanup)

const findValueField = () => screen.getByLabelText<HTMLInputElement>('Service code')
const findCodeField = () => screen.getByLabelText<HTMLInputElement>(/^Confirmation code/)
const readCodeGroups = () => [...document.querySelectorAll('.confirm-code code')].map(({ textContent }) => textContent)
const clickConfirm = () => user.click(screen.getByRole('button', { name: 'Delete service' }))

describe('a typed confirmation', () => {
  it.each([
    ['in one', ''],
    ['in the groups that are shown', ' '],
  ])('acts when value and code are typed exactly, the code %s', async (_, separator) => {
    await user.type(findValueField(), 'abc01')
    await user.type(findCodeField(), readCodeGroups().join(separator))
    await clickConfirm()
    expect(confirmCount).toBe(1)
  })

  it.each([
    ['another value', 'abc02', true, ['typed-value']],
    ['the value in capitals', 'ABC01', true, ['typed-value']],
    ['another code', 'abc01', false, ['typed-code']],
    ['nothing at all', '', false, ['typed-value', 'typed-code']],
  ])('says "Input Error!" to %s, and does nothing', async (_, typedValue, isCodeRight, invalidNames) => {
    if (typedValue) await user.type(findValueField(), typedValue)
    if (isCodeRight) await user.type(findCodeField(), readCodeGroups().join(''))
    else if (typedValue) await user.type(findCodeField(), 'AAAAAAAAAAAA')
    await clickConfirm()
    const invalid = [...document.querySelectorAll<HTMLInputElement>('[aria-invalid]')]
    expect(invalid.map(({ name }) => name)).toEqual(invalidNames)
    for (const input of invalid) expect(readDescription(input)).toContain('Input Error!')
    expect(document.activeElement).toBe(invalid[0])
    expect(confirmCount).toBe(0)
  })

  it('takes no paste and no drop, but every key', async () => {
    await user.click(findCodeField())
    await user.paste(readCodeGroups().join(''))
    expect(findCodeField().value).toBe('')
    expect(findCodeField().dispatchEvent(new Event('drop', { bubbles: true, cancelable: true }))).toBe(false)
    await user.keyboard('abc')
    expect(findCodeField().value).toBe('abc')
  })

  it('gives its code in groups that a reader hears with the field (A-18)', () => {
    expect(readCodeGroups()).toHaveLength(3)
    expect(readDescription(findCodeField())).toBe(readCodeGroups().join(''))
  })

  it('is left by Escape without anything done, and asks for another code next time', async () => {
    const codeBefore = readCodeGroups().join('')
    await user.click(findValueField())
    await user.keyboard('{Escape}')
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    expect(confirmCount).toBe(0)
    await expect.poll(() => document.activeElement?.textContent).toBe('Ask')
    await user.click(screen.getByRole('button', { name: 'Ask' }))
    await screen.findByRole('dialog')
    expect(readCodeGroups().join('')).not.toBe(codeBefore)
  })
})
