import { describe, expect, it } from 'vitest'
import { isCode, readFileText, readJson, listFilesUnder } from '#tests/architecture/tree.ts'

type TextTree = { [key: string]: string | TextTree }

const nouns = [...new Set(listFilesUnder('src/locales').map((file) => file.split('/').at(-1) ?? ''))]

/** What needs no translation: names of languages, codes, addresses to type; placeholders and signs are not words. */
const untranslatableText = /^(|English|[A-Z0-9 ]+|[a-z]+@[a-z.]+)$/
const stripPlaceholders = (text: string) =>
  text
    .replace(/\{\{[^}]*\}\}/g, '')
    .replace(/[^\p{L}\p{N}@. ]/gu, '')
    .trim()

function flattenTexts(texts: TextTree, prefix = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flattenTexts(value, `${prefix}${key}.`),
  )
}

const readTexts = (language: string, noun: string) =>
  flattenTexts(readJson<TextTree>(`src/locales/${language}/${noun}`))

/** English has a form for one and one for more, Chinese has one for both: the key without its form is what is shared. */
const removePluralForm = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const listPlainKeys = (language: string, noun: string) => [
  ...new Set(readTexts(language, noun).map(([key]) => removePluralForm(key))),
]

const listPlaceholders = (text: string) => [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map(([, name]) => name).sort()

/** What a key stands for in both languages; the form for one may leave the number out. */
function groupPlaceholdersByKey(language: string, noun: string) {
  const entries = readTexts(language, noun).filter(([key]) => !/_(zero|one)$/.test(key))
  return Object.fromEntries(entries.map(([key, text]) => [removePluralForm(key), [...new Set(listPlaceholders(text))]]))
}

const sortByKey = <T>(record: Record<string, T>) => Object.fromEntries(Object.entries(record).sort())

describe.each(nouns)('the words of %s', (noun) => {
  it('exist in English and in Chinese, key by key', () => {
    expect(listPlainKeys('zh', noun).sort()).toEqual(listPlainKeys('en', noun).sort())
  })

  it('speak of the same things in both', () => {
    expect(sortByKey(groupPlaceholdersByKey('zh', noun))).toEqual(sortByKey(groupPlaceholdersByKey('en', noun)))
  })

  it('are never empty', () => {
    const emptyKeys = ['en', 'zh'].flatMap((language) =>
      readTexts(language, noun)
        .filter(([, text]) => text.trim() === '')
        .map(([key]) => `${language}: ${key}`),
    )
    expect(emptyKeys).toEqual([])
  })

  it('are Chinese where they say so, and not in English', () => {
    const isChinese = (text: string) => /\p{Script=Han}/u.test(text)
    const untranslated = readTexts('zh', noun).filter(
      ([, text]) => !isChinese(text) && !untranslatableText.test(stripPlaceholders(text)),
    )
    expect(untranslated).toEqual([])
    // The switch names each language in itself.
    expect(readTexts('en', noun).filter(([, text]) => isChinese(text) && text !== '中文')).toEqual([])
  })
})

/** What the server writes, without i18next: it counts in words of its own. */
const serverFiles = ['mail.json', 'print.json', 'sandbox.json', 'pages.json', 'gateway.json', 'sample-instance.json']

describe.each(nouns.filter((noun) => !serverFiles.includes(noun)))('what is counted in %s', (noun) => {
  const groupForms = (language: string) => {
    const countedTexts = readTexts(language, noun).filter(
      ([key, text]) => removePluralForm(key) !== key || text.includes('{{count}}'),
    )
    return Map.groupBy(countedTexts, ([key]) => removePluralForm(key))
  }
  const listEndings = (language: string) =>
    Object.fromEntries(
      [...groupForms(language)].map(([key, texts]) => [
        key,
        texts
          .map(([name]) => name.slice(key.length))
          .sort()
          .join(),
      ]),
    )

  it('has the forms of its language: one and more in English, a single one in Chinese (I-04)', () => {
    const englishEndings = listEndings('en')
    const chineseEndings = listEndings('zh')
    expect(Object.entries(englishEndings).filter(([, forms]) => forms !== '_one,_other')).toEqual([])
    expect(Object.entries(chineseEndings).filter(([, forms]) => forms !== '_other')).toEqual([])
    expect(Object.keys(chineseEndings).sort()).toEqual(Object.keys(englishEndings).sort())
  })

  it('needs no "(s)"', () => {
    expect(readTexts('en', noun).filter(([, text]) => /\(s\)/i.test(text))).toEqual([])
  })
})

it('what code asks for with a count has those forms (I-04)', () => {
  const knownKeys = new Set(nouns.flatMap((noun) => readTexts('en', noun).map(([key]) => key)))
  const code = listFilesUnder('src').filter(isCode).map(readFileText).join('\n')
  const requestedKeys = [...code.matchAll(/\bt\w*\(\s*'([\w.:-]+)',\s*\{[^}]*?\bcount(?::|,|\s*\})/g)].map(
    ([, key = '']) => key,
  )
  expect(requestedKeys.length).toBeGreaterThan(40)
  expect(requestedKeys.filter((key) => !knownKeys.has(`${key}_other`))).toEqual([])
})

describe('no words without a reader', () => {
  const sourceText = listFilesUnder('src', 'server', 'demo').filter(isCode).map(readFileText).join('\n')
  const literals = new Set([...sourceText.matchAll(/['"`]([\w.:-]+)['"`]/g)].map(([, literal]) => literal))
  /** Beginnings of keys that are put together: `status.${...}`. One letter (`p${percent}`) would let everything pass. */
  const keyPrefixes = [...sourceText.matchAll(/`([\w.:-]+)\$\{/g)]
    .map(([, prefix]) => prefix ?? '')
    .filter((prefix) => prefix.length > 2)

  function isRead(namespace: string, key: string) {
    const fullKeys = [key, `${namespace}:${key}`]
    if (fullKeys.some((name) => literals.has(name))) return true
    return keyPrefixes.some((prefix) => prefix !== `${namespace}:` && fullKeys.some((name) => name.startsWith(prefix)))
  }

  // Words for codes are found by code; whether each code has its words is said elsewhere.
  const filesReadByCode = ['problem.json', 'fields.json']

  it.each(nouns.filter((noun) => !filesReadByCode.includes(noun)))('in %s', (noun) => {
    const namespace = noun.replace('.json', '')
    const unreadKeys = listPlainKeys('en', noun).filter((key) => !isRead(namespace, key))
    expect(unreadKeys).toEqual([])
  })
})
