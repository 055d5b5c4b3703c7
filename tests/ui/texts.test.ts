import { afterEach, describe, expect, test } from 'vitest'
import { addTexts, find, languageNow, onLanguage, say, showLanguage } from '#ui/texts.ts'

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
