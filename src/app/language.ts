import { type Language, languages } from '#domain/users.ts'

const known = (code: string | null): Language | null => languages.find((language) => language === code) ?? null

/** Query parameter, then what was chosen before, then English; what is no language of ours is ignored (M4, I-12). */
export const firstLanguage = (search: string, stored: string | null): Language =>
  known(new URLSearchParams(search).get('lang')) ?? known(stored) ?? 'en'

/** As the `lang` attribute has it: readers and fonts want to know which Chinese. */
export const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }
