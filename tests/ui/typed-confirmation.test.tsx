/** Tests the confirmation of an action that cannot be undone (M52, D84). */
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

describe('<TypedConfirmation>', () => {
  it.each([
    ['without spaces', ''],
    ['in groups', ' '],
  ])('confirms when value and code are typed exactly, with the code typed %s', async (_, separator) => {
    await user.type(findValueField(), 'abc01')
    await user.type(findCodeField(), readCodeGroups().join(separator))
    await clickConfirm()
    expect(confirmCount).toBe(1)
  })

  it.each([
    ['another value', 'abc02', true, ['typed-value']],
    ['the value in capitals', 'ABC01', true, ['typed-value']],
    ['another code', 'abc01', false, ['typed-code']],
    ['empty fields', '', false, ['typed-value', 'typed-code']],
  ])('shows "Input Error!" for %s, and does not confirm', async (_, typedValue, isCodeRight, invalidNames) => {
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

  it('accepts typing but neither paste nor drop', async () => {
    await user.click(findCodeField())
    await user.paste(readCodeGroups().join(''))
    expect(findCodeField().value).toBe('')
    expect(findCodeField().dispatchEvent(new Event('drop', { bubbles: true, cancelable: true }))).toBe(false)
    await user.keyboard('abc')
    expect(findCodeField().value).toBe('abc')
  })

  it('shows its code in groups, which a screen reader announces with the field (A-18)', () => {
    expect(readCodeGroups()).toHaveLength(3)
    expect(readDescription(findCodeField())).toBe(readCodeGroups().join(''))
  })

  it('closes on Escape without an action, and shows a new code the next time', async () => {
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
