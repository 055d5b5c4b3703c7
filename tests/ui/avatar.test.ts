import { expect, it } from 'vitest'
import { getInitials } from '#ui/display/initials.ts'

it.each([
  ['Li Wei', 'LW'],
  ['maria del carmen ruiz', 'MR'],
  ['Cher', 'C'],
  ['王小明', '小明'],
  ['李 雷', '李雷'],
  ['', ''],
])('getInitials returns, for %o, %o', (name, expectedInitials) => {
  expect(getInitials(name)).toBe(expectedInitials)
})

it.each([
  ['陈大文 David', '大文'],
  ['David Chan 陳大文', '大文'],
  ['David (Dave) Chan', 'DC'],
  ['Amelia Chan （小美）', 'AC'],
  ['Ｌｉ Wei', 'ＬW'],
  ['O’Neil-Smith', 'O'],
  ['🙂 Li', 'L'],
  ['(…)', ''],
])('getInitials returns, for %o, %o, with mixed scripts and symbols (fault 37c)', (name, expectedInitials) => {
  expect(getInitials(name)).toBe(expectedInitials)
})
