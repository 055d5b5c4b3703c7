import type { Language } from '#domain/accounts/users.ts'

/** As the `lang` attribute has it: readers and fonts want to know which Chinese. */
export const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

const isLanguage = (code: string | null): code is Language => code !== null && Object.hasOwn(languageTags, code)

/** Query parameter, then what was chosen before, then English; what is no language of ours is ignored (M4, I-12). */
export function firstLanguage(search: string, stored: string | null): Language {
  return askedLanguage(search) ?? (isLanguage(stored) ? stored : 'en')
}

export function askedLanguage(search: string): Language | null {
  const asked = new URLSearchParams(search).get('lang')
  return isLanguage(asked) ? asked : null
}
