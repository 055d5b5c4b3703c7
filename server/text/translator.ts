/** Words of the server's own pages and mails, out of the files that the client's come from. */
import { removeDoubleFullStop } from '#domain/text.ts'
import type { Language } from '#domain/accounts/users.ts'

type MessageTree = { [key: string]: string | MessageTree }
export type TranslateText = (key: string, values?: Record<string, string>) => string

/** As the `lang` attribute has it. */
export const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

/** The text at a dotted key, its values put in; both languages have every key (tests/architecture/languages). */
export const createTranslator =
  (messages: Record<Language, MessageTree>, language: Language): TranslateText =>
  (key, values = {}) => {
    const text = key
      .split('.')
      .reduce<string | MessageTree>(
        (node, name) => (typeof node === 'string' ? node : (node[name] ?? '')),
        messages[language],
      )
    if (typeof text !== 'string') return ''
    return removeDoubleFullStop(text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? ''))
  }
