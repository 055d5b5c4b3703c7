/** Days and minutes that are typed, wherever a form asks for one. */
import { useState } from 'react'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWords } from '#app/i18n/i18n.ts'
import { DateField, type DateKind } from '#ui/form/DateField.tsx'
import { type DateEnds, DateRange } from '#ui/form/DateRange.tsx'
import { described } from '#tests/support/pages/fields.ts'

const user = userEvent.setup()
beforeEach(startWords)
afterEach(cleanup)

function One({ kind, error }: { kind: DateKind; error?: string }) {
  const [value, setValue] = useState('')
  return <DateField {...{ kind, value, error }} name="day" label="Day" min="2026-01-01" onChange={setValue} />
}

const field = (name = 'Day') => screen.getByLabelText<HTMLInputElement>(name)
const calendar = () => document.querySelector<HTMLInputElement>('.date-calendar')

async function leaves(text: string, name?: string): Promise<{ value: string; says: string }> {
  await user.clear(field(name))
  await user.type(field(name), text)
  await user.tab()
  return { value: field(name).value, says: described(field(name)) }
}

describe('a day', () => {
  it.each(['2026-11-24', '2026/11/24', '2026.11.24', '20261124', ' 2026-11-24 '])('is read from "%s"', async (text) => {
    render(<One kind="day" />)
    expect(await leaves(text)).toEqual({ value: '2026-11-24', says: '' })
    expect(calendar()?.value).toBe('2026-11-24')
    expect(calendar()?.min).toBe('2026-01-01')
  })

  it.each(['2026年11月24日', '２０２６－１１－２４', '２０２６／１１／２４', '2026年11月24日 '])(
    'fault 22b is read from "%s" too',
    async (text) => {
      render(<One kind="day" />)
      expect(await leaves(text)).toEqual({ value: '2026-11-24', says: '' })
    },
  )

  it.each(['2026年1月5日9:05', '2026年1月5日 9时05分', '２０２６年１月５日　０９：０５'])(
    'fault 22b and a minute from "%s"',
    async (text) => {
      render(<One kind="minute" />)
      expect(await leaves(text)).toEqual({ value: '2026-01-05 09:05', says: '' })
    },
  )

  it.each(['2026-02-30', '24.11.2026', 'soon', '0026-01-01', '2026-1', '2026-11-24 09:30'])(
    'is not "%s"',
    async (text) => {
      render(<One kind="day" />)
      const { value, says } = await leaves(text)
      expect(says).toBe('Please write a date such as 2026-11-24.')
      expect(value).toBe(text)
      expect(calendar()?.value).toBe('')
      // Not while it is being written.
      await user.type(field(), '1')
      expect(described(field())).toBe('')
    },
  )

  it('says what its owner says in the first place, and nothing of being empty', async () => {
    const { rerender } = render(<One kind="day" />)
    expect(await leaves(' ')).toEqual({ value: '', says: '' })
    rerender(<One kind="day" error="Choose today or a later day." />)
    expect((await leaves('x')).says).toBe('Choose today or a later day.')
  })

  it('is chosen in the calendar of the browser, which the keyboard finds by its button', async () => {
    render(<One kind="day" />)
    expect(screen.getByRole('button', { name: 'Choose the date: Day' })).toBeDefined()
    fireEvent.change(calendar() as HTMLInputElement, { target: { value: '2026-03-04' } })
    expect(field().value).toBe('2026-03-04')
  })

  it('is tidy before a form that Enter sends reads it', async () => {
    render(<One kind="day" />)
    await user.type(field(), '2026/1/5{Enter}')
    expect(field().value).toBe('2026-01-05')
  })
})

describe('a minute', () => {
  it.each([
    ['2026-11-24 09:30', '2026-11-24 09:30'],
    ['2026/1/5 9:05', '2026-01-05 09:05'],
    ['20260105 0905', '2026-01-05 09:05'],
    ['2026-01-05T09:05:59', '2026-01-05 09:05'],
    ['2026-01-05', '2026-01-05 00:00'],
  ])('is read from "%s"', async (text, value) => {
    render(<One kind="minute" />)
    expect(await leaves(text)).toEqual({ value, says: '' })
    expect(calendar()?.value).toBe(value.replace(' ', 'T'))
  })

  it.each(['2026-11-24 24:00', '2026-11-24 09:60', '2026-02-30 09:30', '09:30'])('is not "%s"', async (text) => {
    render(<One kind="minute" />)
    expect(await leaves(text)).toEqual({ value: text, says: 'Please write a date and time such as 2026-11-24 09:30.' })
    expect(calendar()?.value).toBe('')
  })

  it('is chosen in the calendar of the browser', () => {
    render(<One kind="minute" />)
    expect(screen.getByRole('button', { name: 'Choose the date and time: Day' })).toBeDefined()
    fireEvent.change(calendar() as HTMLInputElement, { target: { value: '2026-03-04T05:06' } })
    expect(field().value).toBe('2026-03-04 05:06')
  })
})

describe('a range', () => {
  const told: (DateEnds | null)[] = []
  function Two({ errors }: { errors?: { from: string } }) {
    const [range, setRange] = useState<DateEnds>({ from: '2026-01-05 10:00', to: '' })
    return (
      <DateRange
        kind="minute"
        {...(errors ? { errors } : {})}
        range={range}
        labels={{ from: 'From', to: 'To' }}
        names={{ from: 'from', to: 'to' }}
        onChange={(next) => {
          told.push(next)
          if (next) setRange(next)
        }}
      />
    )
  }
  beforeEach(() => void told.splice(0))

  it('tells its owner what holds, and that nothing does', async () => {
    render(<Two />)
    expect(await leaves('2026-01-05 09:59', 'To')).toEqual({
      value: '2026-01-05 09:59',
      says: "The end can't be before the start, 2026-01-05 10:00.",
    })
    expect(told.at(-1)).toBeNull()
    expect(told.some((one) => one?.to)).toBe(false)
    expect((await leaves('2026-01-05 10:00', 'To')).says).toBe('')
    expect(told.at(-1)).toEqual({ from: '2026-01-05 10:00', to: '2026-01-05 10:00' })
    expect((await leaves('2026-01-05 10:01', 'From')).says).toBe("The start can't be after the end, 2026-01-05 10:00.")
    expect(told.at(-1)).toBeNull()
    expect((await leaves('x', 'From')).says).toBe('Please write a date and time such as 2026-11-24 09:30.')
  })

  it('says what is wrong with a date that is one', async () => {
    render(<Two errors={{ from: 'Not kept for so long.' }} />)
    expect(described(field('From'))).toBe('Not kept for so long.')
    expect((await leaves('x', 'From')).says).toBe('Please write a date and time such as 2026-11-24 09:30.')
  })
})
