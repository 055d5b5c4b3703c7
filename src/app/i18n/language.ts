import type { Language } from '#domain/accounts/users.ts'

/** Values of the `lang` attribute. Screen readers and fonts need the script, simplified or traditional Chinese. */
export const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

const isLanguage = (code: string | null): code is Language => code !== null && Object.hasOwn(languageTags, code)

export const getOtherLanguage = (language: Language): Language => (language === 'en' ? 'zh' : 'en')

/** Uses the query parameter, then the stored choice, then English. An unknown language is ignored (M4, I-12). */
export function getInitialLanguage(search: string, storedCode: string | null): Language {
  return readUrlLanguage(search) ?? (isLanguage(storedCode) ? storedCode : 'en')
}

export function readUrlLanguage(search: string): Language | null {
  const code = new URLSearchParams(search).get('lang')
  return isLanguage(code) ? code : null
}
