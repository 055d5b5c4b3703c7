import { expect, it } from 'vitest'
import { getCutEnds } from '#ui/links/use-cut-ends.ts'

it.each([
  [0, 300, 300, null],
  [0, 300, 300.6, null],
  [0, 300, 500, 'end'],
  [100, 300, 500, 'both'],
  [200, 300, 500, 'start'],
  [199.4, 300, 500, 'start'],
] as const)('A row scrolled by %d px, %d of %d px wide, is cut off at: %s', (scrollLeft, width, fullWidth, ends) =>
  expect(getCutEnds(scrollLeft, width, fullWidth)).toBe(ends),
)
