import { describe, expect, it } from 'vitest'
import { isCode, readFileText, readJson, listFilesUnder } from '#tests/architecture/tree.ts'

type TextTree = { [key: string]: string | TextTree }

const nouns = [...new Set(listFilesUnder('src/locales').map((file) => file.split('/').at(-1) ?? ''))]

/**
 * Texts that need no translation: names of languages, codes, date formats and sample e-mail addresses. Placeholders and punctuation are
 * removed first.
 */
const untranslatableText = /^(|English|[A-Z0-9 ]+|YYYYMMDD HHmm|[a-z]+@[a-z.]+)$/
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

/** Returns the key without its plural form. English has a singular and a plural form, Chinese has one form. */
const removePluralForm = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const listPlainKeys = (language: string, noun: string) => [
  ...new Set(readTexts(language, noun).map(([key]) => removePluralForm(key))),
]

const listPlaceholders = (text: string) => [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map(([, name]) => name).sort()

/** Returns the placeholders of each key. The singular form is left out, because it may omit the number. */
function groupPlaceholdersByKey(language: string, noun: string) {
  const entries = readTexts(language, noun).filter(([key]) => !/_(zero|one)$/.test(key))
  return Object.fromEntries(entries.map(([key, text]) => [removePluralForm(key), [...new Set(listPlaceholders(text))]]))
}

const sortByKey = <T>(record: Record<string, T>) => Object.fromEntries(Object.entries(record).sort())

describe.each(nouns)('texts in %s', (noun) => {
  it('have the same keys in English and Chinese', () => {
    expect(listPlainKeys('zh', noun).sort()).toEqual(listPlainKeys('en', noun).sort())
  })

  it('use the same placeholders in both languages', () => {
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

  it('are translated in the Chinese file, and contain no Chinese in the English one', () => {
    const isChinese = (text: string) => /\p{Script=Han}/u.test(text)
    const untranslated = readTexts('zh', noun).filter(
      ([, text]) => !isChinese(text) && !untranslatableText.test(stripPlaceholders(text)),
    )
    expect(untranslated).toEqual([])
    // The language switch names each language in that language.
    expect(readTexts('en', noun).filter(([, text]) => isChinese(text) && text !== '中文')).toEqual([])
  })
})

/** Texts written by the server, which does not use i18next and has its own plural rule. */
const serverFiles = ['mail.json', 'print.json', 'sandbox.json', 'pages.json', 'gateway.json', 'sample-instance.json']

describe.each(nouns.filter((noun) => !serverFiles.includes(noun)))('plural forms in %s', (noun) => {
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

  it('use the endings _one and _other in English, and only _other in Chinese (I-04)', () => {
    const englishEndings = listEndings('en')
    const chineseEndings = listEndings('zh')
    expect(Object.entries(englishEndings).filter(([, forms]) => forms !== '_one,_other')).toEqual([])
    expect(Object.entries(chineseEndings).filter(([, forms]) => forms !== '_other')).toEqual([])
    expect(Object.keys(chineseEndings).sort()).toEqual(Object.keys(englishEndings).sort())
  })

  it('are used instead of "(s)"', () => {
    expect(readTexts('en', noun).filter(([, text]) => /\(s\)/i.test(text))).toEqual([])
  })
})

it('Every key that code requests with a count has plural forms (I-04)', () => {
  const knownKeys = new Set(nouns.flatMap((noun) => readTexts('en', noun).map(([key]) => key)))
  const code = listFilesUnder('src').filter(isCode).map(readFileText).join('\n')
  const requestedKeys = [...code.matchAll(/\bt\w*\(\s*'([\w.:-]+)',\s*\{[^}]*?\bcount(?::|,|\s*\})/g)].map(
    ([, key = '']) => key,
  )
  expect(requestedKeys.length).toBeGreaterThan(40)
  expect(requestedKeys.filter((key) => !knownKeys.has(`${key}_other`))).toEqual([])
})

describe('unused texts', () => {
  const sourceText = listFilesUnder('src', 'server', 'demo').filter(isCode).map(readFileText).join('\n')
  const literals = new Set([...sourceText.matchAll(/['"`]([\w.:-]+)['"`]/g)].map(([, literal]) => literal))
  /**
   * Constant beginnings of keys that code composes, as in `status.${...}`. A beginning of one or two letters (`p${percent}`) is left out,
   * because it would match too many keys.
   */
  const keyPrefixes = [...sourceText.matchAll(/`([\w.:-]+)\$\{/g)]
    .map(([, prefix]) => prefix ?? '')
    .filter((prefix) => prefix.length > 2)

  function isRead(namespace: string, key: string) {
    const fullKeys = [key, `${namespace}:${key}`]
    if (fullKeys.some((name) => literals.has(name))) return true
    return keyPrefixes.some((prefix) => prefix !== `${namespace}:` && fullKeys.some((name) => name.startsWith(prefix)))
  }

  // Code looks these texts up by problem code and field name. Other tests check that each code has a text.
  const filesReadByCode = ['problem.json', 'fields.json']

  it.each(nouns.filter((noun) => !filesReadByCode.includes(noun)))('do not exist in %s', (noun) => {
    const namespace = noun.replace('.json', '')
    const unreadKeys = listPlainKeys('en', noun).filter((key) => !isRead(namespace, key))
    expect(unreadKeys).toEqual([])
  })
})
