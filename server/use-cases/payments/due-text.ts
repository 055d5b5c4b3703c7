import { describeDue, type DueMatter } from '#domain/dues.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/dues.json' with { type: 'json' }
import zh from '#locales/zh/dues.json' with { type: 'json' }
import { translator } from '#server/text/i18n.ts'

/** What is to be paid, in words: "Change (5 → 12 users)". */
export const dueText = (matter: DueMatter, language: Language): string =>
  describeDue(matter, translator({ en, zh }, language))
