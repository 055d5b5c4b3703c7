import type { Language } from '#domain/accounts/users.ts'
import { daysLeft } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import en from '#locales/en/mail.json' with { type: 'json' }
import zh from '#locales/zh/mail.json' with { type: 'json' }
import { translator } from '#server/text/i18n.ts'

/** "in 7 days", counted as the screens count it. */
export function daysLeftText(today: PlainDate, last: PlainDate, language: Language): string {
  const days = daysLeft(today, last)
  const key = days <= 0 ? 'today' : days === 1 ? 'one' : 'more'
  return translator({ en, zh }, language)(`left.${key}`, { count: String(days) })
}
