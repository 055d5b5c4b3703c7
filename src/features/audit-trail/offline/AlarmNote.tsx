import { Icon } from '#ui/icons/Icon.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { LogTrouble } from '#request/results.ts'

/** The word for what is wrong, by its code; all others are entries that are not those that were recorded. */
const words: Partial<Record<LogTrouble['fault'], 'gone' | 'row' | 'other' | 'restored' | 'unsealed'>> = {
  LOG_SHRANK: 'gone',
  ROW_DIFFERS: 'row',
  OTHER_LOG: 'other',
  NOT_SIGNED_BY_KEY: 'other',
  SIGNATURE_INVALID: 'other',
  BAD_KEY: 'other',
  RESTORED: 'restored',
  ENTRY_UNSEALED: 'unsealed',
}

/** The log is not the one that this device knew: what is wrong, where, and what to do. Entries are counted from 0, as they are listed. */
export function AlarmNote({ alarm, children }: { alarm: LogTrouble; children?: React.ReactNode }) {
  const { t } = useTranslation('auditKept')
  const [from, to] = [number(alarm.from), number(Math.max(alarm.from, alarm.to - 1))]
  const word = words[alarm.fault] ?? (alarm.to - alarm.from > 1 ? 'many' : 'one')
  return (
    <div className="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{t('alarm.title')}</strong> {t(`alarm.${word}`, { from, to })}
        </p>
        <p>{t('alarm.advice')}</p>
        {children && <div className="problem-ways">{children}</div>}
      </div>
    </div>
  )
}
