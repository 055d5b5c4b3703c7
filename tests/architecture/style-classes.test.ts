import postcss from 'postcss'
import { expect, it } from 'vitest'
import { readFileText, listFilesUnder } from '#tests/architecture/tree.ts'

/** Classes that two features use on purpose, each with its reason. */
const sharedClasses: Record<string, string> = {
  why: 'the tree of a fee (orders/quote/FeeBreakdown.tsx) is drawn on the page of a price list too',
}

interface StyleSheet {
  feature: string
  text: string
}

const isSheet = (file: string) => file.endsWith('.css')
const listClasses = (selector: string) => [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name)
const listSelectors = ({ text }: StyleSheet) => {
  const selectorList: string[] = []
  postcss.parse(text).walkRules(({ selectors }) => void selectorList.push(...selectors))
  return selectorList
}

/**
 * Returns classes that alone begin a selector of one feature and are also used in another feature's style sheet. Loaded style sheets stay
 * on the page, so one feature would change the look of the other.
 */
function findCollisions(sheets: readonly StyleSheet[]): string[] {
  const unscopedClasses = sheets.flatMap((sheet) =>
    listSelectors(sheet).flatMap((selector) => {
      const firstClasses = listClasses(selector.split(/[\s>+~]+/)[0] ?? '')
      return firstClasses.length === 1 && firstClasses[0] ? [{ name: firstClasses[0], feature: sheet.feature }] : []
    }),
  )
  const usedClasses = sheets.flatMap((sheet) =>
    listSelectors(sheet)
      .flatMap(listClasses)
      .map((name) => ({ name, feature: sheet.feature })),
  )
  const collisions = unscopedClasses.flatMap(({ name, feature }) =>
    usedClasses.flatMap((usedClass) => (usedClass.name === name && usedClass.feature !== feature ? [name] : [])),
  )
  return [...new Set(collisions)].toSorted()
}

it('No feature styles a class of another feature, except the listed classes', () => {
  const commonClasses = new Set(
    listFilesUnder('src/ui', 'src/app')
      .filter(isSheet)
      .flatMap((file) => listClasses(readFileText(file))),
  )
  const sheets = listFilesUnder('src/features')
    .filter(isSheet)
    .map((file) => ({ feature: /^src\/features\/([^/]+)\//.exec(file)?.[1] ?? '', text: readFileText(file) }))
  expect(sheets.length).toBeGreaterThan(20)
  expect(findCollisions(sheets).filter((name) => !commonClasses.has(name))).toEqual(Object.keys(sharedClasses))
  const plantedSheets = [
    { feature: 'orders', text: '@media (width > 800px) { .price-short { display: none } }' },
    { feature: 'prices', text: '.price-section > .price-short { max-inline-size: 15rem }' },
    { feature: 'users', text: '.many-list .failed { color: red }' },
    { feature: 'trail', text: '.trail-legend > .failed { color: red }' },
  ]
  expect(findCollisions(plantedSheets)).toEqual(['price-short'])
})
