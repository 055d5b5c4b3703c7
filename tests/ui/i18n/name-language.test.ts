import { afterEach, describe, expect, test } from 'vitest'
import { i18n } from '#ui/i18n/messages.ts'
import { getNameLang, getTitleLang } from '#ui/i18n/name-language.ts'

afterEach(async () => void (await i18n.changeLanguage('en')))

describe('the lang attribute of a name (A-32)', () => {
  test.each([
    ['en', '陈美玲', 'zh-Hans'],
    ['en', 'ACME 香港', 'zh-Hans'],
    ['en', 'Li Wei', undefined],
    ['zh', 'Li Wei', 'en'],
    ['zh', '陈美玲', undefined],
  ])('is, on a page in %s and for the name %s: %s', async (language, name, expectedLang) => {
    await i18n.changeLanguage(language)
    expect(getNameLang(name)).toBe(expectedLang)
  })

  test('is that of the page for a title that contains a name and other words', async () => {
    expect([getTitleLang('陈美玲'), getTitleLang('Edit 陈美玲'), getTitleLang('Users')]).toEqual([
      'zh-Hans',
      undefined,
      undefined,
    ])
    await i18n.changeLanguage('zh')
    expect([getTitleLang('Acme trading'), getTitleLang('编辑 Li Wei')]).toEqual(['en', undefined])
  })
})
