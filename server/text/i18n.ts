/** Words of the server's own pages and mails, out of the files that the client's come from. */
import { withOneStop } from '#domain/text.ts'
import type { Language } from '#domain/accounts/users.ts'

type Words = { [key: string]: string | Words }
export type Translate = (key: string, values?: Record<string, string>) => string

/** As the `lang` attribute has it. */
export const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

/** The text at a dotted key, its values put in; both languages have every key (tests/architecture/languages). */
export const translator =
  (words: Record<Language, Words>, language: Language): Translate =>
  (key, values = {}) => {
    const found = key
      .split('.')
      .reduce<string | Words>((at, name) => (typeof at === 'string' ? at : (at[name] ?? '')), words[language])
    if (typeof found !== 'string') return ''
    return withOneStop(found.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? ''))
  }
