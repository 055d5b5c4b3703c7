import { useState } from 'react'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { DateField, type DateKind } from '#ui/form/DateField.tsx'
import { type DateRangeValue, DateRange } from '#ui/form/DateRange.tsx'
import { readDescription } from '#tests/support/pages/fields.ts'

const user = userEvent.setup()
beforeEach(startMessages)
afterEach(cleanup)

function TestDateField({ kind, error }: { kind: DateKind; error?: string }) {
  const [value, setValue] = useState('')
  return <DateField {...{ kind, value, error }} name="day" label="Day" min="2026-01-01" onChange={setValue} />
}

const findField = (name = 'Day') => screen.getByLabelText<HTMLInputElement>(name)
const findCalendar = () => document.querySelector<HTMLInputElement>('.date-calendar')

async function typeAndLeave(text: string, name?: string): Promise<{ value: string; description: string }> {
  await user.clear(findField(name))
  await user.type(findField(name), text)
  await user.tab()
  return { value: findField(name).value, description: readDescription(findField(name)) }
}

describe('<DateField> for a day', () => {
  it.each(['2026-11-24', '2026/11/24', '2026.11.24', '20261124', ' 2026-11-24 '])(
    'reads the day from "%s"',
    async (text) => {
      render(<TestDateField kind="day" />)
      expect(await typeAndLeave(text)).toEqual({ value: '2026-11-24', description: '' })
      expect(findCalendar()?.value).toBe('2026-11-24')
      expect(findCalendar()?.min).toBe('2026-01-01')
    },
  )

  it.each(['2026年11月24日', '２０２６－１１－２４', '２０２６／１１／２４', '2026年11月24日 '])(
    'reads the Chinese or full-width day from "%s" (fault 22b)',
    async (text) => {
      render(<TestDateField kind="day" />)
      expect(await typeAndLeave(text)).toEqual({ value: '2026-11-24', description: '' })
    },
  )

  it.each(['2026年1月5日9:05', '2026年1月5日 9时05分', '２０２６年１月５日　０９：０５'])(
    'reads a Chinese or full-width minute from "%s" (fault 22b)',
    async (text) => {
      render(<TestDateField kind="minute" />)
      expect(await typeAndLeave(text)).toEqual({ value: '2026-01-05 09:05', description: '' })
    },
  )

  it.each(['2026-02-30', '24.11.2026', 'soon', '0026-01-01', '2026-1', '2026-11-24 09:30'])(
    'rejects "%s"',
    async (text) => {
      render(<TestDateField kind="day" />)
      const { value, description } = await typeAndLeave(text)
      expect(description).toBe('Please enter a date such as 2026-11-24.')
      expect(value).toBe(text)
      expect(findCalendar()?.value).toBe('')
      // No error is shown while the user is typing.
      await user.type(findField(), '1')
      expect(readDescription(findField())).toBe('')
    },
  )

  it('shows the error of its form first, and no error for an empty field', async () => {
    const { rerender } = render(<TestDateField kind="day" />)
    expect(await typeAndLeave(' ')).toEqual({ value: '', description: '' })
    rerender(<TestDateField kind="day" error="Choose today or a later day." />)
    expect((await typeAndLeave('x')).description).toBe('Choose today or a later day.')
  })

  it("takes the day from the browser's calendar, whose button is labelled", async () => {
    render(<TestDateField kind="day" />)
    expect(screen.getByRole('button', { name: 'Choose the date: Day' })).toBeDefined()
    fireEvent.change(findCalendar() as HTMLInputElement, { target: { value: '2026-03-04' } })
    expect(findField().value).toBe('2026-03-04')
  })

  it('normalises the day before Enter submits the form', async () => {
    render(<TestDateField kind="day" />)
    await user.type(findField(), '2026/1/5{Enter}')
    expect(findField().value).toBe('2026-01-05')
  })
})

describe('<DateField> for a minute', () => {
  it.each([
    ['2026-11-24 09:30', '2026-11-24 09:30'],
    ['2026/1/5 9:05', '2026-01-05 09:05'],
    ['20260105 0905', '2026-01-05 09:05'],
    ['2026-01-05T09:05:59', '2026-01-05 09:05'],
    ['2026-01-05', '2026-01-05 00:00'],
  ])('reads the minute from "%s"', async (text, value) => {
    render(<TestDateField kind="minute" />)
    expect(await typeAndLeave(text)).toEqual({ value, description: '' })
    expect(findCalendar()?.value).toBe(value.replace(' ', 'T'))
  })

  it.each(['2026-11-24 24:00', '2026-11-24 09:60', '2026-02-30 09:30', '09:30'])(
    'rejects the minute "%s"',
    async (text) => {
      render(<TestDateField kind="minute" />)
      expect(await typeAndLeave(text)).toEqual({
        value: text,
        description: 'Please enter a date and time such as 2026-11-24 09:30.',
      })
      expect(findCalendar()?.value).toBe('')
    },
  )

  it("takes the minute from the browser's calendar", () => {
    render(<TestDateField kind="minute" />)
    expect(screen.getByRole('button', { name: 'Choose the date and time: Day' })).toBeDefined()
    fireEvent.change(findCalendar() as HTMLInputElement, { target: { value: '2026-03-04T05:06' } })
    expect(findField().value).toBe('2026-03-04 05:06')
  })
})

describe('<DateRange>', () => {
  const changes: (DateRangeValue | null)[] = []
  function TestDateRange({ errors }: { errors?: { from: string } }) {
    const [range, setRange] = useState<DateRangeValue>({ from: '2026-01-05 10:00', to: '' })
    return (
      <DateRange
        kind="minute"
        {...(errors ? { errors } : {})}
        range={range}
        labels={{ from: 'From', to: 'To' }}
        names={{ from: 'from', to: 'to' }}
        onChange={(next) => {
          changes.push(next)
          if (next) setRange(next)
        }}
      />
    )
  }
  beforeEach(() => void changes.splice(0))

  it('reports valid ranges to its parent, and null for an invalid range', async () => {
    render(<TestDateRange />)
    expect(await typeAndLeave('2026-01-05 09:59', 'To')).toEqual({
      value: '2026-01-05 09:59',
      description: "The end can't be before the start, 2026-01-05 10:00.",
    })
    expect(changes.at(-1)).toBeNull()
    expect(changes.some((range) => range?.to)).toBe(false)
    expect((await typeAndLeave('2026-01-05 10:00', 'To')).description).toBe('')
    expect(changes.at(-1)).toEqual({ from: '2026-01-05 10:00', to: '2026-01-05 10:00' })
    expect((await typeAndLeave('2026-01-05 10:01', 'From')).description).toBe(
      "The start can't be after the end, 2026-01-05 10:00.",
    )
    expect(changes.at(-1)).toBeNull()
    expect((await typeAndLeave('x', 'From')).description).toBe('Please enter a date and time such as 2026-11-24 09:30.')
  })

  it('shows the error that its parent passes for a valid date, and its own error for an invalid date', async () => {
    render(<TestDateRange errors={{ from: 'Not kept for so long.' }} />)
    expect(readDescription(findField('From'))).toBe('Not kept for so long.')
    expect((await typeAndLeave('x', 'From')).description).toBe('Please enter a date and time such as 2026-11-24 09:30.')
  })
})
