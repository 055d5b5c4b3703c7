import { expect, it } from 'vitest'
import { initials } from '#ui/display/initials.ts'

it.each([
  ['Li Wei', 'LW'],
  ['maria del carmen ruiz', 'MR'],
  ['Cher', 'C'],
  ['王小明', '小明'],
  ['李 雷', '李雷'],
  ['', ''],
])('%o is drawn as %o', (name, drawn) => {
  expect(initials(name)).toBe(drawn)
})
