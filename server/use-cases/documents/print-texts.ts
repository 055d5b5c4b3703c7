import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/print.json' with { type: 'json' }
import zh from '#locales/zh/print.json' with { type: 'json' }
import { createTranslator, type TranslateText } from '#server/text/translator.ts'

/** Texts of printed documents. */
export const createPrintTranslator = (language: Language): TranslateText => createTranslator({ en, zh }, language)
