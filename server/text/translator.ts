/** Translates texts of the server's own pages and mails, from the same files as the client's. */
import { removeDoubleFullStop } from '#domain/text.ts'
import type { Language } from '#domain/accounts/users.ts'

type MessageTree = { [key: string]: string | MessageTree }
export type TranslateText = (key: string, values?: Record<string, string>) => string

export const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

/** Inserts the values into the text at a dotted key. Both languages have every key (tests/architecture/languages). */
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
