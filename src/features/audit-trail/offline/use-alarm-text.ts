import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { LogTrouble } from '#request/call-results.ts'
import '#features/audit-trail/offline/translations.ts'

/** Message keys by fault code. All other faults mean that entries differ from those that were recorded. */
const textKeys: Partial<Record<LogTrouble['fault'], 'gone' | 'row' | 'other' | 'restored' | 'unsealed' | 'tables'>> = {
  LOG_SHRANK: 'gone',
  ROW_DIFFERS: 'row',
  OTHER_LOG: 'other',
  NOT_SIGNED_BY_KEY: 'other',
  SIGNATURE_INVALID: 'other',
  BAD_KEY: 'other',
  RESTORED: 'restored',
  ENTRY_UNSEALED: 'unsealed',
  TABLES_CHANGED: 'tables',
}

/** Returns what is wrong with a log, and in which entries. Entries are numbered from 0, as in the details of an entry. */
export function useAlarmText(): (alarm: LogTrouble) => string {
  const { t } = useTranslation('storedTrail')
  return (alarm) => {
    const [from, to] = [formatNumber(alarm.from), formatNumber(Math.max(alarm.from, alarm.to - 1))]
    return t(`alarm.${textKeys[alarm.fault] ?? (alarm.to - alarm.from > 1 ? 'many' : 'one')}`, { from, to })
  }
}
