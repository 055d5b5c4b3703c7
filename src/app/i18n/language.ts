import type { Language } from '#domain/accounts/users.ts'

/** As the `lang` attribute has it: readers and fonts want to know which Chinese. */
export const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

const isLanguage = (code: string | null): code is Language => code !== null && Object.hasOwn(languageTags, code)

/** Query parameter, then what was chosen before, then English; what is no language of ours is ignored (M4, I-12). */
export function getInitialLanguage(search: string, storedCode: string | null): Language {
  return readUrlLanguage(search) ?? (isLanguage(storedCode) ? storedCode : 'en')
}

export function readUrlLanguage(search: string): Language | null {
  const code = new URLSearchParams(search).get('lang')
  return isLanguage(code) ? code : null
}
