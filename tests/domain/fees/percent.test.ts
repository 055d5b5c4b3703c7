import { expect, it } from 'vitest'
import { trimPercent } from '#domain/fees/percent.ts'

it('A percentage is shown without zeros at its end, and keeps those before its point', () => {
  const percents = ['20.00', '100.00', '12.50', '7.25', '0.00', '0.05', '20', '100', '', '999.99']
  expect(percents.map(trimPercent)).toEqual(['20', '100', '12.5', '7.25', '0', '0.05', '20', '100', '', '999.99'])
})
