import { describe, expect, it } from 'vitest'
import { isCode, read, readJson, under } from '#tests/architecture/tree.ts'

type Texts = { [key: string]: string | Texts }

const nouns = [...new Set(under('src/locales').map((file) => file.split('/').at(-1) ?? ''))]

/** What needs no translation: names of languages, codes, addresses to type; placeholders and signs are not words. */
const needsNone = /^(|English|[A-Z0-9 ]+|[a-z]+@[a-z.]+)$/
const words = (text: string) =>
  text
    .replace(/\{\{[^}]*\}\}/g, '')
    .replace(/[^\p{L}\p{N}@. ]/gu, '')
    .trim()

function flat(texts: Texts, prefix = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flat(value, `${prefix}${key}.`),
  )
}

const textsOf = (language: string, noun: string) => flat(readJson<Texts>(`src/locales/${language}/${noun}`))

/** English has a form for one and one for more, Chinese has one for both: the key without its form is what is shared. */
const plain = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const plainKeys = (language: string, noun: string) => [...new Set(textsOf(language, noun).map(([key]) => plain(key)))]

const placeholders = (text: string) => [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map(([, name]) => name).sort()

/** What a key stands for in both languages; the form for one may leave the number out. */
function placeholdersByKey(language: string, noun: string) {
  const all = textsOf(language, noun).filter(([key]) => !/_(zero|one)$/.test(key))
  return Object.fromEntries(all.map(([key, text]) => [plain(key), [...new Set(placeholders(text))]]))
}

const inOrder = <T>(record: Record<string, T>) => Object.fromEntries(Object.entries(record).sort())

describe.each(nouns)('the words of %s', (noun) => {
  it('exist in English and in Chinese, key by key', () => {
    expect(plainKeys('zh', noun).sort()).toEqual(plainKeys('en', noun).sort())
  })

  it('speak of the same things in both', () => {
    expect(inOrder(placeholdersByKey('zh', noun))).toEqual(inOrder(placeholdersByKey('en', noun)))
  })

  it('are never empty', () => {
    const empty = ['en', 'zh'].flatMap((language) =>
      textsOf(language, noun)
        .filter(([, text]) => text.trim() === '')
        .map(([key]) => `${language}: ${key}`),
    )
    expect(empty).toEqual([])
  })

  it('are Chinese where they say so, and not in English', () => {
    const isChinese = (text: string) => /\p{Script=Han}/u.test(text)
    const untranslated = textsOf('zh', noun).filter(([, text]) => !isChinese(text) && !needsNone.test(words(text)))
    expect(untranslated).toEqual([])
    // The switch names each language in itself.
    expect(textsOf('en', noun).filter(([, text]) => isChinese(text) && text !== '中文')).toEqual([])
  })
})

/** What the server writes, without i18next: it counts in words of its own. */
const ofServer = ['mail.json', 'print.json', 'sandbox.json', 'pages.json', 'gateway.json', 'sample-instance.json']

describe.each(nouns.filter((noun) => !ofServer.includes(noun)))('what is counted in %s', (noun) => {
  const formsOf = (language: string) => {
    const counted = textsOf(language, noun).filter(([key, text]) => plain(key) !== key || text.includes('{{count}}'))
    return Map.groupBy(counted, ([key]) => plain(key))
  }
  const endings = (language: string) =>
    Object.fromEntries(
      [...formsOf(language)].map(([key, texts]) => [
        key,
        texts
          .map(([name]) => name.slice(key.length))
          .sort()
          .join(),
      ]),
    )

  it('has the forms of its language: one and more in English, a single one in Chinese (I-04)', () => {
    const english = endings('en')
    const chinese = endings('zh')
    expect(Object.entries(english).filter(([, forms]) => forms !== '_one,_other')).toEqual([])
    expect(Object.entries(chinese).filter(([, forms]) => forms !== '_other')).toEqual([])
    expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort())
  })

  it('needs no "(s)"', () => {
    expect(textsOf('en', noun).filter(([, text]) => /\(s\)/i.test(text))).toEqual([])
  })
})

it('what code asks for with a count has those forms (I-04)', () => {
  const known = new Set(nouns.flatMap((noun) => textsOf('en', noun).map(([key]) => key)))
  const code = under('src').filter(isCode).map(read).join('\n')
  const asked = [...code.matchAll(/\bt\w*\(\s*'([\w.:-]+)',\s*\{[^}]*?\bcount(?::|,|\s*\})/g)].map(
    ([, key = '']) => key,
  )
  expect(asked.length).toBeGreaterThan(40)
  expect(asked.filter((key) => !known.has(`${key}_other`))).toEqual([])
})

describe('no words without a reader', () => {
  const sources = under('src', 'server', 'demo').filter(isCode).map(read).join('\n')
  const literals = new Set([...sources.matchAll(/['"`]([\w.:-]+)['"`]/g)].map(([, literal]) => literal))
  /** Beginnings of keys that are put together: `status.${...}`. One letter (`p${percent}`) would let everything pass. */
  const beginnings = [...sources.matchAll(/`([\w.:-]+)\$\{/g)]
    .map(([, start]) => start ?? '')
    .filter((start) => start.length > 2)

  function isRead(namespace: string, key: string) {
    const whole = [key, `${namespace}:${key}`]
    if (whole.some((name) => literals.has(name))) return true
    return beginnings.some((start) => start !== `${namespace}:` && whole.some((name) => name.startsWith(start)))
  }

  // Words for codes are found by code; whether each code has its words is said elsewhere.
  const byCode = ['problem.json', 'fields.json']

  it.each(nouns.filter((noun) => !byCode.includes(noun)))('in %s', (noun) => {
    const namespace = noun.replace('.json', '')
    const unread = plainKeys('en', noun).filter((key) => !isRead(namespace, key))
    expect(unread).toEqual([])
  })
})
