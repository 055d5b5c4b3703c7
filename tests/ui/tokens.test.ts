import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../src/ui/tokens.css', import.meta.url), 'utf8')

/** The colours of the block that begins with this selector. */
function colours(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0] ?? ''
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]))
}

/** WCAG 2.2: relative luminance of an sRGB colour. */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

const grounds = ['canvas', 'surface', 'raised', 'sunken']

/** Text of normal size on what it stands on: 4.5:1. */
const texts: [text: string, grounds: string[]][] = [
  ['text', [...grounds, 'line', 'accent-soft', 'danger-soft', 'pending-soft', 'warning-soft', 'positive-soft']],
  ['muted', [...grounds]],
  ['accent-text', [...grounds, 'accent-soft']],
  ['positive', ['surface', 'raised', 'positive-soft']],
  ['warning', ['surface', 'raised', 'warning-soft']],
  ['danger', [...grounds, 'danger-soft']],
  ['pending', ['surface', 'raised', 'pending-soft']],
  ['on-accent', ['accent', 'accent-hover']],
  ['on-danger', ['danger-fill', 'danger-hover']],
]

/** Borders of controls, rings and marks against what they stand on: 3:1. */
const shapes: [shape: string, grounds: string[]][] = [
  ['line-strong', grounds],
  ['focus', grounds],
  ['accent', ['canvas', 'surface']],
  ['danger-fill', ['surface', 'raised']],
  ['pending-mark', ['surface', 'raised']],
]

const pairs = (table: [string, string[]][]) => table.flatMap(([above, below]) => below.map((under) => [above, under]))

describe.each([
  ['light', ':root'],
  ['dark', "[data-theme='dark']"],
])('in the %s theme (A-31)', (_, selector) => {
  const tokens = colours(selector)
  const between = ([above = '', below = '']: string[]) => {
    const [one, other] = [tokens[above], tokens[below]]
    if (!one || !other) throw new Error(`no colour ${one ? below : above}`)
    return { pair: `${above} on ${below}`, ratio: contrast(one, other) }
  }

  it('text can be read on everything it stands on', () => {
    expect(
      pairs(texts)
        .map(between)
        .filter(({ ratio }) => ratio < 4.5),
    ).toEqual([])
  })

  it('controls, rings and marks can be seen', () => {
    expect(
      pairs(shapes)
        .map(between)
        .filter(({ ratio }) => ratio < 3),
    ).toEqual([])
  })
})

it('light and dark are two sets of the same colours', () => {
  expect(Object.keys(colours("[data-theme='dark']"))).toEqual(Object.keys(colours(':root')))
})
