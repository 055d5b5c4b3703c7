import { render, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import Steps from '#ui/prime/Steps.tsx'

it('A progress bar has a label, a value and a text, and the matching width (A-23)', async () => {
  const { rerender } = render(<ProgressBar label="Check" percent={40} text="40 of 100" />)
  const bar = await screen.findByRole('progressbar', { name: 'Check' })
  expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual(['40', '40 of 100'])
  rerender(<ProgressBar label="Check" percent={100} text="all" />)
  expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual(['100', 'all'])
  expect((bar.firstElementChild as HTMLElement).style.width).toBe('100%')
})

it('Exactly one step is current, and no step can be clicked or focused', () => {
  render(<Steps label="The way" steps={['First', 'Second', 'Third']} currentStep={1} />)
  const navigation = screen.getByRole('navigation', { name: 'The way' })
  const steps = within(navigation).getAllByRole('listitem')
  expect(steps.map((step) => step.querySelector('[aria-current=step]') !== null)).toEqual([false, true, false])
  expect(steps.map(({ textContent }) => textContent)).toEqual(['First', '2Second', '3Third'])
  expect(navigation.querySelector('a, button, [tabindex]')).toBeNull()
})
