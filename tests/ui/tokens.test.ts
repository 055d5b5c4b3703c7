import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../src/ui/tokens.css', import.meta.url), 'utf8')

/** Returns the colours of the block with this selector. */
function readColours(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0] ?? ''
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]))
}

/** Returns the relative luminance of an sRGB colour, as WCAG 2.2 defines it. */
function calculateLuminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((offset) => {
    const channel = Number.parseInt(colour.slice(offset, offset + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function calculateContrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [calculateLuminance(a), calculateLuminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

const backgrounds = ['canvas', 'surface', 'raised', 'sunken']

/** Pairs of text and background colours. Their contrast must be at least 4.5:1. */
const texts: [text: string, grounds: string[]][] = [
  ['text', [...backgrounds, 'line', 'accent-soft', 'danger-soft', 'pending-soft', 'warning-soft', 'positive-soft']],
  ['muted', [...backgrounds]],
  ['accent-text', [...backgrounds, 'accent-soft']],
  ['positive', ['surface', 'raised', 'positive-soft']],
  ['warning', ['surface', 'raised', 'warning-soft']],
  ['danger', [...backgrounds, 'danger-soft']],
  ['pending', ['surface', 'raised', 'pending-soft']],
  ['on-accent', ['accent', 'accent-hover']],
  ['on-danger', ['danger-fill', 'danger-hover']],
]

/** Pairs of borders, focus rings or marks and their background colours. Their contrast must be at least 3:1. */
const shapes: [shape: string, grounds: string[]][] = [
  ['line-strong', backgrounds],
  ['focus', backgrounds],
  ['accent', ['canvas', 'surface']],
  ['danger-fill', ['surface', 'raised']],
  ['pending-mark', ['surface', 'raised']],
]

const listPairs = (table: [string, string[]][]) =>
  table.flatMap(([foreground, backgroundNames]) => backgroundNames.map((background) => [foreground, background]))

describe.each([
  ['light', ':root'],
  ['dark', "[data-theme='dark']"],
])('the %s theme (A-31)', (_, selector) => {
  const tokens = readColours(selector)
  const measurePair = ([foreground = '', background = '']: string[]) => {
    const [foregroundColour, backgroundColour] = [tokens[foreground], tokens[background]]
    if (!foregroundColour || !backgroundColour)
      throw new Error(`no colour ${foregroundColour ? background : foreground}`)
    return { pair: `${foreground} on ${background}`, ratio: calculateContrast(foregroundColour, backgroundColour) }
  }

  it('has readable text on every background', () => {
    expect(
      listPairs(texts)
        .map(measurePair)
        .filter(({ ratio }) => ratio < 4.5),
    ).toEqual([])
  })

  it('has visible controls, focus rings and marks', () => {
    expect(
      listPairs(shapes)
        .map(measurePair)
        .filter(({ ratio }) => ratio < 3),
    ).toEqual([])
  })
})

it('The light and the dark theme define the same colours', () => {
  expect(Object.keys(readColours("[data-theme='dark']"))).toEqual(Object.keys(readColours(':root')))
})
