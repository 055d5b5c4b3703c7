import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Theme {
  makeTheme: (css: string) => string
  themeNow: () => string
}
const script = new URL('../../scripts/theme.mjs', import.meta.url)
const { makeTheme, themeNow } = (await import(script.href)) as Theme

const committed = readFileSync(new URL('../../src/ui/prime/theme.css', import.meta.url), 'utf8')
const spaceless = (css: string) => css.replaceAll(/\s+/g, '')

it('the committed theme is what scripts/theme.mjs makes of the installed PrimeReact', () => {
  expect(spaceless(committed)).toBe(spaceless(themeNow()))
})

it('a theme without rules for a component in use, or with a colour that has no role, is not made', () => {
  expect(() => makeTheme('.p-other { color: #ffffff }')).toThrow('p-dialog')
  expect(() => makeTheme('.p-dialog { color: #123456 }')).toThrow('#123456')
})

it('no colour of its own is left in it', () => {
  expect(committed.match(/#[0-9a-f]{3,8}\b/gi)).toBeNull()
})
