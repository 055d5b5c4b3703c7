/** Tests that a field with a lock reason cannot be changed, whether the field or the form shows the reason. */
import { cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { CheckField, RadioField, SelectField } from '#ui/form/choice-fields.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { Field } from '#ui/form/Field.tsx'

interface LockProps {
  lockReason?: string | null
  error?: string
}
const texts = { label: 'Label', help: 'Help' }
const options = [{ value: 'a', label: 'A' }]
const doNothing = () => {}
const fields: [string, (props: LockProps) => React.ReactElement][] = [
  ['text field', (props) => <Field {...texts} {...props} />],
  ['date field', (props) => <DateField {...texts} name="day" value="" onChange={doNothing} {...props} />],
  ['select box', (props) => <SelectField {...texts} options={options} {...props} />],
  ['check box', (props) => <CheckField {...texts} {...props} />],
  ['group of radio buttons', (props) => <RadioField {...texts} options={options} {...props} />],
]

function renderField(field: React.ReactElement) {
  cleanup()
  const { container } = render(field)
  const notes = [...container.querySelectorAll('p.field-help, p.field-error')].map(({ textContent }) => textContent)
  return { isLocked: container.querySelector(':disabled, [readonly]') !== null, notes }
}

beforeEach(startMessages)
afterEach(cleanup)

describe.each(fields)('a %s', (_name, buildField) => {
  it('is locked by a reason, which replaces the help text', () => {
    expect(renderField(buildField({ lockReason: 'It never changes.' }))).toEqual({
      isLocked: true,
      notes: ['It never changes.'],
    })
  })

  it('is locked by an empty reason and shows its help text', () => {
    expect(renderField(buildField({ lockReason: '' }))).toEqual({ isLocked: true, notes: ['Help'] })
  })

  it('is not locked without a reason', () => {
    for (const lockReason of [undefined, null])
      expect(renderField(buildField(lockReason === undefined ? {} : { lockReason }))).toEqual({
        isLocked: false,
        notes: ['Help'],
      })
  })

  it('shows an error', () => {
    expect(renderField(buildField({ lockReason: '', error: 'Wrong' })).notes[0]).toBe('Wrong')
    expect(renderField(buildField({ error: '' })).notes).toEqual(['Help'])
  })
})
