import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'

const listUnbrokenParts = (text: string) => {
  const { container } = render(<TextWithDates text={text} />)
  expect(container.textContent).toBe(text)
  return [...container.querySelectorAll('.dated')].map((part) => part.textContent)
}

it('A text breaks inside no date, amount, product or number of days, and its spaces stay ordinary ones', () => {
  expect(listUnbrokenParts('Acme · USD 4,877.50 · pay by 2026-12-05 · in 5 days')).toEqual([
    'USD 4,877.50',
    '2026-12-05',
    'in 5 days',
  ])
  expect(listUnbrokenParts('RMB 5,625.00 · 请于 2026-12-05 前付款 · 还有 5 天')).toEqual([
    'RMB 5,625.00',
    '2026-12-05',
    '5 天',
  ])
  expect(listUnbrokenParts('Users 1 to 10: 5 × 1,200.00')).toEqual(['5 × 1,200.00'])
  expect(listUnbrokenParts('Due in 1 day')).toEqual(['in 1 day'])
  expect(listUnbrokenParts('No contract ends')).toEqual([])
})
