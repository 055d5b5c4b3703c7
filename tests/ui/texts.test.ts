import { afterEach, describe, expect, test } from 'vitest'
import { addTexts, find, languageNow, onLanguage, onWords, say, showLanguage, wordsNow } from '#ui/texts.ts'

addTexts('en', 'sample', {
  plain: 'Save',
  told: '{{name}} of {{company}}',
  deep: { way: 'Far in' },
  users_one: '{{count}} user',
  users_other: '{{count}} users',
})
addTexts('zh', 'sample', { plain: '保存', users_other: '{{count}} 位用户' })
afterEach(() => showLanguage('en'))

describe('texts (I-01)', () => {
  test('say values in their places, and nothing where a value is missing', () => {
    expect(say('sample', 'told', { name: 'Li Wei', company: 'Acme' })).toBe('Li Wei of Acme')
    expect(say('sample', 'told', { name: '{{company}} $& <b>' })).toBe('{{company}} $& <b> of ')
  })

  test('count as their language counts', () => {
    expect([0, 1, 2].map((count) => say('sample', 'users', { count }))).toEqual(['0 users', '1 user', '2 users'])
    showLanguage('zh')
    expect(say('sample', 'users', { count: 1 })).toBe('1 位用户')
  })

  test('are found at their own keys only: a code that the server sends names nothing else', () => {
    expect(find('sample', 'deep.way')).toBe('Far in')
    for (const key of ['deep', 'constructor', 'deep.toString', 'plain.length', 'users', ''])
      expect(find('sample', key)).toBeNull()
    expect(say('sample', 'unknown')).toBe('unknown')
    expect(say('nowhere', 'plain')).toBe('plain')
  })

  test('that come after somebody has shown a key in their place are heard of, others are not', () => {
    const heard: string[] = []
    const stop = onWords(() => heard.push(wordsNow()))
    const before = wordsNow()
    addTexts('en', 'unasked', { plain: 'Save' })
    expect([say('late', 'plain'), find('later', 'plain')]).toEqual(['plain', null])
    addTexts('zh', 'late', { plain: '保存' })
    expect([heard, wordsNow()]).toEqual([[], before])
    addTexts('en', 'late', { plain: 'Save' })
    expect([heard, say('late', 'plain')]).toEqual([[wordsNow()], 'Save'])
    expect(wordsNow()).not.toBe(before)
    addTexts('en', 'late', { plain: 'Save' })
    stop()
    addTexts('en', 'later', { plain: 'Save' })
    expect(heard.length).toBe(1)
  })

  test('change with the language, and whoever shows them hears it once', () => {
    let heard = 0
    const stop = onLanguage(() => (heard += 1))
    showLanguage('zh')
    showLanguage('zh')
    stop()
    showLanguage('en')
    expect([heard, languageNow(), say('sample', 'plain')]).toEqual([1, 'en', 'Save'])
  })
})
