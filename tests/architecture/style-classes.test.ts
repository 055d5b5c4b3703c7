import postcss from 'postcss'
import { expect, it } from 'vitest'
import { read, under } from '#tests/architecture/tree.ts'

/** Classes that two features use all the same, each with its reason. */
const shared: Record<string, string> = {
  why: 'the tree of a fee (orders/quote/FeeBreakdown.tsx) is drawn on the page of a price list too',
}

interface Sheet {
  feature: string
  text: string
}

const isSheet = (file: string) => file.endsWith('.css')
const classesIn = (selector: string) => [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name)
const selectorsOf = ({ text }: Sheet) => {
  const all: string[] = []
  postcss.parse(text).walkRules(({ selectors }) => void all.push(...selectors))
  return all
}

/**
 * Classes that one feature styles wherever they stand, and another feature's sheet knows too. All sheets of a part stay on the page
 * once they are there, so the one would change what the other draws.
 */
function findCollisions(sheets: readonly Sheet[]): string[] {
  const anywhere = sheets.flatMap((sheet) =>
    selectorsOf(sheet).flatMap((selector) => {
      const first = classesIn(selector.split(/[\s>+~]+/)[0] ?? '')
      return first.length === 1 && first[0] ? [{ name: first[0], feature: sheet.feature }] : []
    }),
  )
  const known = sheets.flatMap((sheet) =>
    selectorsOf(sheet)
      .flatMap(classesIn)
      .map((name) => ({ name, feature: sheet.feature })),
  )
  const found = anywhere.flatMap(({ name, feature }) =>
    known.flatMap((other) => (other.name === name && other.feature !== feature ? [name] : [])),
  )
  return [...new Set(found)].toSorted()
}

it('no feature styles a class of another', () => {
  const common = new Set(
    under('src/ui', 'src/app')
      .filter(isSheet)
      .flatMap((file) => classesIn(read(file))),
  )
  const sheets = under('src/features')
    .filter(isSheet)
    .map((file) => ({ feature: /^src\/features\/([^/]+)\//.exec(file)?.[1] ?? '', text: read(file) }))
  expect(sheets.length).toBeGreaterThan(20)
  expect(findCollisions(sheets).filter((name) => !common.has(name))).toEqual(Object.keys(shared))
  const planted = [
    { feature: 'orders', text: '@media (width > 800px) { .price-short { display: none } }' },
    { feature: 'prices', text: '.price-section > .price-short { max-inline-size: 15rem }' },
    { feature: 'users', text: '.many-list .failed { color: red }' },
    { feature: 'trail', text: '.trail-legend > .failed { color: red }' },
  ]
  expect(findCollisions(planted)).toEqual(['price-short'])
})
