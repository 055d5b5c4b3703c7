import type { Language } from '#domain/accounts/users.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import en from '#locales/en/mail.json' with { type: 'json' }
import zh from '#locales/zh/mail.json' with { type: 'json' }
import { createTranslator } from '#server/text/translator.ts'

/** Returns a text such as "in 7 days". The days are counted as on the screens. */
export function formatDaysLeft(today: PlainDate, lastDate: PlainDate, language: Language): string {
  const days = countDaysLeft(today, lastDate)
  const key = days <= 0 ? 'today' : days === 1 ? 'one' : 'more'
  return createTranslator({ en, zh }, language)(`left.${key}`, { count: String(days) })
}
