import { afterEach, describe, expect, test } from 'vitest'
import { findMessage, i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'orders', {
  plain: 'Save',
  person: '{{name}} of {{company}}',
  deep: { text: 'Far in' },
  users_one: '{{count}} user',
  users_other: '{{count}} users',
})
i18n.addResourceBundle('zh', 'orders', { plain: '保存', users_other: '{{count}} 位用户' })
afterEach(async () => void (await i18n.changeLanguage('en')))

/** Returns a test message. The keys of this file do not exist in the app, so the key's type is asserted. */
const t = (key: string, values = {}): string => i18n.t(key as 'title', { ns: 'orders', ...values })

describe('messages (I-01)', () => {
  test('insert values literally, and nothing for a missing value', () => {
    expect(t('person', { name: 'Li Wei', company: 'Acme' })).toBe('Li Wei of Acme')
    expect(t('person', { name: '{{company}} $& <b> $t(plain)' })).toBe('{{company}} $& <b> $t(plain) of ')
  })

  test('use the plural forms of their language', async () => {
    expect([0, 1, 2].map((count) => t('users', { count }))).toEqual(['0 users', '1 user', '2 users'])
    await i18n.changeLanguage('zh')
    expect(t('users', { count: 1 })).toBe('1 位用户')
  })

  test('are found only by their own keys, even if the server sends the key', () => {
    expect(findMessage('orders', 'deep.text')).toBe('Far in')
    for (const key of ['deep', 'constructor', '__proto__', 'deep.toString', 'plain.length', 'users', ''])
      expect(findMessage('orders', key)).toBeNull()
    expect(t('unknown')).toBe('unknown')
    expect(findMessage('device', 'plain')).toBeNull()
  })

  test('have keys that the compiler checks', () => {
    // @ts-expect-error There is no such key.
    i18n.t('message.dome', { ns: 'ui' })
    // @ts-expect-error It is a key of another namespace.
    i18n.t('message.done', { ns: 'shell' })
    expect(i18n.t('message.done', { ns: 'ui' })).toBe('message.done')
  })
})
