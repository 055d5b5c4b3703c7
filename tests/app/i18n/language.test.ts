import { describe, expect, it } from 'vitest'
import { getInitialLanguage } from '#app/i18n/language.ts'

describe('getInitialLanguage (M4, I-12)', () => {
  it.each([
    ['', null, 'en'],
    ['', 'zh', 'zh'],
    ['?lang=zh', null, 'zh'],
    ['?lang=en', 'zh', 'en'],
    ['?src=pwa&lang=zh', 'en', 'zh'],
    ['?lang=fr', 'zh', 'zh'],
    ['?lang=', null, 'en'],
    ['?lang=ZH', null, 'en'],
    ['', 'klingon', 'en'],
    ['?lang=fr', 'fr', 'en'],
  ])('uses the address %o and the stored language %o to choose %s', (search, storedLanguage, language) => {
    expect(getInitialLanguage(search, storedLanguage)).toBe(language)
  })
})
