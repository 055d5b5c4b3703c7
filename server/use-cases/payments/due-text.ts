import { describeDue, type DueSubject } from '#domain/dues.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/dues.json' with { type: 'json' }
import zh from '#locales/zh/dues.json' with { type: 'json' }
import { createTranslator } from '#server/text/translator.ts'

/** Returns a text about what is to be paid, such as "Change (5 → 12 users)". */
export const formatDueText = (matter: DueSubject, language: Language): string =>
  describeDue(matter, createTranslator({ en, zh }, language))
